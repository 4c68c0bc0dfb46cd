/* Feeds a fuzz target without libFuzzer: every file named on the command line as it is, then spoilt in
 * many ways, the same ones in every run. Where the target crashes it says which attempt that was. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

enum { ATTEMPTS = 400, MOST_BYTES = 1 << 16 };

static uint64_t state;
static volatile sig_atomic_t attempt; /* 0: the file as it is */

static void say_where(int number)
{
  char digits[] = "it crashed in attempt 0000\n";
  int rest = attempt;
  for (size_t place = sizeof digits - 3; rest > 0; place--, rest /= 10)
    digits[place] = (char)('0' + rest % 10);
  /* All that a handler may do. */
  if (write(STDERR_FILENO, digits, sizeof digits - 1) < 0)
    _exit(99);
  signal(number, SIG_DFL);
  raise(number);
}

/* A linear congruential generator with Knuth's constants; its high bits, below `bound`. */
static size_t draw(size_t bound)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return bound ? (size_t)(state >> 33) % bound : 0;
}

/* Spoils data[0..size-1], which has room for twice as much; returns the new size. */
static size_t spoil(uint8_t *data, size_t size)
{
  static const char *const words[] = {"\xff", "\0", "(", ")", "[", "1e999999", "-", "0", "end", "from", "\"",
                                      "^", "9223372036854775808", "{", "}", ",", "T", "in", "forall", "..",
                                      "#", "\n"};
  for (size_t strokes = 1 + draw(4); strokes > 0 && size > 0; strokes--) {
    size_t at = draw(size), length = 1 + draw(size - at < 40 ? size - at : 40);
    switch (draw(5)) {
    case 0: /* one bit */
      data[at] = (uint8_t)(data[at] ^ (1u << draw(8)));
      break;
    case 1: /* a piece left out */
      memmove(data + at, data + at + length, size - at - length);
      size -= length;
      break;
    case 2: /* a piece twice */
      if (size + length > MOST_BYTES)
        break;
      memmove(data + at + length, data + at, size - at);
      size += length;
      break;
    case 3: { /* a word put over what was there */
      const char *word = words[draw(sizeof words / sizeof *words)];
      size_t bytes = *word ? strlen(word) : 1;
      if (at + bytes <= size)
        memcpy(data + at, word, bytes);
      break;
    }
    default: /* the end cut off */
      if (draw(4) == 0)
        size = at;
    }
  }
  return size;
}

static void feed(const uint8_t *data, size_t size)
{
  /* A copy of exactly this size, so that a sanitizer sees a read past the end. */
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    abort();
  if (size)
    memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

int main(int argc, char **argv)
{
  static uint8_t original[MOST_BYTES], data[2 * MOST_BYTES];
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE...\n", argv[0]);
    return 2;
  }
  signal(SIGABRT, say_where);
  signal(SIGSEGV, say_where);
  signal(SIGBUS, say_where);
  signal(SIGFPE, say_where);
  for (int i = 1; i < argc; i++) {
    FILE *in = fopen(argv[i], "rb");
    if (!in) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      return 2;
    }
    size_t size = fread(original, 1, sizeof original, in);
    fclose(in);
    printf("%s\n", argv[i]);
    fflush(stdout);
    attempt = 0;
    feed(original, size);
    for (attempt = 1; attempt <= ATTEMPTS; attempt++) {
      state = (uint64_t)attempt;
      memcpy(data, original, size);
      feed(data, spoil(data, size));
    }
  }
  return 0;
}
