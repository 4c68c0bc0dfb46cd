/* A map from names to numbers: open addressing, linear probing, FNV-1a. */
#include "lang/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "core/memory.h"

typedef struct {
  const char *name; /* NULL: free */
  size_t length;
  uint64_t hash;
  unsigned number;
  bool removed;
} entry;

struct names {
  entry *slot;
  size_t capacity, used; /* capacity a power of 2; used counts removed ones */
};

names *names_create(void)
{
  return memory_new(1, sizeof(names));
}

void names_destroy(names *t)
{
  if (!t)
    return;
  free(t->slot);
  free(t);
}

static uint64_t hash_of(const char *s, size_t n)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
  return h ^ h >> 32;
}

/* Where the name is, or the free place where it would go. */
static entry *probe(const names *t, const char *name, size_t length, uint64_t hash)
{
  size_t mask = t->capacity - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    entry *e = &t->slot[i];
    if (!e->name || (e->hash == hash && e->length == length && memcmp(e->name, name, length) == 0))
      return e;
  }
}

bool names_find(const names *t, unsigned *number, const char *name, size_t length)
{
  if (!t->capacity)
    return false;
  const entry *e = probe(t, name, length, hash_of(name, length));
  if (!e->name || e->removed)
    return false;
  if (number)
    *number = e->number;
  return true;
}

bool names_find_string(const names *t, unsigned *number, const char *name)
{
  return names_find(t, number, name, strlen(name));
}

static void grow(names *t)
{
  names old = *t;
  t->capacity = old.capacity ? memory_multiply(old.capacity, 2) : 16;
  t->slot = memory_new(t->capacity, sizeof(entry));
  t->used = 0;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slot[i].name && !old.slot[i].removed) {
      *probe(t, old.slot[i].name, old.slot[i].length, old.slot[i].hash) = old.slot[i];
      t->used++;
    }
  free(old.slot);
}

void names_put(names *t, const char *name, size_t length, unsigned number)
{
  if (2 * t->used >= t->capacity)
    grow(t);
  uint64_t hash = hash_of(name, length);
  entry *e = probe(t, name, length, hash);
  if (!e->name)
    t->used++;
  *e = (entry){name, length, hash, number, false};
}

void names_put_string(names *t, const char *name, unsigned number)
{
  names_put(t, name, strlen(name), number);
}

void names_remove(names *t, const char *name)
{
  if (!t->capacity)
    return;
  size_t length = strlen(name);
  entry *e = probe(t, name, length, hash_of(name, length));
  if (e->name)
    e->removed = true;
}

names_nearest names_nearest_start(const char *wanted)
{
  size_t third = strlen(wanted) / 3;
  return (names_nearest){wanted, NULL, third < 1 ? 2 : third > 8 ? 9 : (unsigned)third + 1};
}

void names_nearest_offer(names_nearest *n, const char *name)
{
  if (n->distance == 0)
    return;
  unsigned distance = diag_name_distance(n->wanted, name, n->distance - 1);
  /* A replacement of every letter is no typing error. */
  if (distance < n->distance && distance < strlen(name)) {
    n->distance = distance;
    n->best = name;
  }
}

void names_nearest_offer_all(names_nearest *n, const names *t)
{
  for (size_t i = 0; i < t->capacity; i++)
    if (t->slot[i].name && !t->slot[i].removed)
      names_nearest_offer(n, t->slot[i].name);
}
