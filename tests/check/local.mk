check_tests = tests/check/test_absence tests/check/test_agree tests/check/test_decide tests/check/test_entry \
  tests/check/test_input_path tests/check/test_model_audit tests/check/test_model_claim tests/check/test_recorded \
  tests/check/test_search tests/check/test_shrink tests/check/test_trajectory
check_PROGRAMS += $(check_tests)
TESTS += $(check_tests)

# The judge's evaluator stands beside the tape here, and nowhere else.
check_test_libraries = libassay-verify.a $(assay_libraries) $(CHECK_LIBS) $(NLOPT_LIBS) $(GLPK_LIBS) $(JANSSON_LIBS) \
  $(ZLIB_LIBS) $(NETTLE_LIBS) \
  $(FLINT_LIBS) -lpthread -lm
tests_check_test_absence_SOURCES = tests/check/test_absence.c
tests_check_test_absence_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_absence_LDADD = $(check_test_libraries)
tests_check_test_agree_SOURCES = tests/check/test_agree.c tests/check/random_claim.c tests/check/random_claim.h
tests_check_test_agree_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_agree_LDADD = $(check_test_libraries)
tests_check_test_decide_SOURCES = tests/check/test_decide.c
tests_check_test_decide_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_decide_LDADD = $(check_test_libraries)
tests_check_test_entry_SOURCES = tests/check/test_entry.c tests/dump/made_model.h
tests_check_test_entry_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_entry_LDADD = $(check_test_libraries)
tests_check_test_input_path_SOURCES = tests/check/test_input_path.c tests/dump/made_model.h
tests_check_test_input_path_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_input_path_LDADD = $(check_test_libraries)
tests_check_test_model_audit_SOURCES = tests/check/test_model_audit.c tests/dump/made_model.h
tests_check_test_model_audit_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_model_audit_LDADD = $(check_test_libraries)
tests_check_test_model_claim_SOURCES = tests/check/test_model_claim.c tests/dump/made_model.h
tests_check_test_model_claim_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_model_claim_LDADD = $(check_test_libraries)
tests_check_test_recorded_SOURCES = tests/check/test_recorded.c tests/dump/made_model.h
tests_check_test_recorded_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_recorded_LDADD = $(check_test_libraries)
tests_check_test_search_SOURCES = tests/check/test_search.c
tests_check_test_search_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_search_LDADD = $(check_test_libraries)
tests_check_test_shrink_SOURCES = tests/check/test_shrink.c
tests_check_test_shrink_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_check_test_shrink_LDADD = $(check_test_libraries)
tests_check_test_trajectory_SOURCES = tests/check/test_trajectory.c
tests_check_test_trajectory_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_check_test_trajectory_LDADD = $(check_test_libraries)
