/* A map from names to numbers: a hash table that grows. Time per name is constant however many there are. */
#ifndef ASSAY_LANG_NAMES_H
#define ASSAY_LANG_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct names names;

names *names_create(void);
void names_destroy(names *t);
/* The number under a name of `length` bytes. */
bool names_find(const names *t, unsigned *number, const char *name, size_t length);
bool names_find_string(const names *t, unsigned *number, const char *name);
/* Puts a number under a name, over what was there. The name is not copied: it must outlive the map. */
void names_put(names *t, const char *name, size_t length, unsigned number);
void names_put_string(names *t, const char *name, unsigned number);
/* Takes a name out, if it is there. */
void names_remove(names *t, const char *name);

/* The nearest name to one that is unknown, by edit distance, among those offered one by one; near enough to
 * be what was meant: a third of its length, at least 1. The first of the nearest is kept. */
typedef struct {
  const char *wanted, *best;
  unsigned distance;
} names_nearest;
names_nearest names_nearest_start(const char *wanted);
void names_nearest_offer(names_nearest *n, const char *name);
/* Offers every name of the map, in an order that depends on the names only. */
void names_nearest_offer_all(names_nearest *n, const names *t);

#endif
