sim_measures = tests/sim/test_recall tests/sim/test_similarity tests/sim/test_smoothness tests/sim/test_spread
check_PROGRAMS += $(sim_measures)
TESTS += $(sim_measures) tests/sim/measures.sh
dist_check_SCRIPTS += tests/sim/measures.sh
dist_check_DATA += tests/sim/measures.py

sim_measures_libraries = libassay-sim.a libassay-dump.a libassay-lang.a libassay-arith.a libassay-core.a $(CHECK_LIBS) $(CBLAS_LIBS) \
  $(JANSSON_LIBS) $(ZLIB_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS) -lm
tests_sim_test_recall_SOURCES = tests/sim/test_recall.c
tests_sim_test_recall_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_recall_LDADD = $(sim_measures_libraries)
tests_sim_test_similarity_SOURCES = tests/sim/test_similarity.c
tests_sim_test_similarity_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_similarity_LDADD = $(sim_measures_libraries)
tests_sim_test_smoothness_SOURCES = tests/sim/test_smoothness.c
tests_sim_test_smoothness_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_smoothness_LDADD = $(sim_measures_libraries)
tests_sim_test_spread_SOURCES = tests/sim/test_spread.c
tests_sim_test_spread_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_spread_LDADD = $(sim_measures_libraries)

sim_forms = tests/sim/test_forms tests/sim/test_forms_balls tests/sim/test_forms_special
check_PROGRAMS += $(sim_forms)
TESTS += $(sim_forms)

sim_forms_libraries = libassay-sim.a libassay-arith.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS) -lm
sim_forms_sources = tests/sim/forms_cases.c tests/sim/forms_cases.h
tests_sim_test_forms_SOURCES = tests/sim/test_forms.c $(sim_forms_sources)
tests_sim_test_forms_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_forms_LDADD = $(sim_forms_libraries)
tests_sim_test_forms_balls_SOURCES = tests/sim/test_forms_balls.c tests/sim/forms_balls.c \
  tests/sim/forms_balls.h $(sim_forms_sources)
tests_sim_test_forms_balls_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_forms_balls_LDADD = $(sim_forms_libraries)
tests_sim_test_forms_special_SOURCES = tests/sim/test_forms_special.c $(sim_forms_sources)
tests_sim_test_forms_special_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_forms_special_LDADD = $(sim_forms_libraries)

# Models that run; run_net prints what comes out, for torch_agree.py.
check_PROGRAMS += tests/sim/test_blas tests/sim/test_net tests/sim/test_net_view tests/sim/test_block tests/sim/run_net
TESTS += tests/sim/test_blas tests/sim/test_net tests/sim/test_net_view tests/sim/test_block tests/sim/torch-agree.sh
dist_check_SCRIPTS += tests/sim/torch-agree.sh
dist_check_DATA += tests/sim/torch_agree.py
# Written by torch_agree.py --fixtures.
dist_check_DATA += tests/sim/data/lru.safetensors tests/sim/data/lru-out.safetensors \
  tests/sim/data/mamba1.safetensors tests/sim/data/mamba1-out.safetensors \
  tests/sim/data/mamba2.safetensors tests/sim/data/mamba2-out.safetensors \
  tests/sim/data/rwkv4.safetensors tests/sim/data/rwkv4-out.safetensors \
  tests/sim/data/s4d.safetensors tests/sim/data/s4d-out.safetensors

sim_net_libraries = libassay-sim.a libassay-dump.a libassay-lang.a libassay-arith.a libassay-core.a $(CHECK_LIBS) $(CBLAS_LIBS) \
  $(JANSSON_LIBS) $(ZLIB_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS) -lm
tests_sim_test_blas_SOURCES = tests/sim/test_blas.c
tests_sim_test_blas_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_blas_LDADD = libassay-sim.a libassay-core.a $(CHECK_LIBS) $(CBLAS_LIBS) $(FLINT_LIBS) -lm
tests_sim_test_net_SOURCES = tests/sim/test_net.c tests/sim/net_scene.h tests/sim/made_net.h tests/dump/made_model.h
tests_sim_test_net_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_net_LDADD = $(sim_net_libraries)
tests_sim_test_net_view_SOURCES = tests/sim/test_net_view.c tests/sim/net_scene.h tests/sim/made_net.h tests/dump/made_model.h
tests_sim_test_net_view_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_net_view_LDADD = $(sim_net_libraries)
tests_sim_test_block_SOURCES = tests/sim/test_block.c tests/sim/made_net.h tests/dump/made_model.h
tests_sim_test_block_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_block_LDADD = $(sim_net_libraries)
tests_sim_run_net_SOURCES = tests/sim/run_net.c tests/sim/net_fixture.h
tests_sim_run_net_LDADD = $(sim_net_libraries)

# Influence; run_influence prints what torch_influence.py compares.
sim_influence = tests/sim/test_influence tests/sim/test_influence_scan
check_PROGRAMS += $(sim_influence) tests/sim/run_influence
TESTS += $(sim_influence) tests/sim/torch-influence.sh
dist_check_SCRIPTS += tests/sim/torch-influence.sh
dist_check_DATA += tests/sim/torch_influence.py

tests_sim_test_influence_SOURCES = tests/sim/test_influence.c tests/dump/made_model.h
tests_sim_test_influence_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_influence_LDADD = $(sim_net_libraries)
tests_sim_test_influence_scan_SOURCES = tests/sim/test_influence_scan.c
tests_sim_test_influence_scan_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_influence_scan_LDADD = $(sim_net_libraries)
tests_sim_run_influence_SOURCES = tests/sim/run_influence.c tests/sim/net_fixture.h
tests_sim_run_influence_LDADD = $(sim_net_libraries)

sim_scan = tests/sim/test_scan tests/sim/test_scan_exp
check_PROGRAMS += $(sim_scan)
TESTS += $(sim_scan)

sim_scan_libraries = libassay-sim.a libassay-arith.a libassay-core.a $(CHECK_LIBS) $(FLINT_LIBS) -lm
tests_sim_test_scan_SOURCES = tests/sim/test_scan.c
tests_sim_test_scan_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_scan_LDADD = $(sim_scan_libraries)
tests_sim_test_scan_exp_SOURCES = tests/sim/test_scan_exp.c
tests_sim_test_scan_exp_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_sim_test_scan_exp_LDADD = $(sim_scan_libraries)
