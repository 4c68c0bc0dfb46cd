# tests/fuzz: one target per reader of files. With --enable-fuzzing they are libFuzzer's, to be run by hand on
# tests/fuzz/seeds; without, `make check` feeds them the seeds and 400 spoilt copies of each.
check_PROGRAMS += tests/fuzz/fuzz_claim tests/fuzz/fuzz_certificate tests/fuzz/fuzz_safetensors \
  tests/fuzz/fuzz_case
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

tests_fuzz_fuzz_safetensors_SOURCES = tests/fuzz/fuzz_safetensors.c $(fuzz_driver)
tests_fuzz_fuzz_safetensors_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_safetensors_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_safetensors_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS)

tests_fuzz_fuzz_case_SOURCES = tests/fuzz/fuzz_case.c $(fuzz_driver)
tests_fuzz_fuzz_case_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_case_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_case_LDADD = libassay-source.a libassay-core.a $(FLINT_LIBS)

# list EXTRA_DIST: tests/fuzz/seeds *.claim *.json *.safetensors *.case
EXTRA_DIST += \
  tests/fuzz/seeds/small.case \
  tests/fuzz/seeds/small.claim \
  tests/fuzz/seeds/small.json \
  tests/fuzz/seeds/small.safetensors
# end of list
