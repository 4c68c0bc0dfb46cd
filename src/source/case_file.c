/* Case files: a scanner for words and strings, and the entries. */
#include "source/case_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "core/text.h"

const char *const case_verdict_words[] = {
    "REFUTED", "PROVED",   "PROVED-ON-BOX", "SURVIVED",   "UNDECIDED", "NO-INSTANCE",
    "VACUOUS", "POSSIBLE", "IMPOSSIBLE",    "NO-WITNESS", NULL};

enum { MOST_RUNS = 100000 };

typedef enum { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_BAD } token_kind;

typedef struct {
  diag *d;
  const diag_source *source;
  size_t at;
  unsigned line, column;
  token_kind kind; /* the token at hand */
  diag_place place;
  char *word; /* its text, owned */
  bool failed;
} scanner;

static void fail(scanner *s, diag_place place, const char *what, const char *name, const char *rest)
{
  if (!s->failed)
    diag_error(s->d, place, "%s%s%s", what, name, rest);
  s->failed = true;
}

static bool is_word(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

static void step(scanner *s)
{
  char c = s->source->text[s->at++];
  if (c == '\n') {
    s->line++;
    s->column = 1;
  } else if (((unsigned char)c & 0xC0) != 0x80)
    s->column++;
}

/* Reads the next token. */
static void next(scanner *s)
{
  const char *t = s->source->text;
  size_t length = s->source->length;
  free(s->word);
  s->word = NULL;
  while (s->at < length && (strchr(" \t\r\n", t[s->at]) || t[s->at] == '#') && t[s->at]) {
    if (t[s->at] == '#')
      while (s->at < length && t[s->at] != '\n')
        step(s);
    else
      step(s);
  }
  s->place = (diag_place){.source = s->source, .offset = s->at, .line = s->line, .column = s->column};
  size_t begin = s->at;
  if (s->at == length)
    s->kind = TOKEN_END;
  else if (is_word(t[s->at])) {
    s->kind = TOKEN_WORD;
    while (s->at < length && is_word(t[s->at]))
      step(s);
  } else if (t[s->at] == '"') {
    s->kind = TOKEN_STRING;
    step(s);
    begin++;
    while (s->at < length && t[s->at] != '"' && t[s->at] != '\n' && t[s->at])
      step(s);
    if (s->at == length || t[s->at] != '"') {
      s->kind = TOKEN_BAD;
      fail(s, s->place, "this string has no end on its line", "", "");
    }
  } else {
    s->kind = TOKEN_BAD;
    fail(s, s->place, "a character that means nothing here", "", "");
  }
  s->word = memory_new(s->at - begin + 1, 1);
  memcpy(s->word, t + begin, s->at - begin);
  if (s->kind == TOKEN_STRING)
    step(s);
}

static char *take_word(scanner *s)
{
  char *word = s->word;
  s->word = NULL;
  next(s);
  return word;
}

static char *relative(const scanner *s, const char *path)
{
  const char *slash = strrchr(s->source->name, '/');
  text out;
  text_init(&out);
  if (*path != '/' && slash)
    text_add_bytes(&out, s->source->name, (size_t)(slash - s->source->name) + 1);
  else if (!strcmp(path, "-")) /* a file of this name, not standard input */
    text_add(&out, "./");
  text_add(&out, path);
  return text_take(&out);
}

/* ---- entries ---- */

typedef enum {
  ENTRY_CLAIM,
  ENTRY_FILE,
  ENTRY_EXPECT,
  ENTRY_SIZES,
  ENTRY_TRIALS,
  ENTRY_SEED,
  ENTRY_INSTANCES,
  ENTRY_COUNT
} entry;
static const char *const entry_words[] = {"claim", "file",      "expect", "sizes", "trials",
                                          "seed",  "instances", "end",    NULL};

static const char *nearest(const char *word, const char *const *words)
{
  const char *best = NULL;
  unsigned least = 3;
  for (; *words; words++) {
    unsigned distance = diag_name_distance(word, *words, 3);
    if (distance < least) {
      least = distance;
      best = *words;
    }
  }
  return best;
}

static void fail_unexpected(scanner *s, const char *wanted, const char *const *words)
{
  const char *near = s->kind == TOKEN_WORD && words ? nearest(s->word, words) : NULL;
  text message;
  text_init(&message);
  if (s->kind == TOKEN_END)
    text_add(&message, "the file ends here");
  else
    text_addf(&message, "unexpected '%s'", s->word);
  text_addf(&message, ", %s expected", wanted);
  if (near)
    text_addf(&message, "; did you mean '%s'?", near);
  fail(s, s->place, text_string(&message), "", "");
  text_clear(&message);
}

static bool is_verdict(const char *word)
{
  for (const char *const *v = case_verdict_words; *v; v++)
    if (!strcmp(*v, word))
      return true;
  return false;
}

static bool parse_count(const char *s, uint64_t most, uint64_t *value)
{
  *value = 0;
  if (!*s)
    return false;
  for (; *s; s++)
    if (*s < '0' || *s > '9' || __builtin_mul_overflow(*value, UINT64_C(10), value) ||
        __builtin_add_overflow(*value, (uint64_t)(*s - '0'), value))
      return false;
  return *value <= most;
}

static bool skip_number(const char **s, uint64_t *value)
{
  char digits[24];
  size_t n = strspn(*s, "0123456789");
  if (n == 0 || n >= sizeof digits)
    return false;
  memcpy(digits, *s, n);
  digits[n] = 0;
  *s += n;
  return parse_count(digits, LIMIT_SIZE, value);
}

bool case_sizes_well_formed(const char *s)
{
  for (;; s++) {
    const char *name = s;
    while (is_word(*s))
      s++;
    uint64_t low, high;
    if (s == name || *s++ != '=' || !skip_number(&s, &low))
      return false;
    high = low;
    if (!strncmp(s, "..", 2)) {
      s += 2;
      if (!skip_number(&s, &high))
        return false;
    }
    if (low > high)
      return false;
    if (!*s)
      return true;
    if (*s != ',')
      return false;
  }
}

const char *case_sizes_repeated(const char *s, size_t *length)
{
  for (const char *later = s; *later; later += strspn(later, ",")) {
    size_t n = strcspn(later, "=") + 1; /* the = too, so that T is not found in T2 */
    *length = n - 1;
    for (const char *part = s; part < later; part = strchr(part, ',') + 1)
      if (!strncmp(part, later, n))
        return later;
    later += strcspn(later, ",");
  }
  return NULL;
}

static void check_sizes(scanner *s)
{
  size_t length;
  const char *again;
  if (!case_sizes_well_formed(s->word))
    fail(s, s->place, "sizes are written \"T=1..8,N=2\", not \"", s->word, "\"");
  else if ((again = case_sizes_repeated(s->word, &length))) {
    s->word[(size_t)(again - s->word) + length] = 0;
    fail(s, s->place, "the size '", again, "' is given twice");
  }
}

/* The argument of entry e; the token at hand is the argument. */
static void read_argument(scanner *s, case_run *run, entry e)
{
  static const token_kind kinds[] = {
      [ENTRY_CLAIM] = TOKEN_WORD,      [ENTRY_FILE] = TOKEN_STRING, [ENTRY_EXPECT] = TOKEN_WORD,
      [ENTRY_SIZES] = TOKEN_STRING,    [ENTRY_TRIALS] = TOKEN_WORD, [ENTRY_SEED] = TOKEN_WORD,
      [ENTRY_INSTANCES] = TOKEN_STRING};
  if (s->kind != kinds[e]) {
    fail_unexpected(s, kinds[e] == TOKEN_STRING ? "a string" : "a word", NULL);
    return;
  }
  switch (e) {
  case ENTRY_CLAIM:
    run->claim = take_word(s);
    return;
  case ENTRY_FILE:
    run->file = relative(s, s->word);
    break;
  case ENTRY_INSTANCES:
    run->instances = relative(s, s->word);
    break;
  case ENTRY_EXPECT:
    if (!is_verdict(s->word)) {
      fail_unexpected(s, "a verdict (REFUTED, SURVIVED, NO-INSTANCE, ...)", case_verdict_words);
      return;
    }
    run->expect = take_word(s);
    return;
  case ENTRY_SIZES:
    check_sizes(s);
    run->sizes = take_word(s);
    return;
  case ENTRY_TRIALS:
    run->has_trials = parse_count(s->word, CASE_MOST_TRIALS, &run->trials) && run->trials > 0;
    if (!run->has_trials)
      fail(s, s->place, "trials: '", s->word, "' is no whole number from 1 to 1000000000000");
    break;
  default:
    run->has_seed = parse_count(s->word, CASE_MOST_SEED, &run->seed);
    if (!run->has_seed)
      fail(s, s->place, "seed: '", s->word, "' is no whole number from 0 to 9223372036854775807");
  }
  next(s);
}

static void read_run(scanner *s, case_file *f)
{
  if (s->kind != TOKEN_WORD || strcmp(s->word, "case")) {
    static const char *const begin[] = {"case", NULL};
    fail_unexpected(s, "'case' or the end of the file", begin);
    return;
  }
  next(s);
  if (s->kind != TOKEN_WORD) {
    fail_unexpected(s, "the name of the case", NULL);
    return;
  }
  for (size_t i = 0; i < f->count; i++)
    if (!strcmp(f->run[i].name, s->word))
      fail(s, s->place, "case '", s->word, "' is in this file already");
  if (f->count == MOST_RUNS)
    fail(s, s->place, "more than 100000 cases in one file", "", "");
  if (s->failed)
    return;
  f->run = memory_resize(f->run, f->count + 1, sizeof *f->run);
  case_run *run = &f->run[f->count++];
  *run = (case_run){.place = s->place};
  run->name = take_word(s);
  bool seen[ENTRY_COUNT] = {false};
  while (!s->failed) {
    unsigned e = 0;
    while (s->kind == TOKEN_WORD && entry_words[e] && strcmp(entry_words[e], s->word))
      e++;
    if (s->kind != TOKEN_WORD || !entry_words[e]) {
      fail_unexpected(s, "claim, file, expect, sizes, trials, seed, instances or end", entry_words);
      return;
    }
    if (e == ENTRY_COUNT)
      break;
    if (seen[e])
      fail(s, s->place, "'", s->word, "' stands twice in this case");
    seen[e] = true;
    next(s);
    if (!s->failed)
      read_argument(s, run, (entry)e);
  }
  if (!run->claim && !run->file)
    fail(s, run->place, "case '", run->name, "' names neither a claim nor a file");
  if (!s->failed)
    next(s);
}

bool case_file_read_source(case_file *f, diag *d, diag_source *source)
{
  *f = (case_file){.source = source};
  scanner s = {.d = d, .source = source, .line = 1, .column = 1};
  next(&s);
  if (s.kind == TOKEN_END)
    fail(&s, s.place, "no case in this file", "", "");
  while (!s.failed && s.kind != TOKEN_END)
    read_run(&s, f);
  free(s.word);
  return !s.failed;
}

bool case_file_read(case_file *f, diag *d, const char *path)
{
  *f = (case_file){0};
  diag_source *source = diag_source_read(d, path, LIMIT_SOURCE_BYTES);
  return source && case_file_read_source(f, d, source);
}

void case_file_clear(case_file *f)
{
  for (size_t i = 0; i < f->count; i++) {
    case_run *r = &f->run[i];
    free(r->name);
    free(r->claim);
    free(r->file);
    free(r->expect);
    free(r->sizes);
    free(r->instances);
  }
  free(f->run);
  diag_source_destroy(f->source);
  *f = (case_file){0};
}
