noinst_LIBRARIES += libassay-dump.a
libassay_dump_a_SOURCES = \
  src/dump/blocks.c src/dump/blocks.h \
  src/dump/config.c \
  src/dump/decode.c \
  src/dump/dump.h \
  src/dump/error.c \
  src/dump/folder.c \
  src/dump/gguf.c src/dump/gguf.h \
  src/dump/gguf_type.c src/dump/gguf_value.c \
  src/dump/json_text.c src/dump/json_text.h \
  src/dump/model.c src/dump/model.h \
  src/dump/model_shape.c src/dump/model_shape.h \
  src/dump/npy.c src/dump/npy.h \
  src/dump/npz.c \
  src/dump/npz_write.c src/dump/npz_write.h \
  src/dump/octets.h \
  src/dump/open.c src/dump/open.h \
  src/dump/pickle.c src/dump/pickle.h \
  src/dump/pickle_build.c src/dump/pickle_build.h \
  src/dump/pickle_push.c src/dump/pickle_text.c src/dump/pickle_value.c \
  src/dump/reader.c src/dump/reader.h \
  src/dump/safetensors.c \
  src/dump/segment.c \
  src/dump/shards.c \
  src/dump/statistics.c src/dump/statistics.h \
  src/dump/torch.c src/dump/torch.h \
  src/dump/torch_kind.c src/dump/torch_kind.h \
  src/dump/torch_legacy.c \
  src/dump/torch_numpy.c \
  src/dump/torch_storage.c src/dump/torch_storage.h \
  src/dump/torch_tensor.c \
  src/dump/torch_zip.c \
  src/dump/types.c \
  src/dump/zip.c src/dump/zip.h \
  src/dump/zip_read.c

# What writes the small files under tests/dump/data.
EXTRA_DIST += tools/make-dump-fixtures.py tools/make-torch-fixtures.py tools/make-block-table.py tools/make-safetensors-fixtures.py
