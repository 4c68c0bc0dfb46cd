/* The command line: which command takes which options, and what their arguments may be. */
#include "cli/options.h"

#include <getopt.h>
#include <string.h>

#include "core/limits.h"
#include "source/case_file.h"

enum {
  OPTION_SEED = 256,
  OPTION_TRIALS,
  OPTION_TIME,
  OPTION_THREADS,
  OPTION_PRECISION,
  OPTION_SIZES,
  OPTION_POWER,
  OPTION_JSON,
  OPTION_JUNIT,
  OPTION_OUT,
  OPTION_QUIET,
  OPTION_TAP,
  OPTION_REQUIRE_PROOF,
  OPTION_LATEX,
  OPTION_ARITH,
  OPTION_LENGTH,
  OPTION_FAMILY,
  OPTION_ACTIVATIONS,
  OPTION_CLAIM,
  OPTION_POLARIZED,
  OPTION_STATS,
  OPTION_HEADER_LIMIT,
  OPTION_MODEL,
  OPTION_TOKENS,
  OPTION_RANDOM,
  OPTION_INPUT,
  OPTION_SEQUENCES,
  OPTION_LAYERS,
  OPTION_RECORD,
  OPTION_STATE,
  OPTION_SAVE_STATE,
  OPTION_POSITIONS,
  OPTION_PROBES,
  OPTION_NOISE,
  OPTION_PAIRS,
  OPTION_WINDOW,
  OPTION_NORMALIZER,
  OPTION_VOCABULARY,
  OPTION_HELP,
  OPTION_VERSION
};

enum { MOST_THREADS = 1024, LEAST_PRECISION = 64, MOST_POWER = 1000, ALL = 1023 };
enum { MOST_TOKENS = 1000000000, MOST_SEQUENCES = 1000000 };
/* Commands that run a model. */
enum { RUN = COMMAND_SIMULATE | COMMAND_MEASURE | COMMAND_AUDIT };

static const struct {
  const char *name;
  int argument; /* as of getopt_long */
  int number;
  int commands;
} known[] = {
    {"seed", required_argument, OPTION_SEED, RUN | COMMAND_TABLE},
    {"trials", required_argument, OPTION_TRIALS, COMMAND_AUDIT | COMMAND_TABLE},
    {"time", required_argument, OPTION_TIME, COMMAND_AUDIT},
    {"threads", required_argument, OPTION_THREADS, RUN | COMMAND_MODEL | COMMAND_TABLE},
    {"precision", required_argument, OPTION_PRECISION, COMMAND_AUDIT | COMMAND_DECIDE | COMMAND_MODEL | COMMAND_TABLE},
    {"sizes", required_argument, OPTION_SIZES, COMMAND_AUDIT},
    {"power", optional_argument, OPTION_POWER, COMMAND_AUDIT},
    {"json", required_argument, OPTION_JSON,
     COMMAND_AUDIT | COMMAND_MODEL | COMMAND_TENSORS | COMMAND_MEASURE | COMMAND_TABLE},
    {"junit", required_argument, OPTION_JUNIT, COMMAND_AUDIT},
    {"out", required_argument, OPTION_OUT, COMMAND_AUDIT | COMMAND_SIMULATE},
    {"quiet", no_argument, OPTION_QUIET, RUN},
    {"tap", no_argument, OPTION_TAP, COMMAND_AUDIT},
    {"require-proof", no_argument, OPTION_REQUIRE_PROOF, COMMAND_AUDIT},
    {"latex", no_argument, OPTION_LATEX, COMMAND_SHOW},
    {"arith", required_argument, OPTION_ARITH, COMMAND_DECIDE},
    {"length", required_argument, OPTION_LENGTH, COMMAND_MODEL | COMMAND_MEASURE},
    {"family", required_argument, OPTION_FAMILY, RUN | COMMAND_MODEL},
    {"activations", required_argument, OPTION_ACTIVATIONS, COMMAND_MODEL},
    {"claim", required_argument, OPTION_CLAIM, COMMAND_MODEL},
    {"polarized", optional_argument, OPTION_POLARIZED, RUN | COMMAND_MODEL},
    {"stats", no_argument, OPTION_STATS, COMMAND_TENSORS},
    {"header-limit", required_argument, OPTION_HEADER_LIMIT, RUN | COMMAND_MODEL | COMMAND_TENSORS},
    {"model", required_argument, OPTION_MODEL, COMMAND_AUDIT},
    {"tokens", required_argument, OPTION_TOKENS, RUN},
    {"random", required_argument, OPTION_RANDOM, RUN},
    {"input", required_argument, OPTION_INPUT, RUN},
    {"sequences", required_argument, OPTION_SEQUENCES, RUN},
    {"layers", required_argument, OPTION_LAYERS, RUN},
    {"record", required_argument, OPTION_RECORD, COMMAND_SIMULATE},
    {"state", required_argument, OPTION_STATE, COMMAND_SIMULATE},
    {"save-state", required_argument, OPTION_SAVE_STATE, COMMAND_SIMULATE},
    {"positions", required_argument, OPTION_POSITIONS, COMMAND_MEASURE},
    {"probes", required_argument, OPTION_PROBES, COMMAND_MEASURE},
    {"noise", required_argument, OPTION_NOISE, COMMAND_MEASURE},
    {"pairs", required_argument, OPTION_PAIRS, COMMAND_MEASURE},
    {"window", required_argument, OPTION_WINDOW, COMMAND_MEASURE},
    {"normalizer", required_argument, OPTION_NORMALIZER, COMMAND_MEASURE},
    {"vocabulary", required_argument, OPTION_VOCABULARY, COMMAND_MEASURE},
    {"help", no_argument, OPTION_HELP, ALL},
    {"version", no_argument, OPTION_VERSION, ALL},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static const struct {
  const char *name;
  command_kind command;
} commands[] = {{"audit", COMMAND_AUDIT},   {"list", COMMAND_LIST},   {"show", COMMAND_SHOW},
                {"decide", COMMAND_DECIDE}, {"model", COMMAND_MODEL}, {"tensors", COMMAND_TENSORS},
                {"simulate", COMMAND_SIMULATE}, {"measure", COMMAND_MEASURE}, {"table", COMMAND_TABLE}, {"help", COMMAND_HELP}};

command_kind options_command(const char *name)
{
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (!strcmp(commands[i].name, name))
      return commands[i].command;
  return 0;
}

const char *options_command_name(command_kind c)
{
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    if (commands[i].command == c)
      return commands[i].name;
  return "";
}

static bool read_whole(diag *d, const char *option, const char *s, uint64_t least, uint64_t most,
                       uint64_t *value)
{
  uint64_t v = 0;
  bool fine = *s != 0;
  for (const char *p = s; fine && *p; p++)
    fine = *p >= '0' && *p <= '9' && !__builtin_mul_overflow(v, UINT64_C(10), &v) &&
           !__builtin_add_overflow(v, (uint64_t)(*p - '0'), &v);
  if (!fine || v < least || v > most) {
    diag_error_plain(d, "--%s: '%s' is no whole number from %llu to %llu", option, s,
                     (unsigned long long)least, (unsigned long long)most);
    return false;
  }
  *value = v;
  return true;
}

/* Digits, perhaps with a point among them: "30", "0.5". */
static bool read_decimal(const char *s, double *value)
{
  double v = 0, unit = 1;
  bool point = false, fine = s[0] >= '0' && s[0] <= '9' && strlen(s) <= 20 && s[strlen(s) - 1] != '.';
  for (const char *p = s; fine && *p; p++) {
    if (*p == '.' && !point)
      point = true;
    else if (*p < '0' || *p > '9')
      fine = false;
    else {
      v = 10 * v + (*p - '0');
      unit = point ? 10 * unit : unit;
    }
  }
  *value = v / unit;
  return fine;
}

static bool read_seconds(diag *d, const char *s, double *seconds)
{
  if (read_decimal(s, seconds) && *seconds > 0 && *seconds <= 1e9)
    return true;
  diag_error_plain(d, "--time: '%s' is no number of seconds above 0 and up to 1000000000", s);
  return false;
}

static bool read_noise(diag *d, const char *s, double *noise)
{
  if (read_decimal(s, noise) && *noise <= 1e9)
    return true;
  diag_error_plain(d, "--noise: '%s' is no number from 0 to 1000000000", s);
  return false;
}

static bool read_rate(diag *d, const char *s, double *rate)
{
  uint64_t whole;
  if (s[0] != '-') {
    diag_error_plain(d, "--polarized: '%s' is no whole number below 0", s);
    return false;
  }
  if (!read_whole(d, "polarized, behind the minus sign", s + 1, 1, UINT64_C(1) << 53, &whole))
    return false;
  *rate = -(double)whole;
  return true;
}

static bool read_text(diag *d, const char *option, const char *s, const char **value)
{
  if (!*s) {
    diag_error_plain(d, "--%s: the name of a file or folder is empty", option);
    return false;
  }
  *value = s;
  return true;
}

static bool read_arithmetic(diag *d, const char *s, decide_arithmetic *a)
{
  static const struct {
    const char *name;
    decide_arithmetic arithmetic;
  } names[] = {{"bounded", DECIDE_BOUNDED}, {"exact", DECIDE_EXACT}, {"ball", DECIDE_BALL}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!strcmp(names[i].name, s)) {
      *a = names[i].arithmetic;
      return true;
    }
  diag_error_plain(d, "--arith: '%s' is none of bounded, exact and ball", s);
  return false;
}

static bool check_sizes(diag *d, const char *s)
{
  size_t length;
  const char *again;
  if (!case_sizes_well_formed(s))
    diag_error_plain(
        d,
        "--sizes: '%s' is not of the form NAME=LOW..HIGH or NAME=NUMBER (0 to %d), several separated by "
        "commas",
        s, LIMIT_SIZE);
  else if ((again = case_sizes_repeated(s, &length)))
    diag_error_plain(d, "--sizes: the size '%.*s' is given twice", (int)length, again);
  else
    return true;
  return false;
}

static bool read_option(options *o, diag *d, int number, const char *s)
{
  uint64_t n = 0;
  switch (number) {
  case OPTION_SEED:
    return o->has_seed = read_whole(d, "seed", s, 0, CASE_MOST_SEED, &o->seed);
  case OPTION_TRIALS:
    return o->has_trials = read_whole(d, "trials", s, 1, CASE_MOST_TRIALS, &o->trials);
  case OPTION_TIME:
    return read_seconds(d, s, &o->time);
  case OPTION_THREADS:
    if (!read_whole(d, "threads", s, 1, MOST_THREADS, &n))
      return false;
    o->threads = (int)n;
    return true;
  case OPTION_PRECISION:
    if (!read_whole(d, "precision", s, LEAST_PRECISION, LIMIT_PRECISION, &n))
      return false;
    o->precision = (slong)n;
    return true;
  case OPTION_SIZES:
    o->sizes = s;
    return check_sizes(d, s);
  case OPTION_POWER:
    o->has_power = true;
    o->power = -1;
    if (!s)
      return true;
    if (!read_whole(d, "power", s, 0, MOST_POWER, &n))
      return false;
    o->power = (int)n;
    return true;
  case OPTION_JSON:
    return read_text(d, "json", s, &o->json);
  case OPTION_JUNIT:
    return read_text(d, "junit", s, &o->junit);
  case OPTION_OUT:
    return read_text(d, "out", s, &o->out);
  case OPTION_ARITH:
    return read_arithmetic(d, s, &o->arithmetic);
  case OPTION_LENGTH:
    return read_whole(d, "length", s, 1, UINT64_C(1) << 53, &o->length);
  case OPTION_FAMILY:
    return read_text(d, "family", s, &o->family);
  case OPTION_ACTIVATIONS:
    return read_text(d, "activations", s, &o->activations);
  case OPTION_CLAIM:
    if (o->claim_count == OPTION_CLAIMS) {
      diag_error_plain(d, "--claim: more than %d of them", OPTION_CLAIMS);
      return false;
    }
    return read_text(d, "claim", s, &o->claim[o->claim_count++]);
  case OPTION_POLARIZED:
    o->polarized = true;
    return !s || read_rate(d, s, &o->polar_rate);
  case OPTION_HEADER_LIMIT:
    return read_whole(d, "header-limit", s, 1, UINT64_C(1) << 40, &o->header_limit);
  case OPTION_MODEL:
    return read_text(d, "model", s, &o->model);
  case OPTION_TOKENS:
    return read_text(d, "tokens", s, &o->tokens);
  case OPTION_RANDOM:
    return read_whole(d, "random", s, 1, MOST_TOKENS, &o->random);
  case OPTION_INPUT:
    return read_text(d, "input", s, &o->input);
  case OPTION_SEQUENCES:
    return read_whole(d, "sequences", s, 1, MOST_SEQUENCES, &o->sequences);
  case OPTION_LAYERS:
    o->layers = s;
    return true;
  case OPTION_RECORD:
    o->record = s;
    return true;
  case OPTION_STATE:
    return read_text(d, "state", s, &o->state);
  case OPTION_SAVE_STATE:
    return read_text(d, "save-state", s, &o->save_state);
  case OPTION_POSITIONS:
    return read_whole(d, "positions", s, 1, MOST_TOKENS, &o->positions);
  case OPTION_PROBES:
    return read_whole(d, "probes", s, 1, MOST_TOKENS, &o->probes);
  case OPTION_NOISE:
    return o->has_noise = read_noise(d, s, &o->noise);
  case OPTION_PAIRS:
    o->pairs = s;
    return true;
  case OPTION_WINDOW:
    o->window = s;
    return true;
  case OPTION_NORMALIZER:
    o->normalizer = s;
    return true;
  case OPTION_VOCABULARY:
    return read_whole(d, "vocabulary", s, 4, UINT32_MAX, &o->vocabulary);
  case OPTION_STATS:
    return o->stats = true;
  case OPTION_QUIET:
    return o->quiet = true;
  case OPTION_TAP:
    return o->tap = true;
  case OPTION_REQUIRE_PROOF:
    return o->require_proof = true;
  case OPTION_LATEX:
    return o->latex = true;
  case OPTION_HELP:
    return o->help = true;
  default:
    return o->version = true;
  }
}

/* The word that getopt stopped at. It is the one before optind, unless a cluster of short options is
 * underway. */
static void complain(diag *d, command_kind c, const char *word, int answer)
{
  const char *name = options_command_name(c);
  int length = (int)strcspn(word, "=");
  const char *other = NULL;
  for (size_t i = 0; i < KNOWN && length > 2; i++)
    if (strlen(known[i].name) == (size_t)length - 2 && !strncmp(known[i].name, word + 2, (size_t)length - 2))
      other = known[i].name;
  if (answer == ':')
    diag_error_plain(d, "%.*s needs an argument", length, word);
  else if (other && strchr(word, '='))
    diag_error_plain(d, "%.*s takes no argument", length, word);
  else
    diag_error_plain(d, "%s takes no option '%.*s'%s; see assay help %s", name, length, word,
                     other ? " (another command does)" : "", name);
}

bool options_read(options *o, diag *d, command_kind c, int argc, char **argv)
{
  struct option longs[KNOWN + 1] = {{0}};
  size_t n = 0;
  *o = (options){.command = c, .arithmetic = DECIDE_LADDER};
  for (size_t i = 0; i < KNOWN; i++)
    if (known[i].commands & (int)c)
      longs[n++] = (struct option){known[i].name, known[i].argument, NULL, known[i].number};
  opterr = 0;
  optind = 0; /* start anew */
  for (;;) {
    int at = optind ? optind : 1;
    int answer = getopt_long(argc, argv, ":hq", longs, NULL);
    if (answer == -1)
      break;
    if (answer == '?' || answer == ':') {
      int word = optind > at ? optind - 1 : optind;
      complain(d, c, word < argc ? argv[word] : argv[argc - 1], answer);
      return false;
    }
    if (answer == 'q' && !(c & RUN)) {
      complain(d, c, "-q", '?');
      return false;
    }
    if (!read_option(o, d, answer == 'h' ? OPTION_HELP : answer == 'q' ? OPTION_QUIET : answer, optarg))
      return false;
  }
  o->arguments = argc - optind;
  o->argument = argv + optind;
  return true;
}
