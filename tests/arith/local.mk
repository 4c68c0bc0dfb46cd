arith_tests = \
  tests/arith/test_agree \
  tests/arith/test_ball \
  tests/arith/test_bounded \
  tests/arith/test_exact \
  tests/arith/test_integral \
  tests/arith/test_kernels \
  tests/arith/test_near_tie \
  tests/arith/test_real \
  tests/arith/test_twofold
check_PROGRAMS += $(arith_tests)
TESTS += $(arith_tests)

arith_test_libraries = libassay-arith.a libassay-tape.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
arith_test_cppflags = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
arith_test_sources = tests/arith/random_tape.c tests/arith/random_tape.h tests/arith/small_tape.h

tests_arith_test_agree_SOURCES = tests/arith/test_agree.c $(arith_test_sources)
tests_arith_test_agree_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_agree_LDADD = $(arith_test_libraries)
tests_arith_test_ball_SOURCES = tests/arith/test_ball.c $(arith_test_sources)
tests_arith_test_ball_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_ball_LDADD = $(arith_test_libraries)
tests_arith_test_bounded_SOURCES = tests/arith/test_bounded.c $(arith_test_sources)
tests_arith_test_bounded_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_bounded_LDADD = $(arith_test_libraries)
tests_arith_test_exact_SOURCES = tests/arith/test_exact.c $(arith_test_sources)
tests_arith_test_exact_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_exact_LDADD = $(arith_test_libraries)
tests_arith_test_integral_SOURCES = tests/arith/test_integral.c $(arith_test_sources)
tests_arith_test_integral_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_integral_LDADD = $(arith_test_libraries)
tests_arith_test_kernels_SOURCES = tests/arith/test_kernels.c
tests_arith_test_kernels_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_kernels_LDADD = $(arith_test_libraries)
tests_arith_test_near_tie_SOURCES = tests/arith/test_near_tie.c $(arith_test_sources)
tests_arith_test_near_tie_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_near_tie_LDADD = $(arith_test_libraries)
tests_arith_test_real_SOURCES = tests/arith/test_real.c $(arith_test_sources)
tests_arith_test_real_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_real_LDADD = $(arith_test_libraries)
tests_arith_test_twofold_SOURCES = tests/arith/test_twofold.c
tests_arith_test_twofold_CPPFLAGS = $(arith_test_cppflags)
tests_arith_test_twofold_LDADD = $(arith_test_libraries)
