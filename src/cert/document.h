/* One JSON document with the text it came from, so that a message about any value in it can say where. */
#ifndef ASSAY_CERT_DOCUMENT_H
#define ASSAY_CERT_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "cert/instance.h"
#include "core/diag.h"

typedef struct {
  diag *d;
  const diag_source *source;
  json_t *root;
} document;

/* The way from the root to a value, innermost step first; NULL is the root. key NULL: element `index` of an
 * array. */
typedef struct path {
  const struct path *up;
  const char *key;
  size_t index;
} path;

/* Parses the text; keys that occur twice in an object are refused. False with a message. */
bool document_open(document *doc, diag *d, const diag_source *source);
void document_close(document *doc);
/* A message about the value at the end of the way, or the nearest one above it that exists. */
void document_error(const document *doc, const path *way, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/* The member of an object, which must be of the type; NULL with a message. With `optional`, NULL alone when
 * absent. */
json_t *document_member(const document *doc, const path *way, json_t *object, const char *key, json_type type,
                        bool optional);
/* False with a message if the object has a key that is not among `count` known ones. */
bool document_check_keys(const document *doc, const path *way, json_t *object, const char *const *known,
                         size_t count);

/* Reads "sizes" and "values" of an object. False with messages. */
bool document_read_instance(const document *doc, const path *way, json_t *object, instance *x);
/* Adds them to an object. */
void document_write_instance(json_t *object, const instance *x);

#endif
