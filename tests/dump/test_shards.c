/* Models in several files: indexes of shards, numbered parts, folders, and a config.json beside. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "dump/dump.h"

static char folder[64];

static const char *at(const char *name)
{
  static char paths[4][400];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void setup(void)
{
  strcpy(folder, "assay-test-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
  DIR *all = opendir(folder);
  for (const struct dirent *entry = readdir(all); entry != NULL; entry = readdir(all))
    if (entry->d_name[0] != '.' && remove(at(entry->d_name)) != 0) {
      char inner[800];
      snprintf(inner, sizeof inner, "%s/in.safetensors", at(entry->d_name));
      unlink(inner);
      rmdir(at(entry->d_name));
    }
  closedir(all);
  rmdir(folder);
}

static void write_file(const char *name, const void *data, size_t length)
{
  FILE *out = fopen(at(name), "wb");
  ck_assert_ptr_nonnull(out);
  ck_assert_uint_eq(fwrite(data, 1, length, out), length);
  fclose(out);
}

static void write_text(const char *name, const char *text)
{
  write_file(name, text, strlen(text));
}

/* One value under each of up to two names. */
static void write_shard(const char *name, const char *a, float x, const char *b, float y)
{
  char header[256];
  float values[2] = {x, y};
  int n = snprintf(header, sizeof header,
                   "{\"__metadata__\":{\"from\":\"%s\"},\"%s\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[0,4]}",
                   name, a);
  if (b != NULL)
    n += snprintf(header + n, sizeof header - (size_t)n,
                  ",\"%s\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}", b);
  snprintf(header + n, sizeof header - (size_t)n, "}");
  bytes made = bytes_make(header, values, b != NULL ? 8 : 4);
  write_file(name, made.data, made.length);
  free(made.data);
}

static dump_file *open_good(const char *path)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  if (file == NULL)
    ck_abort_msg("%s: %s (byte %llu)", error.file, error.message, (unsigned long long)error.offset);
  return file;
}

/* offset -1: without. */
static void expect_error(const char *path, const char *where, long long offset, const char *part)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_msg(file == NULL, "accepted, where this was expected: %s", part);
  ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" lacks \"%s\"", error.message, part);
  ck_assert_str_eq(error.file, where);
  ck_assert_msg(error.has_offset ? offset == (long long)error.offset : offset < 0,
                "%s: offset %lld, not %lld", error.message, error.has_offset ? (long long)error.offset : -1,
                offset);
  dump_error_clear(&error);
}

static double value_of(const dump_file *file, const char *name)
{
  double value;
  dump_error error;
  dump_error_init(&error);
  const dump_tensor *tensor = dump_find(file, name);
  ck_assert_msg(tensor != NULL, "no tensor %s", name);
  ck_assert_int_eq(dump_values(file, &value, tensor, 0, 1, &error), STATUS_OK);
  return value;
}

static void write_index(const char *map)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"metadata\": {\"total_size\": 12, \"weight_map\": {}}, \"weight_map\": %s}\n", map);
  write_text("m.safetensors.index.json", text);
}

/* Where the text stands in the index. */
static long long place(const char *what)
{
  char text[1024] = {0};
  FILE *in = fopen(at("m.safetensors.index.json"), "rb");
  size_t length = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  ck_assert_uint_gt(length, 0);
  ck_assert_ptr_nonnull(strstr(text, what));
  return strstr(text, what) - text;
}

START_TEST(test_index)
{
  write_shard("s1", "a", 1, "b", 2);
  mkdir(at("sub"), 0700);
  write_shard("sub/in.safetensors", "c", 3, NULL, 0);
  write_index("{\"c\": \"sub/in.safetensors\", \"a\": \"s1\", \"b\": \"s1\"}");
  dump_file *file = open_good(at("m.safetensors.index.json"));
  ck_assert_uint_eq(dump_count(file), 3);
  ck_assert(value_of(file, "a") == 1 && value_of(file, "b") == 2 && value_of(file, "c") == 3);
  ck_assert_str_eq(dump_container(file), "safetensors");
  ck_assert_str_eq(dump_name(file), at("m.safetensors.index.json"));
  ck_assert_uint_eq(dump_segment_count(file), 2);
  ck_assert_str_eq(dump_get_segment(file, dump_find(file, "c")->segment).name, at("sub/in.safetensors"));
  ck_assert_str_eq(dump_note(file, "from"), "s1");
  dump_close(file);
  file = open_good(folder); /* the same by the folder, even with another file in it */
  ck_assert_uint_eq(dump_count(file), 3);
  dump_close(file);
}
END_TEST

START_TEST(test_bad_index)
{
  char index[256];
  strcpy(index, at("m.safetensors.index.json"));
  write_shard("s1", "a", 1, "b", 2);
  write_shard("s2", "c", 3, NULL, 0);
  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"c\": \"s2\"}");
  dump_close(open_good(index));

  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"c\": \"s3\"}");
  expect_error(index, index, place("\"c\""), "tensor \"c\": there is no file \"s3\"");
  write_index("{\"a\": \"s1\", \"c\": \"s2\"}");
  long long end =
      8 + (long long)strlen("{\"__metadata__\":{\"from\":\"s1\"},\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                            "\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],"
                            "\"data_offsets\":[4,8]}}");
  expect_error(index, at("s1"), end + 4, "tensor \"b\" is not in the index");
  write_index("{\"a\": \"s1\", \"b\": \"s2\", \"c\": \"s2\"}");
  expect_error(index, at("s1"), end + 4, "the index names \"s2\"");
  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"c\": \"s2\", \"d\": \"s2\"}");
  expect_error(index, index, place("\"d\""), "tensor \"d\": it is not in its file \"s2\"");
  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"a\": \"s2\"}");
  expect_error(index, index, place("\"a\": \"s2\""), "occurs twice");
  write_index("{\"a\": \"s1\", \"b\": 3}");
  expect_error(index, index, place("\"b\""), "its file is no string");
  static const char *const escapes[] = {"../s1", "/etc/passwd", "s/../../s1", "./s1", "sub//s1",
                                        "",      "..",          "s1/"};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    char map[64];
    snprintf(map, sizeof map, "{\"a\": \"s1\", \"b\": \"%s\"}", escapes[i]);
    write_index(map);
    expect_error(index, index, place("\"b\""), "not inside the folder");
  }
  /* The same tensor in two shards, one of which the index cannot name. */
  write_shard("s3", "a", 7, "d", 8);
  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"d\": \"s3\"}");
  expect_error(index, at("s3"), end, "tensor \"a\" is in this shard, but the index names \"s1\"");
  /* One shard under two names. */
  ck_assert_int_eq(link(at("s1"), at("s5")), 0);
  write_index("{\"a\": \"s1\", \"b\": \"s5\"}");
  expect_error(index, at("s1"), end + 4, "tensor \"b\" is in this shard, but the index names \"s5\"");
  /* A shard that is damaged, or of another kind. */
  write_text("s4", "nothing of the kind");
  write_index("{\"a\": \"s1\", \"b\": \"s1\", \"d\": \"s4\"}");
  expect_error(index, at("s4"), 0, "no parameter file of a known kind");
  write_index("{}");
  expect_error(index, index, 0, "names no tensor");
  write_index("[]");
  expect_error(index, index, 0, "no object \"weight_map\"");
  write_text("m.safetensors.index.json", "{\"a\": ");
  expect_error(index, index, 6, "the index of shards");
  write_text("m.safetensors.index.json", "{\"weight_map\": {\"a\": \"s1\"}}");
  dump_limits limits = dump_limits_default();
  limits.header_bytes = 20;
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_open(index, &limits, &error));
  ck_assert_ptr_nonnull(strstr(error.message, "exceeds the limit of 20 bytes"));
  dump_error_clear(&error);
}
END_TEST

START_TEST(test_parts)
{
  write_shard("m-00001-of-00003.safetensors", "a", 1, NULL, 0);
  write_shard("m-00002-of-00003.safetensors", "b", 2, NULL, 0);
  write_shard("m-00003-of-00003.safetensors", "c", 3, NULL, 0);
  dump_file *file = open_good(folder);
  ck_assert_uint_eq(dump_count(file), 3);
  ck_assert(value_of(file, "a") == 1 && value_of(file, "c") == 3);
  ck_assert_str_eq(dump_get(file, 1)->name, "b");
  dump_close(file);
  file = open_good(at("m-00002-of-00003.safetensors")); /* by itself, when it is named */
  ck_assert_uint_eq(dump_count(file), 1);
  dump_close(file);
  unlink(at("m-00002-of-00003.safetensors"));
  expect_error(folder, at("m-00002-of-00003.safetensors"), -1, "cannot open");
  unlink(at("m-00003-of-00003.safetensors"));
  expect_error(folder, at("m-00002-of-00003.safetensors"), -1, "cannot open");
  write_shard("m-00002-of-00003.safetensors", "a", 2, NULL, 0);
  write_shard("m-00003-of-00003.safetensors", "c", 3, NULL, 0);
  /* 8 bytes of length, then the header. */
  expect_error(
      folder, at("m-00002-of-00003.safetensors"),
      8 + (long long)strlen("{\"__metadata__\":{\"from\":\"m-00002-of-00003.safetensors\"},\"a\":{\"dtype\":"
                            "\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"),
      "tensor \"a\" occurs twice");
}
END_TEST

/* The bytes of a file under tests/dump/data, into the folder. */
static void copy_part(const char *from, const char *to)
{
  const char *top = getenv("top_srcdir");
  char path[4096], data[4096];
  snprintf(path, sizeof path, "%s/tests/dump/data/%s", top != NULL ? top : ".", from);
  FILE *in = fopen(path, "rb");
  ck_assert_msg(in != NULL, "cannot open %s", path);
  size_t length = fread(data, 1, sizeof data, in);
  fclose(in);
  ck_assert_uint_lt(length, sizeof data);
  write_file(to, data, length);
}

/* GGUF parts know that they are some; the two of tests/dump/data hold three tensors. */
START_TEST(test_gguf_parts)
{
  static const char one[] = "part-00001-of-00002.gguf", two[] = "part-00002-of-00002.gguf";
  copy_part(one, one);
  copy_part(two, two);
  for (int way = 0; way < 3; way++) { /* either part stands for the whole */
    dump_file *file = open_good(way == 0 ? folder : at(way == 1 ? one : two));
    ck_assert_uint_eq(dump_count(file), 3);
    ck_assert(value_of(file, "third") == 4);
    ck_assert_str_eq(dump_container(file), "GGUF");
    ck_assert_str_eq(dump_note(file, "split.no"), "0");
    dump_close(file);
  }
  unlink(at(two));
  expect_error(at(one), at(two), -1, "cannot open");
  copy_part(one, two); /* repeated */
  expect_error(folder, at(two), -1,
               "by its name it is part 2 of 2, but its split.no is \"0\" and split.count \"2\"");
  unlink(at(two));
  unlink(at(one));
  copy_part(one, "m-00001-of-00001.gguf"); /* all of one */
  expect_error(folder, at("m-00001-of-00001.gguf"), -1, "its name it is part 1 of 1");
  unlink(at("m-00001-of-00001.gguf"));
  copy_part(two, "m.gguf");
  expect_error(at("m.gguf"), at("m.gguf"), -1, "its name is not like");
  unlink(at("m.gguf"));
  copy_part(one, one); /* another file in the place of the second */
  write_shard(two, "a", 1, NULL, 0);
  expect_error(at(one), at(two), 0, "a shard of another kind (safetensors) than those before it (GGUF)");
  copy_part("small.gguf", two);
  expect_error(at(one), at(two), -1, "its split.no is \"\"");
}
END_TEST

/* Values that have been given back are there again. */
START_TEST(test_release)
{
  write_shard("w", "a", 1, "b", 2);
  dump_file *file = open_good(at("w"));
  for (int i = 0; i < 3; i++) {
    ck_assert(value_of(file, "a") == 1 && value_of(file, "b") == 2);
    dump_release(file, dump_find(file, "a"));
  }
  dump_close(file);
}
END_TEST

START_TEST(test_folder)
{
  expect_error(folder, folder, -1, "no parameter file");
  write_text("README", "Hello");
  write_text(".hidden.safetensors", "");
  expect_error(folder, folder, -1, "no parameter file");
  write_shard("weights", "a", 1, NULL, 0); /* told by content */
  dump_file *file = open_good(folder);
  ck_assert_str_eq(dump_name(file), at("weights"));
  dump_close(file);
  write_shard("optimizer.pt", "b", 1, NULL, 0);
  write_shard("training_args.bin", "b", 1, NULL, 0);
  file = open_good(folder);
  ck_assert_str_eq(dump_name(file), at("weights"));
  dump_close(file);
  write_file("again.npy", "\x93NUMPY\1\0", 8);
  file = open_good(folder); /* the safetensors file goes before others */
  ck_assert_str_eq(dump_name(file), at("weights"));
  dump_close(file);
  write_shard("other", "a", 1, NULL, 0);
  expect_error(folder, folder, -1, "name the one that is meant: \"again.npy\", \"other\", \"weights\"");
  char slash[80];
  snprintf(slash, sizeof slash, "%s/", folder);
  expect_error(slash, slash, -1, "several parameter files");
  write_text("x.index.json", "{}");
  write_text("y.index.json", "{}");
  expect_error(folder, folder, -1, "several indexes of shards");
  unlink(at(".hidden.safetensors"));
}
END_TEST

START_TEST(test_config)
{
  write_shard("w", "a", 1, NULL, 0);
  write_text(
      "config.json",
      "{\"d_model\": 768, \"eps\": 1e-05, \"tie\": true, \"kind\": \"mamba\\\"Infinity\", \"none\": null,\n"
      " \"limit\": [0.0, Infinity], \"ssm_cfg\": {\"layer\": {\"n\": -Infinity}}, \"x\": NaN}");
  for (int by_folder = 0; by_folder < 2; by_folder++) {
    dump_file *file = open_good(by_folder ? folder : at("w"));
    ck_assert_str_eq(dump_note(file, "config.d_model"), "768");
    ck_assert_str_eq(dump_note(file, "config.tie"), "true");
    ck_assert_str_eq(dump_note(file, "config.kind"), "mamba\"Infinity");
    ck_assert_str_eq(dump_note(file, "config.none"), "null");
    ck_assert_str_eq(dump_note(file, "config.limit"), "[0.0,\"Infinity\"]");
    ck_assert_str_eq(dump_note(file, "config.ssm_cfg.layer.n"), "-Infinity");
    ck_assert_str_eq(dump_note(file, "config.x"), "NaN");
    ck_assert_ptr_null(dump_note(file, "config.json"));
    dump_close(file);
  }
  write_text("config.json", "{\"d_model\": 768");
  dump_file *file = open_good(at("w")); /* no reason to refuse the model */
  ck_assert_ptr_nonnull(strstr(dump_note(file, "config.json"), "not read: "));
  dump_close(file);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("shards");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_checked_fixture(all, setup, teardown);
  tcase_add_test(all, test_index);
  tcase_add_test(all, test_bad_index);
  tcase_add_test(all, test_parts);
  tcase_add_test(all, test_gguf_parts);
  tcase_add_test(all, test_release);
  tcase_add_test(all, test_folder);
  tcase_add_test(all, test_config);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
