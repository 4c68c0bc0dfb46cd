check_PROGRAMS += tests/dump/test_safetensors tests/dump/test_model
TESTS += tests/dump/test_safetensors tests/dump/test_model

tests_dump_test_safetensors_SOURCES = tests/dump/test_safetensors.c tests/dump/bytes.h tests/dump/fixture.h
tests_dump_test_safetensors_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_safetensors_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_dump_test_model_SOURCES = tests/dump/test_model.c tests/dump/made_model.h
tests_dump_test_model_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_model_LDADD = libassay-dump.a libassay-lang.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) \
  $(ZLIB_LIBS) $(NETTLE_LIBS) $(FLINT_LIBS)

check_PROGRAMS += tests/dump/test_decode tests/dump/test_reader tests/dump/test_shards
TESTS += tests/dump/test_decode tests/dump/test_reader tests/dump/test_shards tests/dump/safetensors.sh
dist_check_SCRIPTS += tests/dump/safetensors.sh
dist_check_DATA += tests/dump/safetensors_values.py

tests_dump_test_decode_SOURCES = tests/dump/test_decode.c tests/dump/made.h
tests_dump_test_decode_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_decode_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
tests_dump_test_reader_SOURCES = tests/dump/test_reader.c tests/dump/made.h
tests_dump_test_reader_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_reader_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
tests_dump_test_shards_SOURCES = tests/dump/test_shards.c tests/dump/bytes.h
tests_dump_test_shards_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_shards_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/dump/test_zip tests/dump/test_npy tests/dump/test_npz_write tests/dump/test_gguf \
  tests/dump/list_values
TESTS += tests/dump/test_zip tests/dump/test_npy tests/dump/test_npz_write tests/dump/test_gguf tests/dump/numpy.sh
dist_check_SCRIPTS += tests/dump/numpy.sh
dist_check_DATA += tests/dump/numpy_values.py

tests_dump_test_zip_SOURCES = tests/dump/test_zip.c tests/dump/fixture.h
tests_dump_test_zip_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_zip_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_dump_test_npy_SOURCES = tests/dump/test_npy.c tests/dump/fixture.h
tests_dump_test_npy_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_npy_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_dump_test_npz_write_SOURCES = tests/dump/test_npz_write.c
tests_dump_test_npz_write_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_npz_write_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_dump_test_gguf_SOURCES = tests/dump/test_gguf.c tests/dump/fixture.h
tests_dump_test_gguf_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_gguf_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

# What other programs are held against.
tests_dump_list_values_SOURCES = tests/dump/list_values.c
tests_dump_list_values_LDADD = libassay-dump.a libassay-core.a $(JANSSON_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/dump/test_pickle tests/dump/test_torch
TESTS += tests/dump/test_pickle tests/dump/test_torch tests/dump/torch.sh
dist_check_SCRIPTS += tests/dump/torch.sh
dist_check_DATA += tests/dump/torch_values.py

tests_dump_test_pickle_SOURCES = tests/dump/test_pickle.c tests/dump/fixture.h
tests_dump_test_pickle_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_pickle_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

tests_dump_test_torch_SOURCES = tests/dump/test_torch.c tests/dump/fixture.h
tests_dump_test_torch_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_dump_test_torch_LDADD = libassay-dump.a libassay-core.a $(CHECK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)

# list EXTRA_DIST: tests/dump/data *
EXTRA_DIST += \
  tests/dump/data/a.npy \
  tests/dump/data/b.npy \
  tests/dump/data/bad-after.pt \
  tests/dump/data/bad-array.pt \
  tests/dump/data/bad-beyond.pt \
  tests/dump/data/bad-class.pt \
  tests/dump/data/bad-few.pt \
  tests/dump/data/bad-lying.pt \
  tests/dump/data/bad-missing.pt \
  tests/dump/data/bad-name.pt \
  tests/dump/data/bad-negative-offset.pt \
  tests/dump/data/bad-negative-size.pt \
  tests/dump/data/bad-negative-stride.pt \
  tests/dump/data/bad-order.pt \
  tests/dump/data/bad-overflow-size.pt \
  tests/dump/data/bad-overflow-storage.pt \
  tests/dump/data/bad-overflow-stride.pt \
  tests/dump/data/bad-rank.pt \
  tests/dump/data/bad-short.pt \
  tests/dump/data/bad-spread.pt \
  tests/dump/data/bad-strides.pt \
  tests/dump/data/bad-surrogate.pt \
  tests/dump/data/bad-twice.pt \
  tests/dump/data/bad-version.pt \
  tests/dump/data/bare.pt \
  tests/dump/data/big.pt \
  tests/dump/data/blocks.txt \
  tests/dump/data/c.npy \
  tests/dump/data/deep.pickle \
  tests/dump/data/deflated.pt \
  tests/dump/data/evil.pickle \
  tests/dump/data/laughs.pickle \
  tests/dump/data/legacy-4.pt \
  tests/dump/data/legacy-big.pt \
  tests/dump/data/legacy-count.pt \
  tests/dump/data/legacy-keys.pt \
  tests/dump/data/legacy-module.pt \
  tests/dump/data/legacy-other.pt \
  tests/dump/data/legacy.pt \
  tests/dump/data/module.pt \
  tests/dump/data/numpy-2.pickle \
  tests/dump/data/numpy-4.pickle \
  tests/dump/data/numpy-5.pickle \
  tests/dump/data/numpy-deflated.pt \
  tests/dump/data/numpy.pt \
  tests/dump/data/part-00001-of-00002.gguf \
  tests/dump/data/part-00002-of-00002.gguf \
  tests/dump/data/parts.pt \
  tests/dump/data/small.gguf \
  tests/dump/data/text-streamed-bare-wide.zip \
  tests/dump/data/text-streamed-bare.zip \
  tests/dump/data/text-streamed-signed-wide.zip \
  tests/dump/data/text-streamed-signed.zip \
  tests/dump/data/text-zip64.zip \
  tests/dump/data/text.zip \
  tests/dump/data/two-deflated.npz \
  tests/dump/data/two-zip64.npz \
  tests/dump/data/two.npz \
  tests/dump/data/types-deflated.npz \
  tests/dump/data/types.npz \
  tests/dump/data/types.pt \
  tests/dump/data/types.safetensors \
  tests/dump/data/v2.gguf \
  tests/dump/data/v3-big.gguf \
  tests/dump/data/v3.gguf \
  tests/dump/data/values-0.pickle \
  tests/dump/data/values-1.pickle \
  tests/dump/data/values-2.pickle \
  tests/dump/data/values-3.pickle \
  tests/dump/data/values-4.pickle \
  tests/dump/data/values-5.pickle \
  tests/dump/data/views.pt
# end of list
