/* assay help: what there is to say about each command. */
#include <stdio.h>

#include "check/audit.h"
#include "check/model_audit.h"
#include "cli/commands.h"
#include "cli/measure_plan.h"
#include "dump/dump.h"
#include "sim/net.h"

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
    "  tensors FILE|FOLDER              lists what a parameter file holds\n"
    "  simulate FILE|FOLDER             runs a model, and writes down what its layers do\n"
    "  measure WHAT FILE                measures a model that runs: influence, smoothness, recall, ...\n"
    "  table FILE [PATH|CLAIM]...       shows printed numbers, and what claims made of each\n"
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

/* To be filled in with the defaults of seed, trials, precision and power. */
static const char audit[] =
    "usage: assay audit [OPTION]... [PATH|CLAIM]...\n"
    "\n"
    "Audits claims and prints a verdict for each, with the smallest counterexample found. An argument\n"
    "is a claim file, a case file (.case), a folder (every claim file below it) or the name of a\n"
    "bundled claim; without one, the bundled case file is run.\n"
    "\n"
    "  --seed N            seed of all random numbers, 0 to 9223372036854775807 (%llu)\n"
    "  --trials N          random instances for each claim, 1 to 1000000000000 (%llu)\n"
    "  --time SECONDS      stop each claim after so long; results then depend on the machine\n"
    "  --threads N         1 to 1024 (all cores); results do not depend on it\n"
    "  --precision BITS    of ball arithmetic at most, 64 to 16384 (%ld)\n"
    "  --sizes T=1..8,N=2  sizes to try instead of the claims' own; claims without such a size keep\n"
    "                      theirs\n"
    "  --power[=N]         make each surviving claim slightly wrong in up to N ways and count the\n"
    "                      refuted (%d; 0: none)\n"
    "  --json FILE         write the results as JSON; - is standard output\n"
    "  --junit FILE        write them as JUnit XML, a test case for each claim; what is not as expected\n"
    "                      is a failure; - is standard output\n"
    "  --out DIR           write DIR/INDEX, DIR/results.json, a page DIR/CLAIM.txt for each\n"
    "                      counterexample or witness, and DIR/certificates/; a name that comes again\n"
    "                      gets .2, .3, ...\n"
    "  --tap               print one TAP line per claim instead of the table\n"
    "  -q, --quiet         print only what is refuted or not as expected\n"
    "  --require-proof     count a claim that merely survived as undecided\n"
    "\n"
    "With a model, the instances are what each state of each channel of its layers went through\n"
    "(alpha_t, Delta_t, b_t), and nothing is searched; without a claim, Theorem 4.2, Lemma D.6, its\n"
    "repair and the decay bound are asked:\n"
    "\n"
    "  --model FILE|FOLDER run this model, on the sequences of one of\n"
    "  --tokens FILE       whole numbers, a line a sequence, or a .npy array of them\n"
    "  --random N          N random tokens; --sequences K of them\n"
    "  --input FILE.npy    vectors in place of embeddings\n"
    "  --layers LIST       only these layers: 1,3..5\n"
    "  --polarized[=RATE], --family FILE, --header-limit BYTES: as assay help simulate says\n"
    "\n"
    "On the command line --seed, --trials and --sizes go before those of a case file. Without --out\n"
    "certificates are made, judged and dropped, and the results name none.\n"
    "\n"
    "Exit status: 70 internal error; 2 bad usage or input, also when one claim could not be audited;\n"
    "1 something REFUTED or, where a case says what is expected, not as expected; 4 stopped early; 3\n"
    "something UNDECIDED, VACUOUS, NO INSTANCE or NO WITNESS, unless a case expects just that (and\n"
    "with --require-proof SURVIVED, expected or not); 0 otherwise. IMPOSSIBLE and POSSIBLE are\n"
    "answers: 0.\n";

static const char list[] =
    "usage: assay list [PATH]...\n"
    "\n"
    "Names the claims of files and folders (no argument: the bundled ones) by file and printed\n"
    "statement, with titles.\n"
    "\n"
    "Exit status: 2 bad usage or input; 0 otherwise.\n";

static const char show[] =
    "usage: assay show [--latex] CLAIM\n"
    "       assay show [--latex] FILE [CLAIM]\n"
    "\n"
    "Prints a bundled claim, or one or all of a file, with everything inherited filled in: as text\n"
    "that reads back as the same claim, or as LaTeX to hold against the paper.\n"
    "\n"
    "Exit status: 2 bad usage or input; 0 otherwise.\n";

/* To be filled in with the default precision. */
static const char decide[] =
    "usage: assay decide [OPTION]... [FILE] CLAIM INSTANCES.json\n"
    "\n"
    "Decides one instance, or each of an array of them:\n"
    "  {\"sizes\": {\"T\": 1},\n"
    "   \"values\": {\"alpha[1]\": \"1/2\", \"delta[1]\": \"1/2\", \"z[1]\": \"0\", \"p\": \"1\"}}\n"
    "A certificate counts as its instance. FILE alone will do where it holds a single claim. One of\n"
    "them may be -, standard input. A line for each instance:\n"
    "\n"
    "  satisfies      every hypothesis and every conclusion is true\n"
    "  refutes        every hypothesis is true, and a conclusion is false (others may be undefined)\n"
    "  inadmissible   a hypothesis is false: a size's bound, a range, an assume; whatever else\n"
    "  undefined      no hypothesis is false but one is undefined, or no conclusion is false\n"
    "                 but one is undefined\n"
    "  unknown        likewise, where a truth could not be decided\n"
    "\n"
    "then which hypothesis or conclusion, at which index, with both sides. Of a claim with `possible`\n"
    "lines: satisfies means that the instance is a witness for one of them at least; inadmissible\n"
    "also that it meets the hypotheses and is a witness for none.\n"
    "\n"
    "  --arith NAME       only this arithmetic: bounded, exact or ball (default: the first that can);\n"
    "                     an exact tie is unknown to bounded, an irrational value to exact\n"
    "  --precision BITS   of ball arithmetic at most, 64 to 16384 (%ld)\n"
    "\n"
    "Exit status: 2 bad usage or input, such as missing or surplus elements; 1 an instance refutes; 3\n"
    "one does not satisfy; 0 otherwise.\n";

/* To be filled in with the default length and precision. */
static const char model_usage[] =
    "usage: assay model [OPTION]... FILE|FOLDER\n"
    "\n"
    "Reads the parameters of a trained model (as assay tensors does), tells its family by the names and\n"
    "shapes of its tensors, and decides A + Delta <= 1 for the decay A and the step Delta of every\n"
    "layer, channel and state, at the step that an input makes which contributes nothing; besides, for\n"
    "how many of them any step would do, how far the layer remembers, and what the bound is worth.\n"
    "Families are described by text files; see assay-family(5).\n"
    "\n"
    "  --length T         sequence length in 1 - A_min^(T-1), 1 to 9007199254740992 (%llu)\n"
    "  --family FILE      a file or folder with descriptions of families, tried before the bundled ones\n"
    "  --polarized[=RATE] append two states to every channel, with the rates 0 and RATE (-1000)\n"
    "  --activations FILE recorded steps LAYER.delta, and inputs LAYER.B and LAYER.u: decided token by token\n"
    "  --claim CLAIM      a bundled claim or a claim file, asked of every entry (may be repeated); with\n"
    "                     --activations of the recorded sequences (theorem-4-2, lemma-d6 and\n"
    "                     theorem-3-1-memory)\n"
    "  --json FILE        write the results as JSON; - is standard output\n"
    "  --threads N        1 to 1024 (all cores); results do not depend on it\n"
    "  --precision BITS   of ball arithmetic at most, 64 to 16384 (%ld)\n"
    "  --header-limit BYTES  as of assay tensors\n"
    "\n"
    "Exit status: 2 bad usage or input; 1 the assumption fails somewhere; 3 somewhere it is unknown;\n"
    "0 it holds everywhere.\n";

/* To be filled in with the default limit. */
static const char tensors[] =
    "usage: assay tensors [OPTION]... FILE|FOLDER\n"
    "\n"
    "Lists the tensors of a parameter file: name, type, shape, kind (parameter, optimizer, extra) and\n"
    "byte offset. Reads safetensors, torch checkpoints (zip and the older pickles), npy, npz and GGUF,\n"
    "told by content; of models in several files the index (*.index.json), the folder, or one part of\n"
    "a GGUF. Nothing in a file is executed, and nothing but its headers is read without --stats.\n"
    "\n"
    "  --stats               besides, for each tensor: the least and the largest finite value; how many\n"
    "                        values are NaN, infinite, subnormal (as stored), zero. The two parts of\n"
    "                        complex numbers count as two values\n"
    "  --json FILE           write the list as JSON; - is standard output\n"
    "  --header-limit BYTES  the largest header, pickle or directory to read, 1 to 1099511627776 (%llu)\n"
    "\n"
    "Exit status: 2 bad usage or input, also when --stats met a value that cannot be read; 0 otherwise.\n";

/* To be filled in with the default seed. */
static const char simulate[] =
    "usage: assay simulate [OPTION]... FILE|FOLDER\n"
    "\n"
    "Runs a trained model (a file as of assay tensors, of a family as of assay model) on sequences, in\n"
    "double precision, and prints for each layer how large its vectors are and between which values the\n"
    "step Delta and the decay alpha lie. One of these goes in:\n"
    "\n"
    "  --tokens FILE      whole numbers, a line a sequence, # begins a comment; or .npy of integers, [T] or\n"
    "                     [batch, T]; - is standard input\n"
    "  --random N         N random tokens; where the model has no embedding, N vectors of independent\n"
    "                     standard normal numbers\n"
    "  --input FILE.npy   vectors in place of embeddings, [T, width] or [batch, T, width]\n"
    "\n"
    "  --sequences K      how many random ones, 1 to 1000000 (1)\n"
    "  --seed N           seed of all random numbers, 0 to 9223372036854775807 (%llu)\n"
    "  --layers LIST      which layers to show and record, such as 1,3..5 (all)\n"
    "  --out FILE.npz     record what the layers do: arrays LAYER.output and the like, [batch, T, ...]\n"
    "  --record LIST      of input, mixer, output, u, step, b, c, alpha, drive, h, y; hidden and logits of\n"
    "                     the model as a whole (output,hidden,logits); see assay(1)\n"
    "  --save-state FILE.npz  what the sequences leave behind, to be gone on from\n"
    "  --state FILE.npz   go on from there; where sequences were cut at a multiple of %d tokens, to the bit\n"
    "  --polarized[=RATE] append two states to every channel, with the rates 0 and RATE (-1000)\n"
    "  --family FILE      a file or folder with descriptions of families, tried before the bundled ones\n"
    "  --threads N        1 to 1024 (all cores); results do not depend on it\n"
    "  -q, --quiet        print nothing but errors\n"
    "  --header-limit BYTES  as of assay tensors\n"
    "\n"
    "A run that is interrupted reports and records what is done: whole tokens, or of several sequences\n"
    "the complete ones; then it writes no state.\n"
    "\n"
    "Exit status: 2 bad usage or input; 4 stopped early (Ctrl-C); 0 otherwise.\n";

/* To be filled in with the default number of recall sequences and seed. */
static const char measure[] =
    "usage: assay measure [OPTION]... WHAT[,WHAT]... FILE|FOLDER\n"
    "\n"
    "Runs a model in double precision and measures WHAT:\n"
    "  influence    of token s on what comes out at token t, by distance, beside the bound of Theorem 3.1\n"
    "  smoothness   tokens against tokens and layers against layers: distances, Dirichlet energy, cosines,\n"
    "               Sm, St, linear CKA\n"
    "  spread       A_max - A_min of the decays, over states and over tokens\n"
    "  recall       associative recall: accuracy by the number of pairs and by distance; makes its own\n"
    "               sequences\n"
    "  robustness   what noise in a window of tokens does; with recall, to recall as well\n"
    "The manual, assay(1), defines them. What goes in, and --layers, --family, --polarized and the like, is\n"
    "as for assay simulate:\n"
    "\n"
    "  --tokens FILE      sequences of token ids, or\n"
    "  --random N         random tokens (or vectors), or\n"
    "  --input FILE       vectors, .npy\n"
    "  --sequences K      how many random ones (1); of recall for each number of pairs (%d)\n"
    "  --layers LIST      which layers to report on, such as 1,3..5 (all)\n"
    "  --polarized[=RATE] append two states to every channel, with the rates 0 and RATE (-1000)\n"
    "  --family FILE      a file or folder with descriptions of families, tried before the bundled ones\n"
    "  --seed N           seed of all random numbers, 0 to 9223372036854775807 (%llu)\n"
    "  --positions N      influence: at how many tokens t of a sequence (8)\n"
    "  --probes N         influence: vectors to estimate it by (8); from the model's width on it is exact\n"
    "  --normalizer NAME  smoothness: of the Dirichlet energy: sum, tokens, pairs or norm (norm)\n"
    "  --pairs LIST       recall: numbers of pairs (4,8,16)\n"
    "  --length T         recall: tokens of a sequence, even (64, or four times the most pairs)\n"
    "  --vocabulary V     recall: how many ids it uses (the model's)\n"
    "  --window LIST      robustness: first:N, last:N, middle:N, A:B (the first, last and middle 32; of\n"
    "                     fewer than 128 tokens a quarter)\n"
    "  --noise X          robustness: standard deviation of vectors that are put in (1)\n"
    "  --json FILE        write the measures as JSON; - is standard output\n"
    "  --threads N        1 to 1024 (all cores); results do not depend on it\n"
    "  -q, --quiet        print nothing but errors\n"
    "  --header-limit BYTES  as of assay tensors\n"
    "\n"
    "Exit status: 2 bad usage or input; 4 interrupted, with what was measured by then; 0 otherwise. Nothing\n"
    "here is certified: numbers are those of double precision.\n";

/* To be filled in with the defaults of seed, trials and precision. */
static const char table_usage[] =
    "usage: assay table [OPTION]... FILE.csv [PATH|CLAIM]...\n"
    "\n"
    "Shows each number of a printed table with the interval that its digits stand for, and what the\n"
    "claims that use it made of it: the verdict of each line, the number in a witness, and, where a line\n"
    "is impossible by linear inequalities, which end of the interval that rests on, and how many times.\n"
    "Claims are looked for in the files, folders and names given, else among the bundled ones: those\n"
    "with a line `table NAME from` that names this very file. The form of tables is in assay-claim(5).\n"
    "\n"
    "  --json FILE        write the same as JSON; - is standard output\n"
    "  --seed N           seed of all random numbers, 0 to 9223372036854775807 (%llu)\n"
    "  --trials N         random instances for each claim, 1 to 1000000000000 (%d)\n"
    "  --threads N        1 to 1024 (all cores); results do not depend on it\n"
    "  --precision BITS   of ball arithmetic at most, 64 to 16384 (%ld)\n"
    "\n"
    "Exit status: 70 internal error; 2 bad usage or input; 1 something REFUTED; 4 stopped early; 3\n"
    "something UNDECIDED, VACUOUS, NO INSTANCE or NO WITNESS; 0 otherwise. IMPOSSIBLE and POSSIBLE are\n"
    "answers: 0.\n";

static const char help[] =
    "usage: assay help [COMMAND]\n";

static void print_audit(void)
{
  audit_options o = audit_options_default();
  printf(audit, (unsigned long long)o.seed, (unsigned long long)o.trials, (long)o.precision, o.power);
}

static void print_model(void)
{
  model_options o = model_options_default();
  printf(model_usage, (unsigned long long)o.tokens, (long)o.precision_limit);
}

int cmd_help(command_kind topic)
{
  switch (topic) {
  case COMMAND_AUDIT:
    print_audit();
    break;
  case COMMAND_LIST:
    fputs(list, stdout);
    break;
  case COMMAND_SHOW:
    fputs(show, stdout);
    break;
  case COMMAND_DECIDE:
    printf(decide, (long)audit_options_default().precision);
    break;
  case COMMAND_MODEL:
    print_model();
    break;
  case COMMAND_TENSORS:
    printf(tensors, (unsigned long long)dump_limits_default().header_bytes);
    break;
  case COMMAND_MEASURE:
    printf(measure, MEASURE_EXAMPLES, (unsigned long long)audit_options_default().seed);
    break;
  case COMMAND_SIMULATE:
    printf(simulate, (unsigned long long)audit_options_default().seed, (int)NET_PIECE);
    break;
  case COMMAND_TABLE: {
    audit_options o = audit_options_default();
    printf(table_usage, (unsigned long long)o.seed, (int)TABLE_TRIALS, (long)o.precision);
    break;
  }
  case COMMAND_HELP:
    fputs(help, stdout);
    break;
  default:
    fputs(general, stdout);
  }
  return EXIT_FINE;
}
