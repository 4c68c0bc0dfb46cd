/* Decimal numbers rounded outward. */
#include "report/decimal.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

/* Binary exponents up to this magnitude go through MPFR, whose default range is four times as wide. */
enum { EXPONENT_LIMIT = 1 << 28 };
/* floor(2^28 log10(2)): 10^TEN <= 2^(2^28), and 2^(-2^28) <= 10^-TEN. */
#define TEN "80807124"

/* digits d1 d2 d3 ... of 0.d1d2d3... * 10^exponent, into the form of the header. */
static char *format_digits(const char *digits, mpfr_exp_t exponent)
{
  text out;
  text_init(&out);
  if (*digits == '-') {
    text_add_char(&out, '-');
    digits++;
  }
  size_t count = strlen(digits);
  while (count > 1 && digits[count - 1] == '0')
    count--;
  if (digits[0] == '0') {
    text_add(&out, "0");
  } else if (exponent > 17 || exponent < -4) {
    text_add_char(&out, digits[0]);
    if (count > 1) {
      text_add_char(&out, '.');
      text_add_bytes(&out, digits + 1, count - 1);
    }
    text_addf(&out, "e%ld", (long)exponent - 1);
  } else if (exponent <= 0) {
    text_add(&out, "0.");
    for (mpfr_exp_t i = exponent; i < 0; i++)
      text_add_char(&out, '0');
    text_add_bytes(&out, digits, count);
  } else {
    size_t whole = (size_t)exponent;
    for (size_t i = 0; i < whole || i < count; i++) {
      if (i == whole)
        text_add_char(&out, '.');
      text_add_char(&out, i < count ? digits[i] : '0');
    }
  }
  return text_take(&out);
}

static char *format_mpfr(const mpfr_t x, int digits, mpfr_rnd_t direction)
{
  if (mpfr_zero_p(x))
    return memory_copy_string("0");
  /* mpfr_get_str wants two digits at least; one more conversion would round twice. */
  mpfr_exp_t exponent;
  char *raw = mpfr_get_str(NULL, &exponent, 10, digits < 2 ? 2 : (size_t)digits, x, direction);
  if (raw == NULL)
    memory_die("a number could not be written");
  char *out = format_digits(raw, exponent);
  mpfr_free_str(raw);
  return out;
}

char *decimal_toward(const arf_t x, int digits, bool up)
{
  if (!arf_is_finite(x))
    return NULL;
  if (arf_is_zero(x))
    return memory_copy_string("0");
  bool away = (arf_sgn(x) > 0) == up; /* from zero */
  const char *sign = arf_sgn(x) < 0 ? "-" : "";
  text out;
  text_init(&out);
  if (arf_cmpabs_2exp_si(x, -EXPONENT_LIMIT) < 0) {
    text_addf(&out, "%s", away ? sign : "0");
    if (away)
      text_add(&out, "1e-" TEN);
    return text_take(&out);
  }
  if (arf_cmpabs_2exp_si(x, EXPONENT_LIMIT) > 0) {
    if (away)
      return NULL;
    text_addf(&out, "%s1e" TEN, sign);
    return text_take(&out);
  }
  mpfr_t exact;
  slong bits = arf_bits(x);
  mpfr_init2(exact, bits < 2 ? 2 : bits);
  arf_get_mpfr(exact, x, MPFR_RNDN); /* exact: the mantissa fits */
  char *result = format_mpfr(exact, digits, up ? MPFR_RNDU : MPFR_RNDD);
  mpfr_clear(exact);
  return result;
}

void decimal_ends(char **lower, char **upper, const arb_t x, int digits)
{
  arf_t end;
  arf_init(end);
  slong precision = 64 + 4 * (slong)digits; /* its rounding, outward too, is not to be seen */
  arb_get_lbound_arf(end, x, precision);
  *lower = decimal_toward(end, digits, false);
  arb_get_ubound_arf(end, x, precision);
  *upper = decimal_toward(end, digits, true);
  arf_clear(end);
}

void decimal_ends_positive(char **lower, char **upper, const arb_t x, int digits)
{
  decimal_ends(lower, upper, x, digits);
  if (*lower == NULL || **lower == '-') {
    free(*lower);
    *lower = memory_copy_string("0");
  }
}

char *decimal_ball(const arb_t x, int digits)
{
  char *lower, *upper;
  decimal_ends(&lower, &upper, x, digits);
  text out;
  text_init(&out);
  if (lower != NULL && upper != NULL && strcmp(lower, upper) == 0)
    text_add(&out, lower);
  else
    text_addf(&out, "[%s, %s]", lower != NULL ? lower : "-inf", upper != NULL ? upper : "inf");
  free(lower);
  free(upper);
  return text_take(&out);
}

char *decimal_double(double x)
{
  mpfr_t exact;
  mpfr_init2(exact, 53);
  mpfr_set_d(exact, x, MPFR_RNDN);
  char *result = format_mpfr(exact, 17, MPFR_RNDN);
  mpfr_clear(exact);
  return result;
}
