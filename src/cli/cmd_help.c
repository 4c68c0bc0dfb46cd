/* assay help: what there is to say about each command. */
#include <stdio.h>

#include "cli/commands.h"

static const char general[] =
    "usage: assay COMMAND [OPTION]... [ARGUMENT]...\n"
    "\n"
    "Finds out whether a theorem about a recurrence is true.\n"
    "\n"
    "  audit [PATH|CLAIM]...            hunts for counterexamples; no argument: the bundled case file\n"
    "  list [PATH]...                   names claims, with titles and printed statements\n"
    "  show CLAIM|FILE [CLAIM]          prints claims back as text or LaTeX\n"
    "  decide [FILE] CLAIM INSTANCES    decides instances that you bring\n"
    "  model FILE                       audits the parameters of a trained model\n"
    "  help [COMMAND]                   explains a command\n"
    "  --help, --version\n"
    "\n"
    "Exit status, of several that apply the first:\n"
    "  70  internal error\n"
    "   2  bad usage or bad input\n"
    "   1  something refuted or, under a case file, not as expected\n"
    "   4  stopped early (--time, Ctrl-C)\n"
    "   3  something undecided, vacuous or without instance\n"
    "   0  otherwise\n"
    "\n"
    "Results go to standard output, messages to standard error. The manual is assay(1).\n";

static const char audit[] =
    "usage: assay audit [OPTION]... [PATH|CLAIM]...\n"
    "\n"
    "Audits claims and prints a verdict for each, with the smallest counterexample found. An argument is a claim file, a\n"
    "case file (.case), a folder (every claim file below it) or the name of a bundled claim; without one, the bundled case\n"
    "file is run.\n"
    "\n"
    "  --seed N            seed of all random numbers, 0 to 9223372036854775807 (1)\n"
    "  --trials N          random instances for each claim, 1 to 1000000000000 (20000)\n"
    "  --time SECONDS      stop each claim after so long; results then depend on the machine\n"
    "  --threads N         1 to 1024 (all cores); results do not depend on it\n"
    "  --precision BITS    of ball arithmetic at most, 64 to 16384 (2048)\n"
    "  --sizes T=1..8,N=2  sizes to try instead of the claims' own; claims without such a size keep theirs\n"
    "  --power[=N]         make each surviving claim slightly wrong in up to N ways and count the refuted (6; 0: none)\n"
    "  --json FILE         write the results as JSON; - is standard output\n"
    "  --out DIR           write DIR/results.json, a page DIR/CLAIM.txt for each counterexample or witness, and\n"
    "                      DIR/certificates/; a claim's name that comes again gets .2, .3, ...\n"
    "  --tap               print one TAP line per claim instead of the table\n"
    "  -q, --quiet         print only what is refuted or not as expected\n"
    "  --require-proof     count a claim that merely survived as undecided\n"
    "\n"
    "On the command line --seed, --trials and --sizes go before those of a case file. Without --out certificates are made,\n"
    "judged and dropped, and the results name none.\n"
    "\n"
    "Exit status: 70 internal error; 2 bad usage or input, also when one claim could not be audited; 1 something REFUTED or,\n"
    "where a case says what is expected, not as expected; 4 stopped early; 3 something UNDECIDED, VACUOUS, NO INSTANCE or\n"
    "NO WITNESS, unless a case expects just that (and with --require-proof SURVIVED, expected or not); 0 otherwise.\n"
    "IMPOSSIBLE and POSSIBLE are answers: 0.\n";

static const char list[] = "usage: assay list [PATH]...\n"
                           "\n"
                           "Names the claims of files and folders (no argument: the bundled ones) by file and printed statement, with titles.\n"
                           "\n"
                           "Exit status: 2 bad usage or input; 0 otherwise.\n";

static const char show[] =
    "usage: assay show [--latex] CLAIM\n"
    "       assay show [--latex] FILE [CLAIM]\n"
    "\n"
    "Prints a bundled claim, or one or all of a file, with everything inherited filled in: as text that reads back as the\n"
    "same claim, or as LaTeX to hold against the paper.\n"
    "\n"
    "Exit status: 2 bad usage or input; 0 otherwise.\n";

static const char decide[] =
    "usage: assay decide [OPTION]... [FILE] CLAIM INSTANCES.json\n"
    "\n"
    "Decides one instance, or each of an array of them:\n"
    "  {\"sizes\": {\"T\": 1}, \"values\": {\"alpha[1]\": \"1/2\", \"delta[1]\": \"1/2\", \"z[1]\": \"0\", \"p\": \"1\"}}\n"
    "A certificate counts as its instance. FILE alone will do where it holds a single claim. A line for each instance:\n"
    "\n"
    "  satisfies      every hypothesis and every conclusion is true\n"
    "  refutes        every hypothesis is true, and a conclusion is false (others may be undefined)\n"
    "  inadmissible   a hypothesis is false: a size's bound, a range, an assume; whatever else\n"
    "  undefined      no hypothesis is false but one is undefined, or none of the conclusions is false but one is undefined\n"
    "  unknown        likewise, where a truth could not be decided\n"
    "\n"
    "then which hypothesis or conclusion, at which index, with both sides. Of a claim with `possible` lines: satisfies means\n"
    "that the instance is a witness for one of them at least; inadmissible also that it meets the hypotheses and is a witness\n"
    "for none.\n"
    "\n"
    "  --arith NAME       only this arithmetic: bounded, exact or ball (default: the first that can)\n"
    "  --precision BITS   of ball arithmetic at most, 64 to 16384 (2048)\n"
    "\n"
    "Exit status: 2 bad usage or input, such as missing or surplus elements; 1 an instance refutes; 3 one does not satisfy; 0\n"
    "otherwise.\n";

static const char model[] =
    "usage: assay model [OPTION]... FILE\n"
    "\n"
    "Reads a safetensors file with the parameters of a Mamba-1 model and decides A + Delta <= 1 for every layer, channel and\n"
    "state, with A = exp(Delta a), a = -exp(A_log), Delta = softplus(dt_proj.bias).\n"
    "\n"
    "  --length T         sequence length in 1 - A_min^(T-1), 1 to 9007199254740992 (2048)\n"
    "  --json FILE        write the results as JSON; - is standard output\n"
    "  --threads N        1 to 1024 (all cores); results do not depend on it\n"
    "  --precision BITS   of ball arithmetic at most, 64 to 16384 (4096)\n"
    "\n"
    "Exit status: 2 bad usage or input; 1 the assumption fails somewhere; 3 somewhere it is unknown; 0 it holds everywhere.\n";

static const char help[] = "usage: assay help [COMMAND]\n";

int cmd_help(command_kind topic)
{
  const char *text = general;
  switch (topic) {
  case COMMAND_AUDIT:
    text = audit;
    break;
  case COMMAND_LIST:
    text = list;
    break;
  case COMMAND_SHOW:
    text = show;
    break;
  case COMMAND_DECIDE:
    text = decide;
    break;
  case COMMAND_MODEL:
    text = model;
    break;
  case COMMAND_HELP:
    text = help;
    break;
  default:
    break;
  }
  fputs(text, stdout);
  return EXIT_FINE;
}
