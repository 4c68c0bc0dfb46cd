/* The random source: reproducible, inside of the ranges, and rich in corners. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/philox.h"
#include "source/draw.h"
#include "tape_of.h"

typedef struct {
  claim_tape c;
  drawer *d;
  drawer_state *s;
  double *input;
  size_t size; /* doubles */
} fixture;

static fixture start(const char *claim_text, int64_t size)
{
  fixture f = {.c = tape_of(claim_text, size)};
  f.d = drawer_create(f.c.t);
  ck_assert_ptr_nonnull(f.d);
  f.s = drawer_state_create(f.d);
  f.size = f.c.t->elements * LANES;
  f.input = memory_new(f.size, sizeof *f.input);
  return f;
}

static void stop(fixture *f)
{
  free(f->input);
  drawer_state_destroy(f->s);
  drawer_destroy(f->d);
  tape_of_clear(&f->c);
}

static double *element(const fixture *f, size_t e)
{
  return f->input + e * LANES;
}

static bool same_bits(const double *a, const double *b, size_t n)
{
  return memcmp(a, b, n * sizeof *a) == 0;
}

static const char *const mixed = "claim mixed\n"
                                 "  size T >= 1\n"
                                 "  given a[t in 1..T] in (0, 1)\n"
                                 "  given d[t in 1..T] in [0, 1 - a[t]]\n"
                                 "  given z[t in 1..T] in real\n"
                                 "  given g in [2, inf)\n"
                                 "  show nothing: g >= 2\n"
                                 "end\n";

/* ---- reproducible ---- */

START_TEST(test_same_again)
{
  fixture f = start(mixed, 7), other = start(mixed, 7);
  drawer_fill(f.s, f.input, 11, 22, 330, 4);
  drawer_fill(other.s, other.input, 5, 5, 5, 5); /* what was drawn before must not matter */
  drawer_fill(other.s, other.input, 11, 22, 330, 4);
  ck_assert(same_bits(f.input, other.input, f.size));
  stop(&other);
  stop(&f);
}
END_TEST

/* An instance is a function of its number, whatever lane and block it comes in. */
START_TEST(test_number_alone)
{
  fixture f = start(mixed, 7), other = start(mixed, 7);
  static const uint64_t firsts[] = {0, UINT64_C(0xffffffe8), UINT64_C(0x123456789abc)};
  for (size_t k = 0; k < sizeof firsts / sizeof firsts[0]; k++)
    for (unsigned shift = 1; shift < LANES; shift += 5) {
      drawer_fill(f.s, f.input, 1, 2, firsts[k], 0);
      drawer_fill(other.s, other.input, 1, 2, firsts[k] + shift, 0);
      for (size_t e = 0; e < f.c.t->elements; e++)
        ck_assert(same_bits(element(&f, e) + shift, element(&other, e), LANES - shift));
    }
  stop(&other);
  stop(&f);
}
END_TEST

START_TEST(test_everything_matters)
{
  fixture f = start(mixed, 7);
  static const struct {
    uint64_t seed, first;
    uint32_t claim, attempt;
  } ways[] = {{1, 0, 1, 0},     {2, 0, 1, 0}, {1 | UINT64_C(1) << 40, 0, 1, 0},
              {1, LANES, 1, 0}, {1, 0, 2, 0}, {1, 0, 1, 1}};
  enum { WAYS = sizeof ways / sizeof ways[0] };
  double *kept = memory_new(WAYS * f.size, sizeof *kept);
  for (size_t k = 0; k < WAYS; k++) {
    drawer_fill(f.s, f.input, ways[k].seed, ways[k].claim, ways[k].first, ways[k].attempt);
    memcpy(kept + k * f.size, f.input, f.size * sizeof *kept);
    for (size_t j = 0; j < k; j++) {
      size_t twice = 0; /* simple values may come again at the same place, others hardly ever */
      for (size_t i = 0; i < f.size; i++) {
        double x = f.input[i];
        twice += x == kept[j * f.size + i] && fabs(x) > 0x1p-20 && x * 0x1p20 != floor(x * 0x1p20);
      }
      ck_assert_uint_lt(twice, f.size / 50);
    }
  }
  free(kept);
  stop(&f);
}
END_TEST

/* ---- ranges ---- */

enum { BLOCKS = 400 };

START_TEST(test_constant_ranges)
{
  fixture f = start("claim ranges\n"
                    "  given a in [0, 1]  given b in (0, 1)  given c in [-3, 5)  given d in (2, inf)\n"
                    "  given e in (-inf, -1]  given f in (1e300, 1.5e308]  given g in [-1.7e308, 1.7e308]\n"
                    "  given h in real  given i in (0, 1e-320)  given j in [4, 4]\n"
                    "  show nothing: a <= 1\n"
                    "end\n",
                    0);
  static const struct {
    double low, high;
    bool low_open, high_open;
  } range[] = {{0, 1, false, false},
               {0, 1, true, true},
               {-3, 5, false, true},
               {2, INFINITY, true, true},
               {-INFINITY, -1, true, false},
               {1e300, 1.5e308, true, false},
               {-1.7e308, 1.7e308, false, false},
               {-INFINITY, INFINITY, true, true},
               {0, 1e-320, true, true},
               {4, 4, false, false}};
  size_t n = sizeof range / sizeof range[0];
  ck_assert_uint_eq(f.c.t->elements, n);
  unsigned inner[sizeof range / sizeof range[0]] = {0};
  for (uint64_t k = 0; k < BLOCKS; k++) {
    drawer_fill(f.s, f.input, 1, 2, k * LANES, 0);
    for (size_t e = 0; e < n; e++)
      for (unsigned lane = 0; lane < LANES; lane++) {
        double x = element(&f, e)[lane];
        ck_assert(isfinite(x));
        ck_assert(range[e].low_open ? x > range[e].low : x >= range[e].low);
        ck_assert(range[e].high_open ? x < range[e].high : x <= range[e].high);
        inner[e] += x > range[e].low && x < range[e].high;
      }
  }
  for (size_t e = 0; e + 1 < n; e++)
    ck_assert_uint_gt(inner[e], BLOCKS * LANES / 5);
  stop(&f);
}
END_TEST

START_TEST(test_dependent_ranges)
{
  fixture f = start("claim dependent\n"
                    "  given a in (0, 1)  given d in [0, 1 - a]  given e in (d, d + a]  given s in [-1, 1]\n"
                    "  given x in [s, inf)  given y in (-inf, x)  given z in [y - 3, x*x]\n"
                    "  show nothing: a < 1\n"
                    "end\n",
                    0);
  for (uint64_t k = 0; k < BLOCKS; k++) {
    drawer_fill(f.s, f.input, 3, 4, k * LANES, 0);
    for (unsigned i = 0; i < LANES; i++) {
      double a = element(&f, 0)[i], d = element(&f, 1)[i], e = element(&f, 2)[i], s = element(&f, 3)[i];
      double x = element(&f, 4)[i], y = element(&f, 5)[i], z = element(&f, 6)[i];
      ck_assert(0 <= d && d <= 1 - a);
      ck_assert(d < e || d + a == d);
      ck_assert(e <= d + a || d + a == d);
      ck_assert(s <= x && y < x && isfinite(x) && isfinite(y));
      if (isfinite(x * x) && y - 3 <= x * x)
        ck_assert(y - 3 <= z && z <= x * x);
      ck_assert(isfinite(z));
    }
  }
  stop(&f);
}
END_TEST

/* Where the solution does not exist, the value drawn here stands. */
START_TEST(test_solved_is_drawn_too)
{
  fixture f = start("claim solved\n"
                    "  given a in [0, 1]  given b in [2, 3]\n"
                    "  assume tied: a + b = 1\n"
                    "  show nothing: a <= 1\n"
                    "end\n",
                    0);
  size_t solved = tape_is_drawn(f.c.t, 1) ? 0 : 1;
  ck_assert(!tape_is_drawn(f.c.t, solved));
  for (size_t i = 0; i < f.size; i++)
    f.input[i] = NAN;
  drawer_fill(f.s, f.input, 1, 1, 0, 0);
  double low = solved ? 2 : 0;
  for (unsigned i = 0; i < LANES; i++)
    ck_assert(element(&f, solved)[i] >= low && element(&f, solved)[i] <= low + 1);
  stop(&f);
}
END_TEST

/* ---- the mix ---- */

/* Corners of eight variables at once, which uniform draws never meet, and each tenth of the range. */
START_TEST(test_corners)
{
  fixture f = start("claim box\n  size T >= 1\n  given x[t in 1..T] in [0, 1]\n"
                    "  show nothing: x[1] <= 1\nend\n",
                    8);
  unsigned corners = 0, low = 0, high = 0, tenth[10] = {0}, total = BLOCKS * LANES, full = 0;
  for (uint64_t k = 0; k < BLOCKS; k++) {
    drawer_fill(f.s, f.input, 1, 2, k * LANES, 0);
    for (unsigned i = 0; i < LANES; i++) {
      unsigned ends = 0;
      for (size_t e = 0; e < 8; e++) {
        double x = element(&f, e)[i];
        low += x == 0;
        high += x == 1;
        ends += x == 0 || x == 1;
        if (x > 0 && x < 1)
          tenth[(int)(x * 10)]++;
        full += x * 0x1p40 != floor(x * 0x1p40);
      }
      corners += ends == 8;
    }
  }
  ck_assert_uint_gt(corners, total / 100);
  ck_assert_uint_gt(low, total * 8 / 10);
  ck_assert_uint_gt(high, total * 8 / 10);
  for (int i = 0; i < 10; i++)
    ck_assert_uint_gt(tenth[i], total * 8 / 100);
  ck_assert_uint_gt(full, total * 8 / 10); /* values with all their bits */
  stop(&f);
}
END_TEST

/* The numbers are those of the streams: word 0 of an instance chooses its temper, 2 and 3 are its salt, the
 * fourth and later ones are its elements'. Under the first temper rolls of 28 and more are uniform. */
START_TEST(test_words)
{
  fixture f = start("claim box\n  size T >= 1\n  given x[t in 1..T] in [0, 1]\n"
                    "  show nothing: x[1] <= 1\nend\n",
                    6);
  unsigned seen = 0, cell[8][8] = {{0}};
  for (uint64_t k = 0; k < 4 * BLOCKS; k++) {
    drawer_fill(f.s, f.input, 77, 2, k * LANES, 1);
    for (unsigned i = 0; i < LANES; i++) {
      philox_stream s = philox_stream_start(77, 2, k * LANES + i, 1);
      uint64_t first = philox_next(&s), salt = philox_next(&s), pair = 0;
      if ((first & UINT32_MAX) * 13 >> 32 != 0)
        continue;
      bool uniform[6];
      for (size_t e = 0; e < 6; e++) {
        if (e % 2 == 0)
          pair = philox_next(&s);
        uint64_t w = e % 2 ? pair >> 32 : pair & UINT32_MAX, word = (w * UINT64_C(0x100000001)) ^ salt;
        uniform[e] = (word & 255) >= 28;
        if (!uniform[e])
          continue;
        double all = ldexp((double)(word >> 12), -52), few = (double)(2 * (word >> 58) + 1) / 128;
        ck_assert(element(&f, e)[i] == (word >> 10 & 1 ? few : all));
        seen++;
      }
      if (uniform[2] && uniform[3])
        cell[(int)(8 * element(&f, 2)[i])][(int)(8 * element(&f, 3)[i])]++;
    }
  }
  ck_assert_uint_gt(seen, 4 * BLOCKS * LANES * 6 / 13 * 8 / 10);
  for (int i = 0; i < 8; i++) /* one in 64 of some 3150 */
    for (int j = 0; j < 8; j++)
      ck_assert(cell[i][j] > 18 && cell[i][j] < 90);
  stop(&f);
}
END_TEST

/* Beside each closed end, and as near as doubles come to an open one. */
START_TEST(test_beside_ends)
{
  fixture f = start("claim ends\n  given a in [1, 2]  given b in (0, 1)\n  show nothing: a <= 2\nend\n", 0);
  unsigned count[4] = {0};
  for (uint64_t k = 0; k < BLOCKS; k++) {
    drawer_fill(f.s, f.input, 1, 2, k * LANES, 0);
    for (unsigned i = 0; i < LANES; i++) {
      count[0] += element(&f, 0)[i] == nextafter(1, 2);
      count[1] += element(&f, 0)[i] == nextafter(2, 1);
      count[2] += element(&f, 1)[i] == nextafter(0, 1);
      count[3] += element(&f, 1)[i] == nextafter(1, 0);
    }
  }
  for (int i = 0; i < 4; i++)
    ck_assert_uint_gt(count[i], BLOCKS * LANES / 500);
  stop(&f);
}
END_TEST

START_TEST(test_kinds_of_reals)
{
  fixture f = start("claim reals\n  size T >= 1\n  given x[t in 1..T] in real\n"
                    "  show nothing: x[1] >= x[1]\nend\n",
                    6);
  unsigned zero = 0, subnormal = 0, huge = 0, tiny = 0, whole = 0, positive = 0, negative = 0;
  unsigned alternating = 0, constant = 0;
  for (uint64_t k = 0; k < BLOCKS; k++) {
    drawer_fill(f.s, f.input, 1, 2, k * LANES, 0);
    for (unsigned i = 0; i < LANES; i++) {
      bool alternates = true, repeats = true;
      for (size_t e = 0; e < 6; e++) {
        double x = element(&f, e)[i], before = e ? element(&f, e - 1)[i] : 0;
        zero += x == 0;
        subnormal += x != 0 && fabs(x) < 0x1p-1022;
        huge += fabs(x) > 1e100;
        tiny += x != 0 && fabs(x) < 1e-100;
        whole += x != 0 && fabs(x) <= 64 && x == floor(x);
        positive += x > 0;
        negative += x < 0;
        alternates = alternates && (e == 0 || x * before < 0);
        repeats = repeats && (e == 0 || x == before);
      }
      alternating += alternates;
      constant += repeats;
    }
  }
  unsigned total = BLOCKS * LANES;
  ck_assert_uint_gt(zero, total * 6 / 50);
  ck_assert_uint_gt(subnormal, total * 6 / 1000);
  ck_assert_uint_gt(huge, total * 6 / 200);
  ck_assert_uint_gt(tiny, total * 6 / 200);
  ck_assert_uint_gt(whole, total * 6 / 10);
  ck_assert_uint_gt(positive, total * 6 / 4);
  ck_assert_uint_gt(negative, total * 6 / 4);
  ck_assert_uint_gt(alternating, total / 50);
  ck_assert_uint_gt(constant, total / 50);
  stop(&f);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("draw");
  TCase *c = tcase_create("reproducible");
  tcase_add_test(c, test_same_again);
  tcase_add_test(c, test_number_alone);
  tcase_add_test(c, test_everything_matters);
  suite_add_tcase(s, c);
  c = tcase_create("ranges");
  tcase_add_test(c, test_constant_ranges);
  tcase_add_test(c, test_dependent_ranges);
  tcase_add_test(c, test_solved_is_drawn_too);
  suite_add_tcase(s, c);
  c = tcase_create("mix");
  tcase_add_test(c, test_corners);
  tcase_add_test(c, test_words);
  tcase_add_test(c, test_beside_ends);
  tcase_add_test(c, test_kinds_of_reals);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
