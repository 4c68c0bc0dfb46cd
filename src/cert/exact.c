/* Exact numbers and enclosures as text. */
#include "cert/exact.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "lang/literal.h"

static const char not_a_number[] = "not a number: write it like 3, -1/2, 0.1, 1e-3 or 0x1.8p-3";

static size_t span_digits(const char *s, bool hexadecimal)
{
  return strspn(s, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
}

/* DIGITS[.DIGITS][eN], or 0xH[.H][pN], and nothing after it. */
static bool is_literal(const char *s)
{
  bool hexadecimal = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  if (hexadecimal)
    s += 2;
  size_t n = span_digits(s, hexadecimal);
  if (n == 0)
    return false;
  s += n;
  if (*s == '.') {
    n = span_digits(++s, hexadecimal);
    if (n == 0)
      return false;
    s += n;
  }
  if (hexadecimal ? *s == 'p' || *s == 'P' : *s == 'e' || *s == 'E') {
    s++;
    if (*s == '+' || *s == '-')
      s++;
    n = span_digits(s, false);
    if (n == 0)
      return false;
    s += n;
  }
  return *s == 0;
}

/* DIGITS/DIGITS, read straight into the two integers, whose sizes have a limit of their own. */
static const char *read_fraction(fmpq_t x, const char *s, size_t above, size_t below)
{
  const size_t most = LIMIT_EXACT_BITS * 3 / 10; /* a decimal digit is more than 3.3 bits */
  if (above > most || below > most)
    return "the number is too long (the limit is 1048576 bits)";
  char *digits = memory_copy_string(s);
  digits[above] = 0;
  fmpz_t p, q;
  fmpz_init(p);
  fmpz_init(q);
  fmpz_set_str(p, digits, 10);
  fmpz_set_str(q, digits + above + 1, 10);
  free(digits);
  const char *wrong = fmpz_is_zero(q) ? "the denominator is zero" : NULL;
  if (!wrong)
    fmpq_set_fmpz_frac(x, p, q);
  fmpz_clear(p);
  fmpz_clear(q);
  return wrong;
}

const char *exact_read(fmpq_t x, const char *s)
{
  bool negative = *s == '-';
  if (negative)
    s++;
  size_t above = span_digits(s, false), below = s[above] == '/' ? span_digits(s + above + 1, false) : 0;
  const char *wrong = not_a_number;
  if (below > 0 && above > 0 && s[above + 1 + below] == 0)
    wrong = read_fraction(x, s, above, below);
  else if (is_literal(s))
    wrong = literal_read(x, s, strlen(s));
  if (!wrong && negative)
    fmpq_neg(x, x);
  return wrong;
}

void exact_print(text *out, const fmpq_t x)
{
  char *s = fmpq_get_str(NULL, 10, x);
  text_add(out, s);
  flint_free(s);
}

static const char *read_part(fmpq_t x, const char *s, size_t length)
{
  char *copy = memory_new(length + 1, 1);
  memcpy(copy, s, length);
  const char *wrong = exact_read(x, copy);
  free(copy);
  return wrong;
}

const char *enclosure_read(fmpq_t low, fmpq_t high, const char *s)
{
  if (*s != '[') {
    const char *wrong = exact_read(low, s);
    if (!wrong)
      fmpq_set(high, low);
    return wrong;
  }
  const char *sign = strstr(s, "+/- "), *end = strchr(s, ']');
  if (!sign || !end || end[1] || end < sign || (sign != s + 1 && sign[-1] != ' '))
    return "not an enclosure: write it like [0.25 +/- 1e-20]";
  fmpq_t middle, radius;
  fmpq_init(middle);
  fmpq_init(radius);
  const char *wrong = sign == s + 1 ? NULL : read_part(middle, s + 1, (size_t)(sign - 1 - (s + 1)));
  if (!wrong)
    wrong = read_part(radius, sign + 4, (size_t)(end - (sign + 4)));
  if (!wrong && fmpq_sgn(radius) < 0)
    wrong = "an enclosure of negative radius";
  if (!wrong) {
    fmpq_sub(low, middle, radius);
    fmpq_add(high, middle, radius);
  }
  fmpq_clear(middle);
  fmpq_clear(radius);
  return wrong;
}

/* The length of a number without the zeros that end its decimals: -0.50000 is -0.5. */
static size_t plain_length(const char *s)
{
  size_t n = strlen(s);
  if (!strchr(s, '.') || strpbrk(s, "[e"))
    return n;
  while (s[n - 1] == '0')
    n--;
  return s[n - 1] == '.' ? n - 1 : n;
}

bool enclosure_print(text *out, const arb_t x, long digits)
{
  const slong far =
      300000; /* powers of two beyond which decimals could not be read back: 2^-300000 < 1e-90000 */
  if (!arb_is_finite(x))
    return false;
  arb_t wide;
  mag_t size, tiny;
  arb_init(wide);
  mag_init(size);
  mag_init(tiny);
  arb_set(wide, x);
  arb_get_mag(size, x);
  mag_set_ui_2exp_si(tiny, 1, -far);
  bool printed = mag_cmp_2exp_si(size, far) < 0;
  if (mag_cmp(size, tiny) < 0 && !arb_is_zero(x)) {
    text_add(out, "[+/- 1e-90000]");
  } else if (printed) {
    if (!arb_is_exact(x))
      mag_max(arb_radref(wide), arb_radref(wide), tiny);
    /* Arb writes the shortest decimal and then a radius that covers both its own rounding and that of the
     * ball */
    char *s = arb_get_str(wide, digits, 0);
    text_add_bytes(out, s, plain_length(s));
    flint_free(s);
  }
  arb_clear(wide);
  mag_clear(size);
  mag_clear(tiny);
  return printed;
}
