/* Nets for tests: the bundled families, and a net from a parameter file. Families named by the variable FAMILY come first. */
#ifndef ASSAY_TESTS_SIM_NET_FIXTURE_H
#define ASSAY_TESTS_SIM_NET_FIXTURE_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/dump.h"
#include "dump/model.h"
#include "lang/claim.h"
#include "sim/net.h"

typedef struct {
  library *library[64];
  unsigned libraries;
  const claim *family[256];
  size_t count;
} family_fixture;

static void family_fixture_add(family_fixture *f, const char *path)
{
  diag *d = diag_create(stderr, 0);
  library *l = library_read(d, path, 0);
  if (!l)
    abort();
  f->library[f->libraries++] = l;
  for (unsigned i = 0; i < library_families(l); i++)
    f->family[f->count++] = library_family(l, i);
  diag_destroy(d);
}

/* `first`: a family file to be tried before the bundled ones; NULL. */
static void family_fixture_init(family_fixture *f, const char *first)
{
  const char *top = getenv("top_srcdir");
  char pattern[4096];
  glob_t files;
  memset(f, 0, sizeof *f);
  if (first)
    family_fixture_add(f, first);
  snprintf(pattern, sizeof pattern, "%s/cases/families/*.family", top ? top : ".");
  if (glob(pattern, 0, NULL, &files) != 0)
    abort();
  for (size_t i = 0; i < files.gl_pathc; i++)
    family_fixture_add(f, files.gl_pathv[i]);
  globfree(&files);
}

static void family_fixture_clear(family_fixture *f)
{
  for (unsigned i = 0; i < f->libraries; i++)
    library_destroy(f->library[i]);
}

/* NULL with `error` set. */
static net *net_of_file(dump_file *file, const family_fixture *f, const net_options *options, dump_error *error)
{
  model m;
  if (model_recognise(&m, f->family, f->count, file, error) != STATUS_OK)
    return NULL;
  net *n = net_create(&m, options, error);
  model_clear(&m);
  return n;
}

#endif
