/* What a run of a model takes in. */
#include "cli/sim_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/audit.h"
#include "check/model_audit.h"
#include "cli/complain.h"
#include "cli/layer_list.h"
#include "core/memory.h"
#include "core/philox.h"
#include "report/decimal.h"

enum { CHECKED_AT_ONCE = 1 << 14 };

/* ---- the model ---- */

static bool make_net(sim_input *in, const options *o, const char *path, dump_error *error)
{
  dump_limits limits = dump_limits_default();
  if (o->header_limit)
    limits.header_bytes = o->header_limit;
  in->options = net_options_default();
  in->options.threads = o->threads;
  in->options.polarized = o->polarized;
  if (o->polarized)
    in->options.polar_rate = o->polar_rate != 0 ? o->polar_rate : model_options_default().polar_rate;
  in->file = dump_open(path, &limits, error);
  if (!in->file ||
      model_recognise(&in->model, in->families.family, in->families.count, in->file, error) != STATUS_OK)
    return false;
  in->net = net_create(&in->model, &in->options, error);
  return in->net != NULL;
}

static bool choose_layers(sim_input *in, diag *d, const char *list)
{
  size_t count = net_layers(in->net);
  in->layers = memory_new(count, sizeof *in->layers);
  if (!list)
    memset(in->layers, true, count);
  else if (!layer_list_read(in->layers, count, d, list))
    return false;
  for (size_t i = 0; i < count; i++)
    in->layer_count += in->layers[i];
  return true;
}

bool sim_input_open_model(sim_input *in, diag *d, const options *o, const char *path)
{
  *in = (sim_input){.seed = o->has_seed ? o->seed : audit_options_default().seed};
  dump_error error;
  dump_error_init(&error);
  bool fine = families_read(&in->families, d, o->family) &&
              (make_net(in, o, path, &error) || complain_of_dump(d, &error)) && choose_layers(in, d, o->layers);
  if (!fine)
    sim_input_close(in);
  return fine;
}

void sim_input_close(sim_input *in)
{
  net_destroy(in->net);
  model_clear(&in->model);
  dump_close(in->file);
  families_clear(&in->families);
  tokens_clear(&in->tokens);
  dump_close(in->vectors);
  free(in->layers);
  free(in->token_piece);
  free(in->vector_piece);
  *in = (sim_input){0};
}

/* ---- the sequences ---- */

bool sim_input_is_given(const options *o)
{
  return o->tokens || o->input || o->random;
}

static bool is_float(dump_type type)
{
  return type <= DUMP_F8_E5M2;
}

/* Where the value with this index in row-major order is in the file. */
static uint64_t place_of(const dump_tensor *tensor, uint64_t index)
{
  int64_t offset = 0;
  for (unsigned i = tensor->rank; i-- > 0; index /= tensor->shape[i])
    offset += (int64_t)(index % tensor->shape[i]) * tensor->stride[i];
  return tensor->offset + (uint64_t)offset * dump_type_bytes(tensor->type);
}

static bool check_values(const sim_input *in, dump_error *error)
{
  const dump_tensor *tensor = in->vector;
  double *values = memory_new(CHECKED_AT_ONCE, sizeof *values);
  bool fine = true;
  for (uint64_t first = 0; first < tensor->count && fine; first += CHECKED_AT_ONCE) {
    uint64_t rest = tensor->count - first;
    size_t count = rest < CHECKED_AT_ONCE ? (size_t)rest : CHECKED_AT_ONCE;
    fine = dump_values(in->vectors, values, tensor, first, count, error) == STATUS_OK;
    for (size_t i = 0; i < count && fine; i++)
      if (!isfinite(values[i])) {
        dump_error_set_at(error, dump_name(in->vectors), place_of(tensor, first + i), "a value of the input is %s",
                          isnan(values[i]) ? "NaN" : "infinite");
        fine = false;
      }
  }
  dump_release(in->vectors, tensor);
  free(values);
  return fine;
}

static bool open_vectors(sim_input *in, const char *path, dump_error *error)
{
  in->vectors = dump_open(path, NULL, error);
  if (!in->vectors)
    return false;
  if (strcmp(dump_container(in->vectors), "npy")) {
    dump_error_set(error, path, "--input reads .npy files; this is %s", dump_container(in->vectors));
    return false;
  }
  const dump_tensor *tensor = in->vector = dump_get(in->vectors, 0);
  unsigned rank = tensor->rank;
  size_t width = net_width(in->net);
  if (!is_float(tensor->type))
    dump_error_set(error, path, "the input is an array of floating-point numbers; this one has the type %s",
                   tensor->type_name);
  else if (rank < 2 || rank > 3 || tensor->shape[rank - 1] != width)
    dump_error_set(error, path, "the input has the shape [T, %zu] or [batch, T, %zu], %zu being the width of the "
                   "model; this one has %u dimension%s%s", width, width, width, rank, rank == 1 ? "" : "s",
                   rank == 2 || rank == 3 ? ", of which the last has another length" : "");
  else if (tensor->count == 0)
    dump_error_set(error, path, "the input holds no vector");
  else {
    in->sequences = rank == 3 ? (size_t)tensor->shape[0] : 1;
    in->longest = tensor->shape[rank - 2];
    in->equal_lengths = true;
    return check_values(in, error);
  }
  return false;
}

static bool open_tokens(sim_input *in, diag *d, const char *path)
{
  uint64_t vocabulary = net_vocabulary(in->net);
  if (!vocabulary) {
    diag_error_plain(d, "--tokens: the model has no embedding, so that tokens mean nothing to it; --random makes "
                     "vectors, and --input reads them");
    return false;
  }
  if (!tokens_read(&in->tokens, d, path, vocabulary))
    return false;
  in->sequences = in->tokens.count;
  in->equal_lengths = true;
  for (size_t k = 0; k < in->sequences; k++) {
    uint64_t length = sim_input_length(in, k);
    in->equal_lengths = in->equal_lengths && length == sim_input_length(in, 0);
    in->longest = length > in->longest ? length : in->longest;
  }
  return true;
}

bool sim_input_open_sequences(sim_input *in, diag *d, const options *o)
{
  int given = (o->tokens != NULL) + (o->input != NULL) + (o->random != 0);
  if (given != 1) {
    diag_error_plain(d, "%s goes in: give one of --tokens FILE, --input FILE.npy and --random N",
                     given ? "more than one thing" : "nothing");
    return false;
  }
  if (o->sequences && !o->random) {
    diag_error_plain(d, "--sequences says how many random ones there are; it goes with --random");
    return false;
  }
  if (o->tokens)
    return open_tokens(in, d, o->tokens);
  if (o->input) {
    dump_error error;
    dump_error_init(&error);
    return open_vectors(in, o->input, &error) || complain_of_dump(d, &error);
  }
  in->random = in->longest = o->random;
  in->sequences = o->sequences ? (size_t)o->sequences : 1;
  in->equal_lengths = true;
  return true;
}

uint64_t sim_input_length(const sim_input *in, size_t sequence)
{
  return in->tokens.count ? in->tokens.start[sequence + 1] - in->tokens.start[sequence] : in->longest;
}

/* ---- what is handed out ---- */

/* By the polar method of Marsaglia, which needs of the functions whose last bits differ between libraries only log. */
static void draw_vector(double *values, size_t width, uint64_t seed, size_t sequence, uint64_t token)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("vectors"), token, (uint32_t)sequence);
  for (size_t i = 0; i < width; i += 2) {
    double x, y, r;
    do {
      x = 2 * philox_uniform(&s) - 1;
      y = 2 * philox_uniform(&s) - 1;
      r = x * x + y * y;
    } while (r >= 1 || r == 0);
    double scale = sqrt(-2 * log(r) / r);
    values[i] = x * scale;
    if (i + 1 < width)
      values[i + 1] = y * scale;
  }
}

static uint32_t draw_token(uint64_t vocabulary, uint64_t seed, size_t sequence, uint64_t token)
{
  philox_stream s = philox_stream_start(seed, philox_hash_name("tokens"), token, (uint32_t)sequence);
  return (uint32_t)philox_below(&s, vocabulary);
}

static void make_room(sim_input *in, size_t tokens)
{
  if (tokens <= in->room)
    return;
  in->room = tokens;
  if (in->random && net_vocabulary(in->net))
    in->token_piece = memory_resize(in->token_piece, tokens, sizeof *in->token_piece);
  else if (!in->tokens.count)
    in->vector_piece =
        memory_resize(in->vector_piece, memory_multiply(tokens, net_width(in->net)), sizeof *in->vector_piece);
}

bool sim_input_read(sim_input *in, diag *d, net_input *piece, size_t sequence, uint64_t first, size_t tokens)
{
  size_t width = net_width(in->net);
  uint64_t vocabulary = net_vocabulary(in->net);
  *piece = (net_input){.tokens = tokens};
  make_room(in, tokens);
  if (in->tokens.count)
    piece->token = in->tokens.token + in->tokens.start[sequence] + first;
  else if (in->random && vocabulary) {
    for (size_t t = 0; t < tokens; t++)
      in->token_piece[t] = draw_token(vocabulary, in->seed, sequence, first + t);
    piece->token = in->token_piece;
  } else {
    piece->vector = in->vector_piece;
    for (size_t t = 0; t < tokens && in->random; t++)
      draw_vector(in->vector_piece + t * width, width, in->seed, sequence, first + t);
  }
  if (!in->vectors)
    return true;
  dump_error error;
  dump_error_init(&error);
  bool fine = dump_values(in->vectors, in->vector_piece, in->vector, (sequence * in->longest + first) * width,
                          tokens * width, &error) == STATUS_OK;
  dump_release(in->vectors, in->vector);
  return fine || complain_of_dump(d, &error);
}

/* ---- the command line ---- */

static void add_option(text *command, const char *option, const char *word)
{
  if (!word)
    return;
  text_add_word(command, option);
  text_add_word(command, word);
}

static void add_number(text *command, const char *option, uint64_t number)
{
  if (number)
    text_addf(command, " %s %llu", option, (unsigned long long)number);
}

void sim_input_add_command(text *command, const options *o)
{
  add_option(command, "--tokens", o->tokens);
  add_option(command, "--input", o->input);
  add_number(command, "--random", o->random);
  if (o->random) {
    add_number(command, "--sequences", o->sequences);
    text_addf(command, " --seed %llu", (unsigned long long)(o->has_seed ? o->seed : audit_options_default().seed));
  }
  add_option(command, "--layers", o->layers);
  if (o->polarized) {
    char *rate = decimal_double(o->polar_rate != 0 ? o->polar_rate : model_options_default().polar_rate);
    text_addf(command, " --polarized=%s", rate);
    free(rate);
  }
  add_option(command, "--family", o->family);
  add_number(command, "--header-limit", o->header_limit);
}
