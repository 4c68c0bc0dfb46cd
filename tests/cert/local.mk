# The certificate format.
check_PROGRAMS += tests/cert/test_certificate
TESTS += tests/cert/test_certificate
tests_cert_test_certificate_SOURCES = tests/cert/test_certificate.c
tests_cert_test_certificate_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_cert_test_certificate_LDADD = libassay-cert.a libassay-lang.a libassay-core.a \
  $(CHECK_LIBS) $(JANSSON_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS)
