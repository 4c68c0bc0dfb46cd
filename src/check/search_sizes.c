/* Which sizes a sweep runs through. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/search_internal.h"
#include "core/memory.h"
#include "lang/lower.h"

enum {
  USUAL_SIZE = 6,      /* a size without `try` runs up to this */
  MOST_CASES = 48,     /* choices of sizes; past it each size is thinned out, its ends kept */
  MOST_VISITS = 100000 /* partial choices looked at */
};

static bool parse_number(const char **s, int64_t *value)
{
  char *end;
  if (**s < '0' || **s > '9')
    return false;
  errno = 0;
  long long v = strtoll(*s, &end, 10);
  if (errno)
    return false;
  *s = end;
  *value = v;
  return true;
}

bool audit_parse_sizes(diag *d, const claim *c, const char *choice, int64_t *low, int64_t *high)
{
  for (unsigned i = 0; i < c->sizes; i++)
    low[i] = high[i] = INT64_MIN;
  const char *s = choice;
  while (*s) {
    const char *name = s;
    size_t length = strcspn(s, "=");
    unsigned i = 0;
    while (i < c->sizes && (strlen(c->size[i].name) != length || strncmp(c->size[i].name, name, length)))
      i++;
    if (i == c->sizes) {
      diag_error_plain(d, "--sizes: claim %s has no size '%.*s'", c->name, (int)length, name);
      return false;
    }
    s += length + (s[length] == '=');
    bool fine = parse_number(&s, &low[i]);
    high[i] = low[i];
    if (fine && !strncmp(s, "..", 2)) {
      s += 2;
      fine = parse_number(&s, &high[i]);
    }
    if (!fine || (*s && *s != ',') || low[i] > high[i]) {
      diag_error_plain(d, "--sizes: expected NAME=NUMBER or NAME=LOW..HIGH, separated by commas, in '%s'", choice);
      return false;
    }
    s += *s == ',';
  }
  return true;
}

typedef struct {
  const claim *c;
  const int64_t *low, *high; /* from --sizes */
  unsigned per_size;         /* values of one size at most */
  int64_t **list;
  size_t count, capacity;
  int64_t *now;
  unsigned visits;
} listing;

/* The k-th of `n` values between low and high: all of them, or the first half one by one and then ever farther apart. */
static int64_t pick(int64_t low, int64_t high, unsigned k, unsigned n)
{
  int64_t span = high - low;
  if (span < n)
    return low + k;
  unsigned close = n / 2;
  if (k < close)
    return low + k;
  int64_t rest = span - close + 1;
  unsigned steps = n - close;
  return high - rest + (int64_t)((__int128)rest * (k - close + 1) * (k - close + 1) / ((int64_t)steps * steps));
}

static void list_from(listing *l, unsigned i)
{
  if (l->count > MOST_CASES || ++l->visits > MOST_VISITS)
    return;
  if (i == l->c->sizes) {
    if (!lower_sizes_admissible(l->c, l->now))
      return;
    if (l->count == l->capacity) {
      l->capacity = l->capacity ? 2 * l->capacity : 16;
      l->list = memory_resize(l->list, l->capacity, sizeof *l->list);
    }
    int64_t *copy = memory_new(l->c->sizes, sizeof *copy);
    memcpy(copy, l->now, l->c->sizes * sizeof *copy);
    l->list[l->count++] = copy;
    return;
  }
  int64_t low, high;
  if (l->low[i] != INT64_MIN) {
    low = l->low[i];
    high = l->high[i];
  } else if (!lower_size_range(l->c, i, l->now, USUAL_SIZE, &low, &high))
    return;
  uint64_t span = (uint64_t)(high - low) + 1;
  unsigned n = span < l->per_size ? (unsigned)span : l->per_size;
  int64_t last = INT64_MIN;
  for (unsigned k = 0; k < n; k++) {
    int64_t value = pick(low, high, k, n);
    if (value == last)
      continue;
    last = l->now[i] = value;
    list_from(l, i + 1);
  }
}

static int64_t sum_of(const int64_t *sizes, unsigned n)
{
  int64_t sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += sizes[i];
  return sum;
}

/* The choice of the largest value of each size takes the place of the last one listed. */
static void end_with_largest(listing *l)
{
  for (unsigned i = 0; i < l->c->sizes; i++) {
    int64_t low, high = l->high[i];
    if (l->low[i] == INT64_MIN && !lower_size_range(l->c, i, l->now, USUAL_SIZE, &low, &high))
      return;
    l->now[i] = high;
  }
  if (lower_sizes_admissible(l->c, l->now))
    memcpy(l->list[l->count - 1], l->now, l->c->sizes * sizeof *l->now);
}

static void free_list(listing *l)
{
  for (size_t i = 0; i < l->count; i++)
    free(l->list[i]);
  free(l->list);
  l->list = NULL;
  l->count = l->capacity = 0;
}

/* Whether all admissible choices from size i on, given the sizes before it, are among those tried; *most counts down. */
static bool covers_from(const search *s, unsigned i, int64_t *sizes, unsigned *most)
{
  const claim *c = s->claim;
  if (i == c->sizes) {
    bool tried = !lower_sizes_admissible(c, sizes);
    for (size_t k = 0; k < s->cases && !tried; k++)
      tried = !c->sizes || !memcmp(s->at[k].g.sizes, sizes, c->sizes * sizeof *sizes);
    return tried;
  }
  int64_t low, high;
  if (!c->size[i].high || !tree_integer(&low, c->size[i].low, sizes, NULL) ||
      !tree_integer(&high, c->size[i].high, sizes, NULL))
    return false;
  for (sizes[i] = low; sizes[i] <= high; sizes[i]++)
    if (!*most || !--*most || !covers_from(s, i + 1, sizes, most))
      return false;
  return true;
}

bool search_covers_all_sizes(const search *s)
{
  unsigned most = MOST_VISITS;
  int64_t *sizes = memory_new(s->claim->sizes, sizeof *sizes);
  bool covered = covers_from(s, 0, sizes, &most);
  free(sizes);
  return covered;
}

int64_t **search_list_sizes(diag *d, const claim *c, const audit_options *options, size_t *count)
{
  int64_t *low = memory_new(c->sizes, sizeof *low), *high = memory_new(c->sizes, sizeof *high);
  listing l = {.c = c, .low = low, .high = high, .per_size = MOST_CASES, .now = memory_new(c->sizes, sizeof(int64_t))};
  bool fine = audit_parse_sizes(d, c, options->sizes ? options->sizes : "", low, high);
  if (fine) {
    list_from(&l, 0);
    while (l.count > MOST_CASES && l.per_size > 2) {
      free_list(&l);
      l.per_size = l.per_size * 2 / 3;
      l.visits = 0;
      list_from(&l, 0);
    }
    if (l.count > MOST_CASES) /* too many sizes even so: the first choices, and the largest */
      end_with_largest(&l);
    if (!l.count)
      diag_error(d, c->place, "claim %s has no sizes to try%s", c->name,
                 options->sizes ? ": --sizes lies outside what it declares" : "");
  }
  /* By growing sum; equal sums stay in order. */
  for (size_t i = 1; i < l.count; i++)
    for (size_t j = i; j > 0 && sum_of(l.list[j - 1], c->sizes) > sum_of(l.list[j], c->sizes); j--) {
      int64_t *swap = l.list[j];
      l.list[j] = l.list[j - 1];
      l.list[j - 1] = swap;
    }
  free(low);
  free(high);
  free(l.now);
  *count = l.count;
  return l.list;
}
