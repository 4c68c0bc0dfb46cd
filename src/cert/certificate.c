/* Certificates: reading and writing. */
#include "cert/certificate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cert/document.h"
#include "cert/exact.h"
#include "core/limits.h"
#include "core/memory.h"

void certificate_init(certificate *z)
{
  *z = (certificate){0};
}

void certificate_clear(certificate *z)
{
  free(z->claim_name);
  free(z->claim_text);
  free(z->claim_file);
  instance_clear(&z->instance);
  free(z->label);
  for (size_t i = 0; i < z->indices; i++)
    free(z->index[i].name);
  free(z->index);
  free(z->left);
  free(z->right);
  free(z->source);
  certificate_init(z);
}

void certificate_set_claim(certificate *z, const claim *c, const char *file)
{
  free(z->claim_name);
  free(z->claim_text);
  free(z->claim_file);
  text t;
  text_init(&t);
  claim_print(&t, c);
  z->claim_text = text_take(&t);
  z->claim_name = memory_copy_string(c->name);
  z->claim_file = file ? memory_copy_string(file) : NULL;
  claim_hash(z->claim_hash, c);
}

void certificate_add_index(certificate *z, const char *name, int64_t value)
{
  z->index = memory_resize(z->index, z->indices + 1, sizeof *z->index);
  z->index[z->indices++] = (instance_size){memory_copy_string(name), value};
}

/* A copy of the string member, NULL when it is absent or no string (then with a message). */
static char *read_string(const document *doc, const path *way, json_t *object, const char *key, bool optional)
{
  json_t *value = document_member(doc, way, object, key, JSON_STRING, optional);
  return value ? memory_copy_string(json_string_value(value)) : NULL;
}

static void read_claim(const document *doc, json_t *object, certificate *z)
{
  static const char *const known[] = {"name", "file", "text", "sha256"};
  path way = {.key = "claim"};
  document_check_keys(doc, &way, object, known, 4);
  z->claim_name = read_string(doc, &way, object, "name", false);
  z->claim_file = read_string(doc, &way, object, "file", true);
  z->claim_text = read_string(doc, &way, object, "text", false);
  char *hash = read_string(doc, &way, object, "sha256", false);
  if (hash && (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64)) {
    path step = {.up = &way, .key = "sha256"};
    document_error(doc, &step, "\"sha256\" must be 64 hexadecimal digits");
  } else if (hash) {
    memcpy(z->claim_hash, hash, 65);
  }
  free(hash);
}

static char *read_side(const document *doc, const path *way, json_t *object, const char *key)
{
  char *s = read_string(doc, way, object, key, true);
  fmpq_t low, high;
  fmpq_init(low);
  fmpq_init(high);
  const char *wrong = s ? enclosure_read(low, high, s) : NULL;
  if (wrong) {
    path step = {.up = way, .key = key};
    document_error(doc, &step, "%s: %s", key, wrong);
  }
  fmpq_clear(low);
  fmpq_clear(high);
  return s;
}

static void read_statement(const document *doc, json_t *object, const char *key, certificate *z)
{
  static const char *const known[] = {"label", "index", "left", "right"};
  path way = {.key = key}, to_index = {.up = &way, .key = "index"};
  document_check_keys(doc, &way, object, known, 4);
  z->label = read_string(doc, &way, object, "label", false);
  json_t *index = document_member(doc, &way, object, "index", JSON_OBJECT, true), *value;
  const char *name;
  json_object_foreach(index, name, value) {
    path step = {.up = &to_index, .key = name};
    if (json_is_integer(value))
      certificate_add_index(z, name, json_integer_value(value));
    else
      document_error(doc, &step, "the index %s must be an integer", name);
  }
  z->left = read_side(doc, &way, object, "left");
  z->right = read_side(doc, &way, object, "right");
}

/* A count: an integer, or a string of digits where it is beyond the integers of JSON readers. */
static uint64_t read_count(const document *doc, const path *way, json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  path step = {.up = way, .key = key};
  if (json_is_integer(value) && json_integer_value(value) >= 0)
    return (uint64_t)json_integer_value(value);
  const char *s = json_string_value(value);
  if (s && *s && strspn(s, "0123456789") == strlen(s)) {
    errno = 0;
    unsigned long long n = strtoull(s, NULL, 10);
    if (!errno)
      return n;
  }
  document_error(doc, value ? &step : way, "\"%s\" must be a count", key);
  return 0;
}

static void read_found(const document *doc, json_t *object, certificate *z)
{
  static const char *const known[] = {"seed", "instance", "source", "attempt"};
  path way = {.key = "found"};
  document_check_keys(doc, &way, object, known, 4);
  z->found = true;
  z->seed = read_count(doc, &way, object, "seed");
  z->number = read_count(doc, &way, object, "instance");
  z->source = read_string(doc, &way, object, "source", false);
  z->attempt = read_count(doc, &way, object, "attempt");
}

static void read_certificate(const document *doc, certificate *z)
{
  unsigned errors = diag_errors(doc->d);
  static const char *const known[] = {"schema", "claim", "sizes", "values", "broken", "witness", "found"};
  json_t *root = doc->root;
  if (!json_is_object(root)) {
    document_error(doc, NULL, "a certificate must be an object");
    return;
  }
  json_t *schema = document_member(doc, NULL, root, "schema", JSON_STRING, false);
  if (schema && strcmp(json_string_value(schema), CERTIFICATE_SCHEMA)) {
    path way = {.key = "schema"};
    document_error(doc, &way, "this reads certificates of schema \"" CERTIFICATE_SCHEMA "\" only");
  }
  if (diag_errors(doc->d) != errors)
    return;
  document_check_keys(doc, NULL, root, known, 7);
  json_t *object = document_member(doc, NULL, root, "claim", JSON_OBJECT, false);
  if (object)
    read_claim(doc, object, z);
  document_read_instance(doc, NULL, root, &z->instance);
  json_t *broken = document_member(doc, NULL, root, "broken", JSON_OBJECT, true);
  json_t *witness = document_member(doc, NULL, root, "witness", JSON_OBJECT, true);
  if (!broken == !witness)
    document_error(doc, NULL, "a certificate has either \"broken\" or \"witness\"");
  else
    read_statement(doc, broken ? broken : witness, broken ? "broken" : "witness", z);
  z->witness = witness;
  object = document_member(doc, NULL, root, "found", JSON_OBJECT, true);
  if (object)
    read_found(doc, object, z);
}

bool certificate_read_source(diag *d, const diag_source *source, certificate *z)
{
  document doc;
  unsigned errors = diag_errors(d);
  if (!document_open(&doc, d, source))
    return false;
  read_certificate(&doc, z);
  document_close(&doc);
  return diag_errors(d) == errors;
}

bool certificate_read(diag *d, const char *file, certificate *z)
{
  diag_source *source = diag_source_read(d, file, LIMIT_SOURCE_BYTES);
  bool good = source && certificate_read_source(d, source, z);
  diag_source_destroy(source);
  return good;
}

static void set_string(json_t *object, const char *key, const char *s)
{
  if (s && json_object_set_new(object, key, json_string(s)))
    json_object_set_new(object, key, json_string("(not UTF-8)")); /* a file may be named so; a claim is not */
}

static void set_count(json_t *object, const char *key, uint64_t n)
{
  text t;
  text_init(&t);
  text_addf(&t, "%llu", (unsigned long long)n);
  json_object_set_new(object, key, n > INT64_MAX ? json_string(t.data) : json_integer((json_int_t)n));
  text_clear(&t);
}

char *certificate_to_json(const certificate *z)
{
  json_t *root = json_object(), *part = json_object(), *index = json_object();
  set_string(root, "schema", CERTIFICATE_SCHEMA);
  set_string(part, "name", z->claim_name);
  set_string(part, "file", z->claim_file);
  set_string(part, "text", z->claim_text);
  set_string(part, "sha256", z->claim_hash);
  json_object_set_new(root, "claim", part);
  document_write_instance(root, &z->instance);
  part = json_object();
  set_string(part, "label", z->label);
  for (size_t i = 0; i < z->indices; i++)
    json_object_set_new(index, z->index[i].name, json_integer(z->index[i].value));
  json_object_set_new(part, "index", index);
  set_string(part, "left", z->left);
  set_string(part, "right", z->right);
  json_object_set_new(root, z->witness ? "witness" : "broken", part);
  if (z->found) {
    part = json_object();
    set_count(part, "seed", z->seed);
    set_count(part, "instance", z->number);
    set_string(part, "source", z->source ? z->source : "");
    set_count(part, "attempt", z->attempt);
    json_object_set_new(root, "found", part);
  }
  char *dumped = json_dumps(root, JSON_INDENT(2));
  json_decref(root);
  if (!dumped)
    memory_die("JSON could not be written");
  text t;
  text_init(&t);
  text_add(&t, dumped);
  text_add_char(&t, '\n');
  free(dumped);
  return text_take(&t);
}

bool certificate_write(diag *d, const char *file, const certificate *z)
{
  char *json = certificate_to_json(z);
  text part;
  text_init(&part);
  text_addf(&part, "%s.part", file);
  FILE *f = fopen(part.data, "wb");
  bool good = f && fputs(json, f) >= 0;
  if (f && fclose(f))
    good = false;
  if (good && rename(part.data, file))
    good = false;
  if (!good) {
    diag_error_plain(d, "%s: %s", file, strerror(errno));
    if (f)
      remove(part.data);
  }
  text_clear(&part);
  free(json);
  return good;
}
