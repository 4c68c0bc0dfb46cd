# tests/fuzz: one target per reader of files. With --enable-fuzzing they are libFuzzer's, to be run by hand on
# tests/fuzz/seeds; without, `make check` feeds them the seeds and 400 spoilt copies of each.
check_PROGRAMS += tests/fuzz/fuzz_claim tests/fuzz/fuzz_certificate tests/fuzz/fuzz_safetensors \
  tests/fuzz/fuzz_case tests/fuzz/fuzz_npy tests/fuzz/fuzz_npz tests/fuzz/fuzz_gguf \
  tests/fuzz/fuzz_torch tests/fuzz/fuzz_tokens tests/fuzz/fuzz_table
TESTS += tests/fuzz/replay.sh
dist_check_SCRIPTS += tests/fuzz/replay.sh
if FUZZING
fuzz_driver = tests/fuzz/fuzz.h
else
fuzz_driver = tests/fuzz/fuzz.h tests/fuzz/replay.c
endif
EXTRA_DIST += tests/fuzz/replay.c

tests_fuzz_fuzz_claim_SOURCES = tests/fuzz/fuzz_claim.c $(fuzz_driver)
tests_fuzz_fuzz_claim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_claim_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_claim_LDADD = libassay-lang.a libassay-core.a $(FLINT_LIBS) $(NETTLE_LIBS)

tests_fuzz_fuzz_certificate_SOURCES = tests/fuzz/fuzz_certificate.c $(fuzz_driver)
tests_fuzz_fuzz_certificate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_certificate_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_certificate_LDADD = libassay-cert.a libassay-lang.a libassay-core.a \
  $(FLINT_LIBS) $(JANSSON_LIBS) $(NETTLE_LIBS)

tests_fuzz_fuzz_safetensors_SOURCES = tests/fuzz/fuzz_safetensors.c tests/fuzz/fuzz_dump.h $(fuzz_driver)
tests_fuzz_fuzz_safetensors_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_safetensors_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_safetensors_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_fuzz_fuzz_npy_SOURCES = tests/fuzz/fuzz_npy.c tests/fuzz/fuzz_dump.h $(fuzz_driver)
tests_fuzz_fuzz_npy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_npy_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_npy_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_fuzz_fuzz_npz_SOURCES = tests/fuzz/fuzz_npz.c tests/fuzz/fuzz_dump.h $(fuzz_driver)
tests_fuzz_fuzz_npz_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_npz_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_npz_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_fuzz_fuzz_gguf_SOURCES = tests/fuzz/fuzz_gguf.c tests/fuzz/fuzz_dump.h $(fuzz_driver)
tests_fuzz_fuzz_gguf_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_gguf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_gguf_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_fuzz_fuzz_torch_SOURCES = tests/fuzz/fuzz_torch.c tests/fuzz/fuzz_dump.h $(fuzz_driver)
tests_fuzz_fuzz_torch_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_torch_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_torch_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_fuzz_fuzz_case_SOURCES = tests/fuzz/fuzz_case.c $(fuzz_driver)
tests_fuzz_fuzz_case_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_case_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_case_LDADD = libassay-source.a libassay-core.a $(FLINT_LIBS)

tests_fuzz_fuzz_table_SOURCES = tests/fuzz/fuzz_table.c $(fuzz_driver)
tests_fuzz_fuzz_table_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_table_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_table_LDADD = libassay-lang.a libassay-core.a $(FLINT_LIBS) $(NETTLE_LIBS)

tests_fuzz_fuzz_tokens_SOURCES = tests/fuzz/fuzz_tokens.c $(fuzz_driver)
tests_fuzz_fuzz_tokens_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_tokens_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_tokens_LDADD = libassay-sim.a libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

# list EXTRA_DIST: tests/fuzz/seeds *.claim *.json *.safetensors *.case *.npy *.npz *.gguf *.pt *.pickle *.tokens *.csv
EXTRA_DIST += \
  tests/fuzz/seeds/big.gguf \
  tests/fuzz/seeds/deflated.npz \
  tests/fuzz/seeds/evil.pickle \
  tests/fuzz/seeds/five.pickle \
  tests/fuzz/seeds/fortran.npy \
  tests/fuzz/seeds/four.pickle \
  tests/fuzz/seeds/legacy.pt \
  tests/fuzz/seeds/module.pt \
  tests/fuzz/seeds/none.safetensors \
  tests/fuzz/seeds/one.safetensors \
  tests/fuzz/seeds/small.case \
  tests/fuzz/seeds/small.claim \
  tests/fuzz/seeds/small.csv \
  tests/fuzz/seeds/small.gguf \
  tests/fuzz/seeds/small.json \
  tests/fuzz/seeds/small.npy \
  tests/fuzz/seeds/small.npz \
  tests/fuzz/seeds/small.safetensors \
  tests/fuzz/seeds/small.tokens \
  tests/fuzz/seeds/types.safetensors \
  tests/fuzz/seeds/zero.pickle \
  tests/fuzz/seeds/zip.pt \
  tests/fuzz/seeds/zip64.npz
# end of list
