source_tests = tests/source/test_draw tests/source/test_grid tests/source/test_simplest
check_PROGRAMS += $(source_tests) tests/source/test_case_file
TESTS += $(source_tests) tests/source/test_case_file
source_test_libraries = libassay-source.a libassay-lower.a libassay-lang.a libassay-arith.a libassay-tape.a \
  libassay-core.a $(CHECK_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS)
tests_source_test_draw_SOURCES = tests/source/test_draw.c tests/source/tape_of.h
tests_source_test_draw_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_source_test_draw_LDADD = $(source_test_libraries)
tests_source_test_grid_SOURCES = tests/source/test_grid.c tests/source/tape_of.h
tests_source_test_grid_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_source_test_grid_LDADD = $(source_test_libraries)
tests_source_test_simplest_SOURCES = tests/source/test_simplest.c
tests_source_test_simplest_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_source_test_simplest_LDADD = libassay-source.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
tests_source_test_case_file_SOURCES = tests/source/test_case_file.c
tests_source_test_case_file_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_source_test_case_file_LDADD = libassay-source.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS)
