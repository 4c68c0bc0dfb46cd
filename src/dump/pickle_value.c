/* Looking at the values of a pickle. */
#include <string.h>

#include "dump/pickle_build.h"

pickle_value *pickle_root(const pickle *p)
{
  return p->root;
}

size_t pickle_count(const pickle *p)
{
  return p->count;
}

pickle_value *const *pickle_persistent(const pickle *p, size_t *count)
{
  *count = p->persistent.count;
  return p->persistent.items;
}

bool pickle_is_global(const pickle_value *value, const char *module, const char *name)
{
  if (value == NULL || value->kind != PICKLE_GLOBAL || strcmp(value->u.global.name, name) != 0)
    return false;
  size_t length = strlen(value->u.global.module);
  for (;;) { /* one alternative after the other */
    size_t end = strcspn(module, "|");
    if (end == length && memcmp(module, value->u.global.module, length) == 0)
      return true;
    if (module[end] == 0)
      return false;
    module += end + 1;
  }
}

bool pickle_is_text(const pickle_value *value, const char *text)
{
  return value != NULL && (value->kind == PICKLE_STRING || value->kind == PICKLE_BYTES) &&
         value->u.text.length == strlen(text) && memcmp(value->u.text.data, text, value->u.text.length) == 0;
}

pickle_value *pickle_item(const pickle_value *value, size_t i)
{
  if (value == NULL || (value->kind != PICKLE_TUPLE && value->kind != PICKLE_LIST))
    return NULL;
  return i < value->u.list.count ? value->u.list.items[i] : NULL;
}

const pickle_list *pickle_entries(const pickle_value *value)
{
  if (value == NULL)
    return NULL;
  if (value->kind == PICKLE_DICT)
    return &value->u.list;
  if (value->kind == PICKLE_OBJECT && value->u.object->entries.count > 0)
    return &value->u.object->entries;
  return NULL;
}

pickle_value *pickle_get(const pickle_value *dict, const char *key)
{
  const pickle_list *entries = pickle_entries(dict);
  for (size_t i = entries == NULL ? 0 : entries->count; i >= 2; i -= 2)
    if (pickle_is_text(entries->items[i - 2], key))
      return entries->items[i - 1];
  return NULL;
}
