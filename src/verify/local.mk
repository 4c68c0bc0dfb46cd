noinst_LIBRARIES += libassay-verify.a
libassay_verify_a_SOURCES = \
  src/verify/ball.c \
  src/verify/broken.c src/verify/broken.h \
  src/verify/deep.c src/verify/deep.h \
  src/verify/dual.c src/verify/dual.h \
  src/verify/element.c \
  src/verify/evaluate.c src/verify/evaluate.h src/verify/evaluate_internal.h \
  src/verify/expansion.c src/verify/expansion.h \
  src/verify/integral.c src/verify/integral.h src/verify/integrand.c \
  src/verify/judge.c src/verify/judge.h \
  src/verify/number.c src/verify/number.h \
  src/verify/numbers.h \
  src/verify/random.c src/verify/random.h \
  src/verify/series.c src/verify/series.h src/verify/series_functions.c \
  src/verify/truth.c

bin_PROGRAMS += assay-verify
assay_verify_SOURCES = src/verify/main.c
assay_verify_LDADD = libassay-verify.a libassay-cert.a libassay-lang.a libassay-core.a \
  $(JANSSON_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS) -lpthread
