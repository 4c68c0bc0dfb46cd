/* Allocation with checked size arithmetic.
 *
 * Every function either succeeds or ends the program: "assay: out of memory", exit status 70. Sizes of things that an
 * input file controls are bounded by limits.h before they come here. */
#ifndef ASSAY_CORE_MEMORY_H
#define ASSAY_CORE_MEMORY_H

#include <stddef.h>

/* count objects of `size` bytes, zeroed. Never NULL. Free with free(). */
void *memory_new(size_t count, size_t size);
/* Like realloc to count * size bytes; new bytes are not set. Never NULL. */
void *memory_resize(void *p, size_t count, size_t size);
char *memory_copy_string(const char *s);

/* Sums and products that end the program on overflow. */
size_t memory_add(size_t a, size_t b);
size_t memory_multiply(size_t a, size_t b);

/* Ends the program with exit status 70 and "assay: internal error: ...". */
void memory_die(const char *what) __attribute__((noreturn));

/* A region: many small objects freed at once. */
typedef struct memory_region memory_region;
memory_region *memory_region_create(void);
void memory_region_destroy(memory_region *r);
/* Zeroed, aligned for any type. */
void *memory_region_new(memory_region *r, size_t count, size_t size);
char *memory_region_copy(memory_region *r, const char *s, size_t length);

#endif
