core_tests = tests/core/test_diag tests/core/test_philox tests/core/test_status
check_PROGRAMS += $(core_tests)
TESTS += $(core_tests)

tests_core_test_diag_SOURCES = tests/core/test_diag.c
tests_core_test_diag_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_core_test_diag_LDADD = libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
tests_core_test_philox_SOURCES = tests/core/test_philox.c
tests_core_test_philox_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_core_test_philox_LDADD = libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
tests_core_test_status_SOURCES = tests/core/test_status.c
tests_core_test_status_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_core_test_status_LDADD = libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
