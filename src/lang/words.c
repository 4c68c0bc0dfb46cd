/* The words of the claim language, in tables. */
#include "lang/words.h"

#include <string.h>

#include "lang/names.h"
#include "lang/syntax.h"

#include "lang/parser.h"

static const struct {
  const char *word;
  int token;
} keyword[] = {
  {"and", AND},     {"as", AS},         {"assume", ASSUME}, {"claim", CLAIM},     {"drop", DROP},
  {"else", ELSE},   {"end", END},       {"exists", EXISTS}, {"family", FAMILY},   {"forall", FORALL}, {"from", FROM},
  {"given", GIVEN},   {"if", IF},         {"implies", IMPLIES}, {"in", IN},         {"inf", INF},
  {"let", LET},     {"not", NOT},       {"or", OR},       {"pi", PI},           {"possible", POSSIBLE},
  {"random", RANDOM}, {"real", REAL},     {"replace", REPLACE}, {"show", SHOW},     {"size", SIZE},
  {"source", SOURCE}, {"table", TABLE}, {"tensor", TENSOR},  {"then", THEN},     {"title", TITLE},   {"trivial", TRIVIAL},   {"try", TRY},
};

int words_keyword(const char *word)
{
  for (size_t i = 0; i < sizeof keyword / sizeof keyword[0]; i++)
    if (strcmp(word, keyword[i].word) == 0)
      return keyword[i].token;
  return 0;
}

int words_function(function_kind *function, const char *word)
{
  static const struct {
    const char *word;
    int token;
  } other[] = {
      {"sum", SUM}, {"prod", PROD}, {"min", MIN}, {"max", MAX}, {"d", DERIVATIVE}, {"mean", MEAN}, {"integral", INTEGRAL},
      {"normal", NORMAL}};
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    if (strcmp(word, other[i].word) == 0)
      return other[i].token;
  for (int f = 0; f < FUNCTION_COUNT; f++)
    if (strcmp(word, tree_function_name((function_kind)f)) == 0) {
      *function = (function_kind)f;
      return FUNCTION;
    }
  return 0;
}

bool words_begins_declaration(int token)
{
  switch (token) {
  case TITLE:
  case SOURCE:
  case SIZE:
  case TRY:
  case GIVEN:
  case RANDOM:
  case TENSOR:
  case TABLE:
  case LET:
  case ASSUME:
  case SHOW:
  case POSSIBLE:
  case TRIVIAL:
  case DROP:
  case REPLACE:
  case CLAIM:
  case FAMILY:
  case END:
    return true;
  default:
    return false;
  }
}

const char *words_nearest_declaration(const char *word)
{
  names_nearest near = names_nearest_start(word);
  for (size_t i = 0; i < sizeof keyword / sizeof keyword[0]; i++)
    if (words_begins_declaration(keyword[i].token))
      names_nearest_offer(&near, keyword[i].word);
  return near.best;
}

const char *words_nearest_function(const char *word)
{
  names_nearest near = names_nearest_start(word);
  names_nearest_offer(&near, "sum");
  names_nearest_offer(&near, "prod");
  names_nearest_offer(&near, "mean");
  names_nearest_offer(&near, "integral");
  for (int f = 0; f < FUNCTION_COUNT; f++)
    names_nearest_offer(&near, tree_function_name((function_kind)f));
  return near.best;
}

const char *words_instead(const char *operator_)
{
  static const char *const table[][2] = {
      {"==", "="},  {"**", "^"},  {"&&", "and"}, {"=<", "<="}, {"=>", ">= or implies"},
      {"||", "or"}, {"<>", "!="}, {":=", "="}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(operator_, table[i][0]) == 0)
      return table[i][1];
  return "";
}

/* By code point: U+0391 ... U+03A9 and U+03B1 ... U+03C9. The variants are spelled as their letter. */
static const char *const greek[] = {"alpha",   "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                    "theta",   "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                    "omicron", "pi",   "rho",   "sigma",  "sigma",   "tau",  "upsilon",
                                    "phi",     "chi",  "psi",   "omega"};

static const char *letter_name(unsigned code)
{
  switch (code) {
  case 0x3D1:
    return "theta";
  case 0x3D5:
    return "phi";
  case 0x3D6:
    return "pi";
  case 0x3F0:
    return "kappa";
  case 0x3F1:
    return "rho";
  case 0x3F5:
    return "epsilon";
  default:
    return greek[code - (code < 0x3B1 ? 0x391 : 0x3B1)];
  }
}

void words_from_greek(text *out, const char *s, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c < 0x80) {
      text_add_char(out, s[i]);
      continue;
    }
    unsigned code = (c & 0x1Fu) << 6 | ((unsigned char)s[++i] & 0x3Fu);
    const char *name = letter_name(code);
    bool capital = code < 0x3B1;
    text_add_char(out, capital ? (char)(name[0] - 'a' + 'A') : name[0]);
    text_add(out, name + 1);
  }
}

const char *words_greek_prefix(const char *name, size_t *length)
{
  const char *best = NULL;
  for (size_t i = 0; i < sizeof greek / sizeof greek[0]; i++) {
    size_t n = strlen(greek[i]);
    bool lower = strncmp(name, greek[i], n) == 0;
    bool capital = name[0] == greek[i][0] - 'a' + 'A' && strncmp(name + 1, greek[i] + 1, n - 1) == 0;
    if ((lower || capital) && (!best || n > *length)) {
      best = greek[i];
      *length = n;
    }
  }
  return best;
}
