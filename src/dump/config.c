/* config.json beside a model: its numbers and words as notes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/json_text.h"
#include "dump/open.h"

/* Python writes numbers that JSON has no words for (NaN, Infinity, -Infinity) as bare words: puts them
 * between quotes. */
static void quote_words(text *out, const char *json, size_t length)
{
  static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
  bool inside = false;
  for (size_t i = 0; i < length; i++) {
    if (inside && json[i] == '\\' && i + 1 < length) {
      text_add_bytes(out, json + i++, 2);
      continue;
    }
    if (json[i] == '"')
      inside = !inside;
    size_t n = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words && n == 0 && !inside; w++)
      if (length - i >= strlen(words[w]) && memcmp(json + i, words[w], strlen(words[w])) == 0)
        n = strlen(words[w]);
    if (n == 0) {
      text_add_char(out, json[i]);
      continue;
    }
    text_add_char(out, '"');
    text_add_bytes(out, json + i, n);
    text_add_char(out, '"');
    i += n - 1;
  }
}

static void add_members(dump_file *file, const char *prefix, json_t *object)
{
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value)
  {
    text name;
    text_init(&name);
    text_addf(&name, "%s.%s", prefix, key);
    if (json_is_object(value))
      add_members(file, text_string(&name), value);
    else if (json_is_string(value))
      reader_add_note(file, text_string(&name), json_string_value(value));
    else {
      char *shown = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
      if (shown == NULL)
        memory_die("a JSON value could not be written");
      reader_add_note(file, text_string(&name), shown);
      free(shown);
    }
    text_clear(&name);
  }
}

void config_add_notes(dump_file *file, const char *folder, const dump_limits *limits)
{
  char *path = open_path_join(folder, "config.json");
  dump_file *holder = reader_create(path);
  size_t segment;
  dump_error error;
  dump_error_init(&error);
  text json;
  text_init(&json);
  json_t *root = NULL;
  if (access(path, F_OK) != 0 || reader_map(holder, path, &segment, &error) != STATUS_OK)
    goto cleanup;
  const reader_segment *s = &holder->segments[segment];
  if (s->length > limits->header_bytes) {
    dump_error_set(&error, path, "the file exceeds the limit of %llu bytes",
                   (unsigned long long)limits->header_bytes);
    goto cleanup;
  }
  quote_words(&json, (const char *)s->data, (size_t)s->length);
  root = json_text_parse(path, "it", text_string(&json), json.length, 0, limits->depth, &error);
  if (root != NULL)
    add_members(file, "config", root);

cleanup:
  if (error.message != NULL) {
    text note;
    text_init(&note);
    text_addf(&note, "not read: %s", error.message);
    reader_add_note(file, "config.json", text_string(&note));
    text_clear(&note);
  }
  json_decref(root);
  text_clear(&json);
  dump_error_clear(&error);
  dump_close(holder);
  free(path);
}
