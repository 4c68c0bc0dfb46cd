/* Allocation with checked size arithmetic, and regions. */
#include "core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memory_die(const char *what)
{
  fprintf(stderr, "assay: internal error: %s\n", what);
  exit(70);
}

size_t memory_add(size_t a, size_t b)
{
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    memory_die("size overflow");
  return sum;
}

size_t memory_multiply(size_t a, size_t b)
{
  size_t product;
  if (__builtin_mul_overflow(a, b, &product))
    memory_die("size overflow");
  return product;
}

void *memory_new(size_t count, size_t size)
{
  void *p = calloc(count ? count : 1, size ? size : 1);
  if (!p)
    memory_die("out of memory");
  return p;
}

void *memory_resize(void *p, size_t count, size_t size)
{
  size_t bytes = memory_multiply(count, size);
  p = realloc(p, bytes ? bytes : 1);
  if (!p)
    memory_die("out of memory");
  return p;
}

char *memory_copy_string(const char *s)
{
  size_t n = strlen(s) + 1;
  return memcpy(memory_new(n, 1), s, n);
}

typedef struct block {
  struct block *next;
  size_t used, capacity;
  max_align_t data[];
} block;

struct memory_region {
  block *first;
};

memory_region *memory_region_create(void)
{
  return memory_new(1, sizeof(memory_region));
}

void memory_region_destroy(memory_region *r)
{
  if (!r)
    return;
  while (r->first) {
    block *next = r->first->next;
    free(r->first);
    r->first = next;
  }
  free(r);
}

void *memory_region_new(memory_region *r, size_t count, size_t size)
{
  const size_t unit = sizeof(max_align_t), usual = 65536;
  size_t bytes = memory_multiply(count, size);
  bytes = memory_multiply(memory_add(bytes, unit - 1) / unit, unit);
  if (!r->first || r->first->capacity - r->first->used < bytes) {
    size_t capacity = bytes > usual ? bytes : usual;
    block *b = memory_new(1, memory_add(sizeof(block), capacity));
    b->capacity = capacity;
    if (r->first && bytes > usual) { /* keep filling the block in use */
      b->next = r->first->next;
      r->first->next = b;
      b->used = bytes;
      return b->data;
    }
    b->next = r->first;
    r->first = b;
  }
  void *p = (char *)r->first->data + r->first->used;
  r->first->used += bytes;
  return p;
}

char *memory_region_copy(memory_region *r, const char *s, size_t length)
{
  char *copy = memory_region_new(r, memory_add(length, 1), 1);
  if (length)
    memcpy(copy, s, length);
  return copy;
}
