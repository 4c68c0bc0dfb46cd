/* Lists of layers. */
#include "cli/layer_list.h"

#include <stdint.h>
#include <string.h>

/* Digits at *s, which is moved behind them; beyond any count of layers all numbers are one. */
static bool read_number(const char **s, uint64_t *value)
{
  const char *p = *s;
  *value = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (*value < UINT32_MAX)
      *value = 10 * *value + (uint64_t)(*p - '0');
  bool any = p > *s;
  *s = p;
  return any;
}

bool layer_list_read(bool *chosen, size_t count, diag *d, const char *list)
{
  memset(chosen, 0, count * sizeof *chosen);
  for (const char *s = list;; s++) {
    const char *item = s;
    uint64_t low, high;
    bool fine = read_number(&s, &low);
    high = low;
    if (fine && !strncmp(s, "..", 2)) {
      s += 2;
      fine = read_number(&s, &high) && low <= high;
    }
    int length = (int)strcspn(item, ",");
    if (!fine || (*s && *s != ',')) {
      diag_error_plain(d, "--layers: '%.*s' is no number or range LOW..HIGH, several of which are separated by commas",
                       length, item);
      return false;
    }
    if (low < 1 || high > count) {
      diag_error_plain(d, "--layers: '%.*s': the model has the layers 1 to %zu", length, item, count);
      return false;
    }
    for (uint64_t i = low; i <= high; i++)
      chosen[i - 1] = true;
    if (!*s)
      return true;
  }
}
