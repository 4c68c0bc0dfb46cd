/* Recognising Mamba-1 by tensor names. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "dump/mamba.h"

/* Opens a file of U8 tensors (the types do not matter here), described as "NAME ROWS COLUMNS" triples;
 * COLUMNS -1: one dimension. */
typedef struct {
  const char *name;
  int rows, columns;
} shape;

typedef struct {
  bytes made;
  dump_file *file;
} model_file;

static model_file make(const shape *shapes, size_t count)
{
  char header[8192] = "{", one[512];
  int at = 0;
  for (size_t i = 0; i < count; i++) {
    int size = shapes[i].rows * (shapes[i].columns < 0 ? 1 : shapes[i].columns);
    if (shapes[i].columns < 0)
      snprintf(one, sizeof one, "%s\"%s\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[%d,%d]}",
               i > 0 ? "," : "", shapes[i].name, shapes[i].rows, at, at + size);
    else
      snprintf(one, sizeof one, "%s\"%s\":{\"dtype\":\"U8\",\"shape\":[%d,%d],\"data_offsets\":[%d,%d]}",
               i > 0 ? "," : "", shapes[i].name, shapes[i].rows, shapes[i].columns, at, at + size);
    strcat(header, one);
    at += size;
  }
  strcat(header, "}");
  model_file m;
  m.made = bytes_make(header, NULL, (size_t)at);
  dump_error error;
  dump_error_init(&error);
  m.file = dump_read_safetensors("made", m.made.data, m.made.length, &error);
  ck_assert_msg(m.file != NULL, "%s", error.message);
  return m;
}

static void drop(model_file *m)
{
  dump_close(m->file);
  free(m->made.data);
}

START_TEST(test_layers)
{
  static const shape shapes[] = {
      {"backbone.layers.10.mixer.A_log", 3, 2},
      {"backbone.layers.10.mixer.dt_proj.bias", 3, -1},
      {"backbone.layers.10.mixer.D", 3, -1},
      {"backbone.layers.2.mixer.dt_proj.bias", 4, -1},
      {"backbone.layers.2.mixer.A_log", 4, 5},
      {"other.A_log", 2, 2},
      {"head.A_log", 4, -1},
      {"head.dt_bias", 4, -1},
      {"odd.A_log", 4, -1},
      {"odd.dt_proj.bias", 4, -1},
      {"A_log", 1, 1},
      {"dt_proj.bias", 1, -1},
      {"A_log.scale", 1, 1},
  };
  model_file m = make(shapes, sizeof shapes / sizeof *shapes);
  mamba_model model;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(mamba_recognise(&model, m.file, &error), STATUS_OK);
  ck_assert_uint_eq(model.count, 3);
  ck_assert_str_eq(model.layers[0].name, "");
  ck_assert_str_eq(model.layers[1].name, "backbone.layers.2.mixer");
  ck_assert_str_eq(model.layers[2].name, "backbone.layers.10.mixer");
  ck_assert_uint_eq(model.layers[1].channels, 4);
  ck_assert_uint_eq(model.layers[1].states, 5);
  ck_assert_str_eq(model.layers[2].dt_bias->name, "backbone.layers.10.mixer.dt_proj.bias");
  ck_assert_uint_eq(model.stray_count, 3);
  ck_assert_str_eq(model.strays[0].reason, "there is no dt_proj.bias beside it");
  ck_assert_str_eq(model.strays[1].reason, "one decay per head, as in Mamba-2");
  ck_assert_str_eq(model.strays[2].reason, "its shape is not [D, N]");
  mamba_clear(&model);
  drop(&m);
}
END_TEST

START_TEST(test_nothing)
{
  static const shape shapes[] = {{"time_decay", 1, -1}, {"x.A_log", 2, 2}};
  model_file m = make(shapes, 2);
  mamba_model model;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(mamba_recognise(&model, m.file, &error), STATUS_BAD_INPUT);
  ck_assert_uint_eq(model.count, 0);
  ck_assert_str_eq(error.message,
                   "no Mamba-1 layer found (A_log of shape [D, N] beside dt_proj.bias of shape [D]); "
                   "\"x.A_log\": there is no dt_proj.bias beside it; "
                   "it holds 2 tensors: \"time_decay\", \"x.A_log\"");
  ck_assert(!error.has_offset);
  drop(&m);

  m = make(NULL, 0);
  ck_assert_int_eq(mamba_recognise(&model, m.file, &error), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(error.message, "it holds 0 tensors"));
  dump_error_clear(&error);
  drop(&m);
}
END_TEST

START_TEST(test_contradiction)
{
  static const shape shapes[] = {{"x.A_log", 2, 3}, {"x.dt_proj.bias", 3, -1}};
  model_file m = make(shapes, 2);
  mamba_model model;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(mamba_recognise(&model, m.file, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message,
                   "tensor \"x.dt_proj.bias\" has 3 values where the 2 rows of \"x.A_log\" want one each");
  ck_assert_uint_eq(error.offset, m.made.length - 3);
  dump_error_clear(&error);
  drop(&m);
}
END_TEST

START_TEST(test_order)
{
  static const char *const sorted[] = {"",
                                       "a",
                                       "a0b",
                                       "a1",
                                       "a1b",
                                       "a2",
                                       "a02b",
                                       "a2c",
                                       "a10",
                                       "a10.9",
                                       "a10.10",
                                       "a99999999999999999999",
                                       "a100000000000000000000",
                                       "b"};
  size_t count = sizeof sorted / sizeof *sorted;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      int order = mamba_compare_names(sorted[i], sorted[j]);
      ck_assert_msg((order > 0) - (order < 0) == (i > j) - (i < j), "%s, %s: %d", sorted[i], sorted[j],
                    order);
    }
  ck_assert_int_lt(mamba_compare_names("a07", "a7"), 0); /* equal but for the bytes */
}
END_TEST

/* A file from elsewhere, where it is at hand: names and shapes as another program listed them. */
START_TEST(test_from_elsewhere)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/../shared/data/dumps/repacked-mamba1-radio-positioning.safetensors",
           top ? top : ".");
  if (access(path, R_OK) != 0)
    return;
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open_safetensors(path, &error);
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(dump_count(file), 51);
  mamba_model model;
  ck_assert_int_eq(mamba_recognise(&model, file, &error), STATUS_OK);
  ck_assert_uint_eq(model.count, 4);
  for (size_t k = 0; k < 4; k++) {
    char name[64];
    snprintf(name, sizeof name, "backbone.blocks.%zu", k);
    ck_assert_str_eq(model.layers[k].name, name);
    ck_assert_uint_eq(model.layers[k].channels, 256);
    ck_assert_uint_eq(model.layers[k].states, 16);
  }
  mamba_clear(&model);
  dump_close(file);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("mamba names");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_layers);
  tcase_add_test(all, test_nothing);
  tcase_add_test(all, test_contradiction);
  tcase_add_test(all, test_order);
  tcase_add_test(all, test_from_elsewhere);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
