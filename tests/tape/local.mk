tape_tests = tests/tape/test_copy tests/tape/test_derivative tests/tape/test_solve tests/tape/test_tape
check_PROGRAMS += $(tape_tests)
TESTS += $(tape_tests)

tape_test_libraries = libassay-arith.a libassay-tape.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
tests_tape_test_copy_SOURCES = tests/tape/test_copy.c tests/arith/random_tape.c tests/arith/random_tape.h
tests_tape_test_copy_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_tape_test_copy_LDADD = $(tape_test_libraries)
tests_tape_test_derivative_SOURCES = tests/tape/test_derivative.c
tests_tape_test_derivative_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_tape_test_derivative_LDADD = $(tape_test_libraries)
tests_tape_test_solve_SOURCES = tests/tape/test_solve.c
tests_tape_test_solve_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_tape_test_solve_LDADD = $(tape_test_libraries)
tests_tape_test_tape_SOURCES = tests/tape/test_tape.c
tests_tape_test_tape_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_tape_test_tape_LDADD = $(tape_test_libraries)
