arith_tests = \
  tests/arith/test_agree \
  tests/arith/test_kernels
check_PROGRAMS += $(arith_tests)
TESTS += $(arith_tests)

arith_test_libraries = libassay-arith.a libassay-tape.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
random_tape = tests/arith/random_tape.c tests/arith/random_tape.h

tests_arith_test_agree_SOURCES = tests/arith/test_agree.c $(random_tape)
tests_arith_test_agree_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_arith_test_agree_LDADD = $(arith_test_libraries)
tests_arith_test_kernels_SOURCES = tests/arith/test_kernels.c
tests_arith_test_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_arith_test_kernels_LDADD = $(arith_test_libraries)
