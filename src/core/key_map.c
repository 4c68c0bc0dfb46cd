/* A map from short sequences of 64-bit words to 32-bit numbers. */
#include "core/key_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

void key_map_init(key_map *m)
{
  *m = (key_map){0};
}

void key_map_clear(key_map *m)
{
  free(m->word);
  free(m->place);
  free(m->value);
  key_map_init(m);
}

static uint64_t hash_key(const uint64_t *key, size_t length)
{
  uint64_t h = length * 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < length; i++) {
    h = (h ^ key[i]) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return h;
}

/* The place in the table where the key is, or would go. */
static size_t find_place(const key_map *m, const uint64_t *key, size_t length)
{
  size_t k = hash_key(key, length) & (m->size - 1);
  for (; m->place[k]; k = (k + 1) & (m->size - 1)) {
    const uint64_t *other = m->word + m->place[k] - 1;
    if (other[0] == length && (!length || !memcmp(other + 1, key, length * sizeof *key)))
      break;
  }
  return k;
}

bool key_map_find(const key_map *m, const uint64_t *key, size_t length, uint32_t *value)
{
  if (!m->size)
    return false;
  size_t k = find_place(m, key, length);
  if (!m->place[k])
    return false;
  *value = m->value[k];
  return true;
}

static void grow_table(key_map *m)
{
  key_map old = *m;
  m->size = old.size ? memory_multiply(old.size, 2) : 64;
  m->place = memory_new(m->size, sizeof *m->place);
  m->value = memory_new(m->size, sizeof *m->value);
  for (size_t i = 0; i < old.size; i++) {
    if (!old.place[i])
      continue;
    const uint64_t *key = m->word + old.place[i] - 1;
    size_t k = find_place(m, key + 1, (size_t)key[0]);
    m->place[k] = old.place[i];
    m->value[k] = old.value[i];
  }
  free(old.place);
  free(old.value);
}

void key_map_set(key_map *m, const uint64_t *key, size_t length, uint32_t value)
{
  if (4 * (m->count + 1) > 3 * m->size)
    grow_table(m);
  size_t k = find_place(m, key, length);
  m->value[k] = value;
  if (m->place[k])
    return;
  while (m->words + length + 1 > m->word_capacity) {
    m->word_capacity = m->word_capacity ? memory_multiply(m->word_capacity, 2) : 256;
    m->word = memory_resize(m->word, m->word_capacity, sizeof *m->word);
  }
  m->place[k] = m->words + 1;
  m->word[m->words] = length;
  if (length)
    memcpy(m->word + m->words + 1, key, length * sizeof *key);
  m->words += length + 1;
  m->count++;
}
