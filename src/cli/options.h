/* Every option of every command, in one place. */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "check/decide.h"
#include "core/diag.h"

/* Exit status of the program, the highest of those that apply: 70, 2, 1, 4, 3, 0. */
enum {
  EXIT_FINE = 0,
  EXIT_REFUTED = 1, /* something refuted or, under a case file, not as expected */
  EXIT_BAD_INPUT = 2,
  EXIT_UNDECIDED = 3,
  EXIT_STOPPED = 4,
  EXIT_INTERNAL = 70
};

typedef enum {
  COMMAND_AUDIT = 1,
  COMMAND_LIST = 2,
  COMMAND_SHOW = 4,
  COMMAND_DECIDE = 8,
  COMMAND_MODEL = 16,
  COMMAND_HELP = 32,
  COMMAND_TENSORS = 64,
  COMMAND_SIMULATE = 128,
  COMMAND_MEASURE = 256,
  COMMAND_TABLE = 512
} command_kind;

enum { OPTION_CLAIMS = 32 };

typedef struct {
  command_kind command;
  bool help, version;
  bool has_seed, has_trials, has_power;
  uint64_t seed, trials;
  double time;                    /* seconds; 0: no limit */
  int threads;                    /* 0: all cores */
  slong precision;                /* 0: not given */
  const char *sizes, *json, *junit, *out, *family; /* NULL: not given */
  const char *activations;        /* NULL: not given */
  const char *claim[OPTION_CLAIMS]; /* claim_count of them */
  int claim_count;
  bool polarized;
  double polar_rate;              /* < 0; 0: not given */
  int power;
  bool quiet, tap, require_proof, latex, stats;
  decide_arithmetic arithmetic;
  uint64_t length;       /* 0: not given */
  uint64_t header_limit; /* likewise */
  /* Runs of a model; see cli/sim_input.h for what goes in. */
  const char *model;          /* of audit; NULL: none. simulate and measure take it as their argument */
  const char *tokens, *input; /* NULL: not given */
  uint64_t random, sequences; /* 0: not given */
  const char *layers, *record, *pairs; /* lists as they were given, unread; NULL */
  const char *window, *normalizer;     /* of measure, likewise */
  uint64_t vocabulary;                 /* of measure's recall; 0: not given */
  const char *state, *save_state;      /* NULL: not given */
  uint64_t positions, probes;          /* 0: not given */
  bool has_noise;
  double noise; /* >= 0 */
  int arguments;
  char **argument; /* what is no option, in order */
} options;

/* "audit", ...; 0 when there is no such command. */
command_kind options_command(const char *name);
const char *options_command_name(command_kind c);

/* Reads the command line of one command: argv[0] is its name, and its words may be reordered. False with
 * one message in d when an option is unknown to the command, malformed or out of range. Numbers are read
 * without regard to any locale. */
bool options_read(options *o, diag *d, command_kind c, int argc, char **argv);

#endif
