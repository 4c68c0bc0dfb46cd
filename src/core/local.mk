noinst_LIBRARIES += libassay-core.a
libassay_core_a_SOURCES = \
  src/core/diag.c src/core/diag.h \
  src/core/flint.h \
  src/core/key_map.c src/core/key_map.h \
  src/core/limits.h \
  src/core/memory.c src/core/memory.h \
  src/core/patience.c src/core/patience.h \
  src/core/philox.c src/core/philox.h \
  src/core/rational.c src/core/rational.h \
  src/core/status.c src/core/status.h \
  src/core/target.h \
  src/core/text.c src/core/text.h
