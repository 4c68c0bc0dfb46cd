/* A map from short sequences of 64-bit words to 32-bit numbers. Keys are copied; one of length 0 may be NULL. */
#ifndef ASSAY_CORE_KEY_MAP_H
#define ASSAY_CORE_KEY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t *word;       /* all keys, one after the other, each after its length */
  size_t words, word_capacity;
  size_t *place;        /* open addressing: place of the key in word, + 1; 0: free */
  uint32_t *value;
  size_t size, count;
} key_map;

void key_map_init(key_map *m);
void key_map_clear(key_map *m);
/* Finds the value of a key; false when there is none. */
bool key_map_find(const key_map *m, const uint64_t *key, size_t length, uint32_t *value);
/* Sets it, new or old. */
void key_map_set(key_map *m, const uint64_t *key, size_t length, uint32_t value);

#endif
