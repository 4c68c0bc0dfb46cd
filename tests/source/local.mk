check_PROGRAMS += tests/source/test_case_file
TESTS += tests/source/test_case_file
tests_source_test_case_file_SOURCES = tests/source/test_case_file.c
tests_source_test_case_file_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_source_test_case_file_LDADD = libassay-source.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
