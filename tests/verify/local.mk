# The judge: its evaluator, and its verdict on certificates that were changed.
verify_libraries = libassay-verify.a libassay-cert.a libassay-lang.a libassay-core.a \
  $(CHECK_LIBS) $(JANSSON_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS) -lpthread

check_PROGRAMS += tests/verify/test_evaluate
TESTS += tests/verify/test_evaluate
tests_verify_test_evaluate_SOURCES = tests/verify/test_evaluate.c tests/verify/probe.h
tests_verify_test_evaluate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_verify_test_evaluate_LDADD = $(verify_libraries)

check_PROGRAMS += tests/verify/test_mutate
TESTS += tests/verify/test_mutate
tests_verify_test_mutate_SOURCES = tests/verify/test_mutate.c
tests_verify_test_mutate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_verify_test_mutate_LDADD = $(verify_libraries)

check_PROGRAMS += tests/verify/test_random
TESTS += tests/verify/test_random
tests_verify_test_random_SOURCES = tests/verify/test_random.c tests/verify/probe.h
tests_verify_test_random_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_verify_test_random_LDADD = $(verify_libraries)

check_PROGRAMS += tests/verify/test_integral
TESTS += tests/verify/test_integral
tests_verify_test_integral_SOURCES = tests/verify/test_integral.c tests/verify/probe.h
tests_verify_test_integral_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_verify_test_integral_LDADD = $(verify_libraries)
