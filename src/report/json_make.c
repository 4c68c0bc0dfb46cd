/* Making JSON values. */
#include "report/json_make.h"

#include "core/memory.h"
#include "core/text.h"

static json_t *need(json_t *value)
{
  if (!value)
    memory_die("a JSON value could not be made");
  return value;
}

json_t *json_make_object(void)
{
  return need(json_object());
}

json_t *json_make_array(void)
{
  return need(json_array());
}

json_t *json_make_string(const char *s)
{
  if (!s)
    return json_null();
  json_t *value = json_string(s);
  if (value)
    return value;
  text out;
  text_init(&out);
  for (; *s; s++)
    text_add_char(&out, (unsigned char)*s < 0x80 ? *s : '?');
  value = need(json_string(text_string(&out)));
  text_clear(&out);
  return value;
}

json_t *json_make_count(uint64_t n)
{
  return need(json_integer(n < INT64_MAX ? (json_int_t)n : INT64_MAX));
}

void json_put(json_t *object, const char *key, json_t *value)
{
  if (json_object_set_new(object, key, need(value)))
    memory_die("a JSON value could not be stored");
}

void json_push(json_t *array, json_t *value)
{
  if (json_array_append_new(array, need(value)))
    memory_die("a JSON value could not be stored");
}
