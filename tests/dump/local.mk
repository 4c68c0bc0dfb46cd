check_PROGRAMS += tests/dump/test_safetensors tests/dump/test_mamba
TESTS += tests/dump/test_safetensors tests/dump/test_mamba

tests_dump_test_safetensors_SOURCES = tests/dump/test_safetensors.c tests/dump/bytes.h
tests_dump_test_safetensors_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_safetensors_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS)

tests_dump_test_mamba_SOURCES = tests/dump/test_mamba.c tests/dump/bytes.h
tests_dump_test_mamba_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_mamba_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS)
