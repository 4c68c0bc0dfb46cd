noinst_LIBRARIES += libassay-dump.a
libassay_dump_a_SOURCES = \
  src/dump/dump.c src/dump/dump.h \
  src/dump/mamba.c src/dump/mamba.h \
  src/dump/reader.h \
  src/dump/safetensors.c
