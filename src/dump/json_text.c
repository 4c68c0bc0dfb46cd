/* JSON texts inside parameter files: what Jansson reads, and where. */
#include "dump/json_text.h"

#include <stdlib.h>
#include <string.h>

/* The index of the closing quote of the string that begins at `at`, or length. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
  for (at++; at < length && text[at] != '"'; at++)
    if (text[at] == '\\')
      at++;
  return at < length ? at : length;
}

void json_text_keys(size_t *keys, size_t count, const char *text, size_t length)
{
  size_t found = 0, depth = 0;
  bool wants_key = false;
  for (size_t i = 0; i < length && found < count; i++) {
    switch (text[i]) {
    case '{':
    case '[':
      wants_key = ++depth == 1;
      break;
    case '}':
    case ']':
      depth--;
      break;
    case ',':
      wants_key = depth == 1;
      break;
    case '"':
      if (wants_key)
        keys[found++] = i;
      wants_key = false;
      i = skip_string(text, length, i);
      break;
    default:
      break;
    }
  }
}

/* Where the text nests deeper than allowed; length when nowhere. */
static size_t find_deep(const char *text, size_t length, uint32_t most)
{
  uint32_t depth = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"')
      i = skip_string(text, length, i);
    else if (text[i] == '{' || text[i] == '[') {
      if (depth++ == most)
        return i;
    } else if ((text[i] == '}' || text[i] == ']') && depth > 0)
      depth--;
  }
  return length;
}

/* Jansson reports a repeated key one past its closing quote: steps back to the opening one. */
static size_t key_start(const char *text, size_t end)
{
  if (end < 2)
    return 0;
  size_t i = end - 2;
  for (; i > 0; i--) {
    if (text[i] != '"')
      continue;
    size_t slashes = 0;
    while (slashes < i && text[i - 1 - slashes] == '\\')
      slashes++;
    if (slashes % 2 == 0)
      break;
  }
  return i;
}

json_t *json_text_parse(const char *file, const char *what, const char *text, size_t length, uint64_t base,
                        uint32_t depth, dump_error *error)
{
  const char *nul = length == 0 ? NULL : memchr(text, 0, length);
  if (nul != NULL) {
    dump_error_set_at(error, file, base + (uint64_t)(nul - text), "%s contains a NUL byte", what);
    return NULL;
  }
  size_t deep = find_deep(text, length, depth);
  if (deep < length) {
    dump_error_set_at(error, file, base + deep, "%s is nested too deep", what);
    return NULL;
  }
  json_error_t problem;
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
  if (root != NULL && json_is_object(root))
    return root;
  if (root != NULL) {
    json_decref(root);
    dump_error_set_at(error, file, base, "%s does not begin with '{'", what);
    return NULL;
  }
  size_t place = problem.position < 0 ? 0 : (size_t)problem.position;
  if (place > length)
    place = length;
  switch (json_error_code(&problem)) {
  case json_error_duplicate_key:
    dump_error_set_at(error, file, base + key_start(text, place), "a name occurs twice in %s", what);
    break;
  case json_error_null_character:
  case json_error_null_byte_in_key:
    dump_error_set_at(error, file, base + place, "a string in %s contains NUL", what);
    break;
  case json_error_invalid_utf8:
    dump_error_set_at(error, file, base + place, "%s is not UTF-8", what);
    break;
  case json_error_out_of_memory:
    dump_error_set_at(error, file, base + place, "no memory to read %s", what);
    break;
  case json_error_stack_overflow:
    dump_error_set_at(error, file, base + place, "%s is nested too deep", what);
    break;
  case json_error_premature_end_of_input:
    dump_error_set_at(error, file, base + place, "%s ends inside its JSON text", what);
    break;
  default: { /* Jansson's text quotes bytes of the file */
    char *quoted = dump_quote(problem.text);
    dump_error_set_at(error, file, base + place, "%s is not JSON: %s", what, quoted);
    free(quoted);
  }
  }
  return NULL;
}
