/* JSON documents with places: Jansson says where a syntax error is; for the rest a value is found again in
 * the text by the way that leads to it. */
#include "cert/document.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* Finding a place takes as long as reading the text, so a file full of errors gets it for the first ones
 * only. */
enum { PLACED_ERRORS = 100 };

static size_t skip_blanks(const char *t, size_t i)
{
  return i + strspn(t + i, " \t\r\n");
}

/* i is at a quotation mark; returns what follows the closing one. */
static size_t skip_string(const char *t, size_t i)
{
  for (i++; t[i] && t[i] != '"'; i++)
    if (t[i] == '\\' && t[i + 1])
      i++;
  return t[i] ? i + 1 : i;
}

/* i is at a value, in a text known to be JSON; returns what follows it. */
static size_t skip_value(const char *t, size_t i)
{
  size_t depth = 0;
  do {
    if (t[i] == '"') {
      i = skip_string(t, i);
    } else if (t[i] == '{' || t[i] == '[') {
      depth++;
      i++;
    } else if (t[i] == '}' || t[i] == ']') {
      depth--;
      i++;
    } else {
      size_t n = strcspn(t + i, "\"{}[]");
      i += depth ? n : strcspn(t + i, ",}] \t\r\n");
    }
  } while (depth > 0 && t[i]);
  return i;
}

/* Where the value is that the way leads to; the innermost one found if a step cannot be taken. */
static size_t find_value(const char *t, const path *way)
{
  if (!way)
    return skip_blanks(t, 0);
  size_t outer = find_value(t, way->up), i = skip_blanks(t, outer + 1);
  for (size_t k = 0; t[i] && t[i] != '}' && t[i] != ']'; k++) {
    bool found = !way->key && k == way->index;
    if (way->key) {
      size_t end = skip_string(t, i), length = strlen(way->key);
      found = end - i == length + 2 && !memcmp(t + i + 1, way->key, length);
      i = skip_blanks(t, skip_blanks(t, end) + 1);
    }
    if (found)
      return i;
    i = skip_blanks(t, skip_value(t, i));
    if (t[i] == ',')
      i = skip_blanks(t, i + 1);
  }
  return outer;
}

static diag_place place_at(const diag_source *source, size_t offset)
{
  diag_place p = {
      .source = source, .offset = offset < source->length ? offset : source->length, .line = 1, .column = 1};
  for (size_t i = 0; i < p.offset; i++) {
    if (source->text[i] == '\n') {
      p.line++;
      p.column = 1;
    } else if (((unsigned char)source->text[i] & 0xC0) != 0x80) {
      p.column++;
    }
  }
  return p;
}

bool document_open(document *doc, diag *d, const diag_source *source)
{
  json_error_t error;
  *doc = (document){.d = d, .source = source};
  doc->root = json_loadb(source->text, source->length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
  if (!doc->root) {
    size_t at = error.position > 0 ? (size_t)error.position - 1 : 0;
    const char *hint =
        json_error_code(&error) == json_error_numeric_overflow ? "; write large numbers as strings" : "";
    diag_error(d, place_at(source, at), "%s%s", error.text, hint);
  }
  return doc->root;
}

void document_close(document *doc)
{
  json_decref(doc->root);
  doc->root = NULL;
}

void document_error(const document *doc, const path *way, const char *format, ...)
{
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *message = memory_new((size_t)(n > 0 ? n : 0) + 1, 1);
  if (n > 0)
    vsnprintf(message, (size_t)n + 1, format, again);
  va_end(again);
  if (diag_errors(doc->d) < PLACED_ERRORS)
    diag_error(doc->d, place_at(doc->source, find_value(doc->source->text, way)), "%s", message);
  else
    diag_error_plain(doc->d, "%s: %s", doc->source->name, message);
  free(message);
}

static const char *type_name(json_type type)
{
  switch (type) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  case JSON_INTEGER:
    return "an integer";
  default:
    return "another value";
  }
}

json_t *document_member(const document *doc, const path *way, json_t *object, const char *key, json_type type,
                        bool optional)
{
  json_t *value = json_object_get(object, key);
  if (!value) {
    if (!optional)
      document_error(doc, way, "\"%s\" is missing", key);
    return NULL;
  }
  if (json_typeof(value) != type) {
    path step = {.up = way, .key = key};
    document_error(doc, &step, "\"%s\" must be %s", key, type_name(type));
    return NULL;
  }
  return value;
}

bool document_check_keys(const document *doc, const path *way, json_t *object, const char *const *known,
                         size_t count)
{
  const char *key;
  json_t *value;
  bool good = true;
  json_object_foreach(object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(key, known[i]))
      i++;
    if (i == count) {
      path step = {.up = way, .key = key};
      document_error(doc, &step, "unknown key \"%s\"", key);
      good = false;
    }
  }
  return good;
}
