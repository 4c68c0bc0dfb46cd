/* Philox 4x32-10 against the known-answer vectors that Random123 publishes (kat_vectors), and its streams. */
#include <check.h>
#include <stdlib.h>

#include "core/philox.h"

START_TEST(test_known_answers)
{
  static const struct {
    philox_block counter;
    uint32_t key[2];
    philox_block words;
  } cases[] = {
    {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {0xffffffff, 0xffffffff},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {0xa4093822, 0x299f31d0},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    philox_block b = philox_4x32(cases[i].counter, cases[i].key[0], cases[i].key[1]);
    for (int k = 0; k < 4; k++)
      ck_assert_uint_eq(b.word[k], cases[i].words.word[k]);
  }
}
END_TEST

/* The stream of seed 0, claim 0, instance 0, attempt 0 begins with the block of the zero counter. */
START_TEST(test_stream_begins)
{
  philox_stream s = philox_stream_start(0, 0, 0, 0);
  ck_assert_uint_eq(philox_next(&s), UINT64_C(0xe169c58d6627e8d5));
  ck_assert_uint_eq(philox_next(&s), UINT64_C(0x9b00dbd8bc57ac4c));
  philox_block second = philox_4x32((philox_block){{1, 0, 0, 0}}, 0, 0);
  ck_assert_uint_eq(philox_next(&s), second.word[0] | (uint64_t)second.word[1] << 32);
}
END_TEST

START_TEST(test_fill_equals_stream)
{
  enum { N = 37, WORDS = 9 };
  static const uint64_t firsts[] = {0, 5, UINT64_C(0xfffffff0), UINT64_C(0x123456789abcdef0)};
  uint64_t lanes[N];
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
    for (uint32_t attempt = 0; attempt < 3; attempt++)
      for (uint32_t position = 0; position < WORDS; position++) {
        philox_fill(lanes, N, UINT64_C(0xfedcba9876543210), 77, firsts[f], attempt, position);
        for (size_t i = 0; i < N; i++) {
          philox_stream s = philox_stream_start(UINT64_C(0xfedcba9876543210), 77, firsts[f] + i, attempt);
          uint64_t word = 0;
          for (uint32_t k = 0; k <= position; k++)
            word = philox_next(&s);
          ck_assert_uint_eq(lanes[i], word);
        }
      }
}
END_TEST

START_TEST(test_fill_words_equals_block)
{
  enum { N = 53 }; /* whole vectors and a rest */
  static const uint64_t firsts[] = {0, UINT64_C(0xffffffe0), UINT64_C(0x123456789abcdef0)};
  uint64_t words[4 * N], pair[N];
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
    for (size_t n = 0; n <= N; n++)
      for (uint32_t block = 0; block < 3; block++) {
        philox_fill_words(words, n, UINT64_C(0xfedcba9876543210), 77, firsts[f], 5, block);
        for (uint32_t half = 0; half < 2; half++) {
          philox_fill(pair, n, UINT64_C(0xfedcba9876543210), 77, firsts[f], 5, 2 * block + half);
          for (size_t i = 0; i < n; i++) {
            ck_assert_uint_eq(words[2 * half * n + i], pair[i] & UINT32_MAX);
            ck_assert_uint_eq(words[(2 * half + 1) * n + i], pair[i] >> 32);
          }
        }
      }
}
END_TEST

/* Streams that differ in one thing differ. */
START_TEST(test_streams_differ)
{
  philox_stream s[] = {philox_stream_start(1, 2, 3, 4),
                       philox_stream_start(2, 2, 3, 4),
                       philox_stream_start(1, 3, 3, 4),
                       philox_stream_start(1, 2, 4, 4),
                       philox_stream_start(1, 2, 3, 5),
                       philox_stream_start(1 | UINT64_C(1) << 32, 2, 3, 4),
                       philox_stream_start(1, 2, 3 | UINT64_C(1) << 32, 4)};
  enum { N = sizeof s / sizeof s[0] };
  uint64_t word[N];
  for (int i = 0; i < N; i++)
    word[i] = philox_next(&s[i]);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < i; k++)
      ck_assert_uint_ne(word[i], word[k]);
}
END_TEST

START_TEST(test_ranges)
{
  philox_stream s = philox_stream_start(9, 9, 9, 9);
  unsigned seen[6] = {0};
  for (int i = 0; i < 6000; i++) {
    double u = philox_uniform(&s);
    ck_assert(u >= 0 && u < 1);
    uint64_t k = philox_below(&s, 6);
    ck_assert_uint_lt(k, 6);
    seen[k]++;
  }
  for (int k = 0; k < 6; k++) /* mean 1000, standard deviation 29 */
    ck_assert(seen[k] > 800 && seen[k] < 1200);
  ck_assert_uint_eq(philox_below(&s, 1), 0);
}
END_TEST

/* FNV-1a, 32 bits: the values of "" and "a" are in its authors' tables. */
START_TEST(test_name_hash)
{
  ck_assert_uint_eq(philox_hash_name(""), 0x811c9dc5);
  ck_assert_uint_eq(philox_hash_name("a"), 0xe40c292c);
  ck_assert_uint_eq(philox_hash_name("foobar"), 0xbf9cf968);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("philox");
  TCase *tests = tcase_create("philox");
  tcase_add_test(tests, test_known_answers);
  tcase_add_test(tests, test_stream_begins);
  tcase_add_test(tests, test_fill_equals_stream);
  tcase_add_test(tests, test_fill_words_equals_block);
  tcase_add_test(tests, test_streams_differ);
  tcase_add_test(tests, test_ranges);
  tcase_add_test(tests, test_name_hash);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
