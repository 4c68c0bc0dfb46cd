/* For tests of models: families from text or from the files that are shipped, and dumps of doubles made in memory. */
#ifndef ASSAY_TESTS_DUMP_MADE_MODEL_H
#define ASSAY_TESTS_DUMP_MADE_MODEL_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/model.h"
#include "dump/reader.h"

typedef struct {
  diag *d;
  diag_source *source;
  library *library[32];
  unsigned libraries;
  const claim *family[64];
  unsigned count;
} made_families;

static inline void made_families_add(made_families *f, library *l)
{
  ck_assert_msg(l != NULL, "%s", diag_text(f->d));
  f->library[f->libraries++] = l;
  for (unsigned i = 0; i < library_families(l); i++)
    f->family[f->count++] = library_family(l, i);
}

static inline made_families made_families_text(const char *words)
{
  made_families f = {.d = diag_create(NULL, 0), .source = diag_source_from("made", words, strlen(words))};
  made_families_add(&f, library_read_source(f.d, f.source, 0));
  return f;
}

/* Those of cases/families, in the order in which the program reads them. */
static inline made_families made_families_shipped(void)
{
  static const char *const name[] = {"gla",  "hgrn2", "lru", "mamba-1", "mamba-2",           "mamba-falcon", "mingru", "retnet",
                                     "rg-lru", "rwkv",  "s4d", "s5",      "selective-diagonal"};
  const char *top = getenv("top_srcdir");
  made_families f = {.d = diag_create(NULL, 0)};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cases/families/%s.family", top ? top : ".", name[i]);
    made_families_add(&f, library_read(f.d, path, 0));
  }
  return f;
}

static inline const claim *made_family(const made_families *f, const char *name)
{
  for (unsigned i = 0; i < f->count; i++)
    if (!strcmp(f->family[i]->name, name))
      return f->family[i];
  ck_abort_msg("no family %s", name);
  return NULL;
}

static inline void made_families_clear(made_families *f)
{
  for (unsigned i = 0; i < f->libraries; i++)
    library_destroy(f->library[i]);
  diag_source_destroy(f->source);
  diag_destroy(f->d);
}

typedef struct {
  const char *name;
  unsigned rank;
  uint64_t shape[4];
  const double *value; /* NULL: zeros, at most 65536 */
  dump_kind kind;
} made_tensor;

static inline dump_file *made_model(const made_tensor *x, size_t count)
{
  static const double zeros[1 << 16];
  static const uint16_t one = 1;
  dump_file *file = reader_create("made");
  file->container = "made";
  for (size_t i = 0; i < count; i++) {
    uint64_t values = 1;
    for (unsigned k = 0; k < x[i].rank; k++)
      values *= x[i].shape[k];
    const double *value = x[i].value ? x[i].value : zeros;
    size_t segment = reader_borrow(file, "made", (const unsigned char *)value, (size_t)values * sizeof *value);
    dump_tensor *t = reader_add(file, x[i].name);
    t->type = DUMP_F64;
    t->kind = x[i].kind;
    t->rank = x[i].rank;
    t->segment = segment;
    t->big_endian = *(const unsigned char *)&one == 0;
    memcpy(t->shape, x[i].shape, sizeof x[i].shape);
    ck_assert(reader_fill_row_major(t));
  }
  dump_limits limits = dump_limits_default();
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(reader_index(file, &limits, &error), STATUS_OK);
  return file;
}

#endif
