/* Number literals, exactly. */
#include "lang/literal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static int digit_of(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 16;
}

/* x = mantissa * base^exponent */
static void set_scaled(fmpq *x, const fmpz_t mantissa, unsigned base, long exponent)
{
  fmpz_t power;
  fmpz_init(power);
  fmpz_set_ui(power, base);
  fmpz_pow_ui(power, power, (unsigned long)labs(exponent));
  if (exponent < 0) {
    fmpq_set_fmpz_frac(x, mantissa, power);
  } else {
    fmpz_mul(fmpq_numref(x), mantissa, power);
    fmpz_one(fmpq_denref(x));
  }
  fmpz_clear(power);
}

/* Reads an optional sign and digits; stops growing far beyond the limit. */
static long read_exponent(const char *s, const char *end)
{
  bool negative = s < end && *s == '-';
  if (s < end && (*s == '-' || *s == '+'))
    s++;
  long e = 0;
  for (; s < end; s++)
    if (e < 100L * LITERAL_EXPONENT)
      e = 10 * e + digit_of(*s);
  return negative ? -e : e;
}

const char *literal_read(fmpq *x, const char *s, size_t length)
{
  const char *end = s + length;
  bool hexadecimal = length > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  int radix = hexadecimal ? 16 : 10;
  if (hexadecimal)
    s += 2;
  char *digits = memory_new(length + 1, 1);
  size_t count = 0, behind = 0; /* digits, and how many of them stand behind the point */
  bool point = false;
  for (; s < end && (*s == '.' || digit_of(*s) < radix); s++) {
    if (*s == '.') {
      point = true;
    } else {
      digits[count++] = *s;
      behind += point;
    }
  }
  long exponent = s < end ? read_exponent(s + 1, end) : 0;
  const char *wrong = NULL;
  long unit = hexadecimal ? 4 : 1;
  if (count > LITERAL_DIGITS) {
    wrong = "a number with more than 100000 digits";
  } else {
    long last = exponent - unit * (long)behind, first = last + unit * (long)count;
    if (last < -LITERAL_EXPONENT || first > LITERAL_EXPONENT)
      wrong = "the exponent of this number is out of range (at most 100000 either way)";
    else {
      fmpz_t mantissa;
      fmpz_init(mantissa);
      fmpz_set_str(mantissa, digits, radix);
      set_scaled(x, mantissa, hexadecimal ? 2 : 10, last);
      fmpz_clear(mantissa);
    }
  }
  free(digits);
  return wrong;
}

/* m 10^e in its shortest form, m without a 0 at its end: 12, 0.012, 12e40 */
static void print_decimal(text *out, const fmpz_t m, long e)
{
  char *digits = fmpz_get_str(NULL, 10, m);
  long count = (long)strlen(digits);
  if (e == 0 || (e > 0 && count + e <= 24)) {
    text_add(out, digits);
    for (long i = 0; i < e; i++)
      text_add_char(out, '0');
  } else if (e < 0 && -e < count) {
    text_add_bytes(out, digits, (size_t)(count + e));
    text_add_char(out, '.');
    text_add(out, digits + count + e);
  } else if (e < 0 && -e <= (count > 16 ? count + 8 : 24)) {
    text_add(out, "0.");
    for (long i = count; i < -e; i++)
      text_add_char(out, '0');
    text_add(out, digits);
  } else {
    text_addf(out, "%se%ld", digits, e);
  }
  flint_free(digits);
}

static void print_hexadecimal(text *out, const fmpz_t m, long e)
{
  char *digits = fmpz_get_str(NULL, 16, m);
  text_addf(out, "0x%sp%ld", digits, e);
  flint_free(digits);
}

bool literal_print(text *out, const fmpq *x)
{
  if (fmpq_sgn(x) < 0)
    return false;
  if (fmpq_is_zero(x)) {
    if (out)
      text_add_char(out, '0');
    return true;
  }
  fmpz_t two, five, rest, m;
  fmpz_init_set_ui(two, 2);
  fmpz_init_set_ui(five, 5);
  fmpz_init_set(m, fmpq_numref(x));
  fmpz_init_set(rest, fmpq_denref(x));
  long twos = (long)fmpz_remove(rest, rest, two), fives = (long)fmpz_remove(rest, rest, five);
  bool finite = fmpz_is_one(rest);
  if (finite) {
    /* x = m / (2^twos 5^fives) = m 10^-k, k the larger of the two */
    long k = twos > fives ? twos : fives;
    bool dyadic = fives == 0 && twos > 40;
    long e = -twos;
    if (!dyadic) {
      fmpz_t power;
      fmpz_init(power);
      fmpz_pow_ui(power, two, (unsigned long)(k - twos));
      fmpz_mul(m, m, power);
      fmpz_pow_ui(power, five, (unsigned long)(k - fives));
      fmpz_mul(m, m, power);
      fmpz_set_ui(power, 10);
      e = (long)fmpz_remove(m, m, power) - k;
      fmpz_clear(power);
    }
    long size = (long)fmpz_sizeinbase(m, dyadic ? 16 : 10);
    long first = dyadic ? e + 4 * size : e + size;
    /* the size may come out 1 too large */
    finite = size <= LITERAL_DIGITS + 1 && e >= -LITERAL_EXPONENT && first <= LITERAL_EXPONENT + 4;
    if (finite && out && dyadic)
      print_hexadecimal(out, m, e);
    else if (finite && out)
      print_decimal(out, m, e);
  }
  fmpz_clear(two);
  fmpz_clear(five);
  fmpz_clear(rest);
  fmpz_clear(m);
  return finite;
}
