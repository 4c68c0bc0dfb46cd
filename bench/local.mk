# `make bench`: ratios measured side by side in one run, one line each, NAME RATIO BAR ok|short, and the
# same in bench/results.json of the build tree. Being short of a bar is a finding, not a failure of the
# build.
bench_tools = bench/lemma_d6 bench/measure bench/model bench/moments bench/scan
EXTRA_PROGRAMS += $(bench_tools)
CLEANFILES += $(bench_tools) bench/results.json

bench_lemma_d6_SOURCES = \
  bench/lemma_d6.c \
  bench/rivals.h \
  bench/rival_arb.c \
  bench/rival_avx2.c \
  bench/rival_fmpq.c \
  bench/sweep.c bench/sweep.h
bench_lemma_d6_CFLAGS = $(AM_CFLAGS) -O3
bench_lemma_d6_LDADD = libassay-check.a libassay-source.a libassay-cert.a libassay-lower.a libassay-lang.a \
  libassay-arith.a libassay-tape.a libassay-core.a $(NLOPT_LIBS) $(GLPK_LIBS) $(JANSSON_LIBS) $(NETTLE_LIBS) \
  $(FLINT_LIBS) -lm
bench_measure_SOURCES = bench/measure.c
bench_model_SOURCES = \
  bench/model.c \
  bench/rival_plain.c bench/rival_plain.h
bench_model_CFLAGS = $(AM_CFLAGS) -O3
bench_model_LDADD = libassay-check.a libassay-source.a libassay-dump.a libassay-cert.a libassay-lower.a \
  libassay-lang.a libassay-arith.a libassay-tape.a libassay-core.a $(NLOPT_LIBS) $(GLPK_LIBS) $(JANSSON_LIBS) \
  $(ZLIB_LIBS) \
  $(NETTLE_LIBS) $(FLINT_LIBS) -lpthread -lm

bench_moments_SOURCES = bench/moments.c
bench_moments_LDADD = libassay-lower.a libassay-lang.a libassay-tape.a libassay-core.a $(NETTLE_LIBS) $(FLINT_LIBS) -lpthread

bench_scan_SOURCES = \
  bench/scan.c \
  bench/rival_scan.h \
  bench/rival_scan_libmvec.c \
  bench/rival_scan_plain.c
bench_scan_CFLAGS = $(AM_CFLAGS) -O3
bench_scan_LDADD = libassay-sim.a libassay-arith.a libassay-core.a -ldl -lm

EXTRA_DIST += bench/bench.sh bench/lemma-d6-t2.smt2 bench/mixture.claim bench/model_mpmath.py bench/moments.claim bench/moments_sympy.py bench/scan_numpy.py \
  bench/scan_torch.py

bench: all $(bench_tools)
	@$(MKDIR_P) bench
	-@top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' PYTHON3='$(PYTHON3)' \
	  $(SHELL) $(srcdir)/bench/bench.sh
.PHONY: bench
