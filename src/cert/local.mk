noinst_LIBRARIES += libassay-cert.a
libassay_cert_a_SOURCES = \
  src/cert/certificate.c src/cert/certificate.h \
  src/cert/document.c src/cert/document.h \
  src/cert/exact.c src/cert/exact.h \
  src/cert/instance.c src/cert/instance.h \
  src/cert/match.c
