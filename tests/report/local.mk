report_tests = tests/report/test_model tests/report/test_page tests/report/test_results
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
dist_check_DATA += tests/report/contradictions.py tests/report/junit.py tests/report/validate.py reports/sample-page.txt reports/sample-results.json

tests_report_test_model_SOURCES = tests/report/test_model.c tests/dump/made_model.h
tests_report_test_model_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_model_LDADD = $(report_libraries)

report_libraries = $(assay_libraries) $(CHECK_LIBS) $(NLOPT_LIBS) $(GLPK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) \
  $(NETTLE_LIBS) $(FLINT_LIBS) \
  -lpthread -lm
tests_report_test_page_SOURCES = tests/report/test_page.c tests/report/made.h
tests_report_test_page_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_page_LDADD = $(report_libraries)
tests_report_test_results_SOURCES = tests/report/test_results.c tests/report/made.h
tests_report_test_results_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_report_test_results_LDADD = $(report_libraries)
