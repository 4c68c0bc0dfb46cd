/* What a run records. */
#include "cli/recording.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static const struct {
  const char *word, *name; /* on the command line, in the archive */
} known[RECORD_KINDS] = {
    [RECORD_INPUT] = {"input", "input"},   [RECORD_MIXER] = {"mixer", "mixer"},    [RECORD_OUTPUT] = {"output", "output"},
    [RECORD_U] = {"u", "u"},               [RECORD_STEP] = {"step", "delta"},      [RECORD_B] = {"b", "B"},
    [RECORD_C] = {"c", "C"},               [RECORD_ALPHA] = {"alpha", "alpha"},    [RECORD_DRIVE] = {"drive", "drive"},
    [RECORD_H] = {"h", "h"},               [RECORD_Y] = {"y", "y"},                [RECORD_HIDDEN] = {"hidden", "hidden"},
    [RECORD_LOGITS] = {"logits", "logits"}};

const char *record_kind_name(record_kind k)
{
  return known[k].word;
}

bool record_list_read(bool kinds[RECORD_KINDS], diag *d, const char *list)
{
  memset(kinds, 0, RECORD_KINDS * sizeof *kinds);
  for (const char *s = list ? list : "output,hidden,logits";; s++) {
    size_t length = strcspn(s, ","), k = 0;
    while (k < RECORD_KINDS && (strlen(known[k].word) != length || strncmp(known[k].word, s, length)))
      k++;
    if (k == RECORD_KINDS) {
      diag_error_plain(d, "--record: '%.*s' is none of input, mixer, output, u, step, b, c, alpha, drive, h, y, "
                       "hidden and logits", (int)length, s);
      return false;
    }
    kinds[k] = true;
    s += length;
    if (!*s)
      return true;
  }
}

void recording_init(recording *r, const sim_input *in, const bool kinds[RECORD_KINDS], int file, const char *path)
{
  *r = (recording){.in = in, .writer = npz_writer_create(file, path)};
  memcpy(r->kinds, kinds, sizeof r->kinds);
  dump_error_init(&r->error);
  r->place = memory_new(memory_multiply(net_layers(in->net) + 1, RECORD_KINDS), sizeof *r->place);
}

void recording_clear(recording *r)
{
  npz_writer_destroy(r->writer);
  dump_error_clear(&r->error);
  free(r->place);
  free(r->shapes);
  *r = (recording){0};
}

void recording_begin(recording *r, size_t sequence)
{
  r->sequence = sequence;
  if (!r->in->equal_lengths)
    memset(r->place, 0, (net_layers(r->in->net) + 1) * RECORD_KINDS * sizeof *r->place);
}

/* `layer` is "" for the model as a whole. */
static bool add_array(recording *r, size_t *array, record_kind k, const char *layer, const recorded_shape *shape)
{
  text name;
  text_init(&name);
  if (!r->in->equal_lengths)
    text_addf(&name, "%zu/", r->sequence);
  text_addf(&name, "%s%s%s", layer, *layer ? "." : "", known[k].name);
  bool fine = npz_writer_add(r->writer, array, text_string(&name), shape->rank, shape->shape, &r->error);
  text_clear(&name);
  if (!fine)
    return false;
  r->shapes = memory_resize(r->shapes, r->arrays + 1, sizeof *r->shapes);
  r->shapes[r->arrays++] = *shape;
  r->made[k] = true;
  return true;
}

/* `parts` extents, of which those beyond the first may be missing (0): the shape of one token. */
static bool record(recording *r, record_kind k, size_t row, const char *layer, const double *values, size_t tokens,
                   const uint64_t parts[3])
{
  if (!r->kinds[k] || !values)
    return true;
  size_t *place = &r->place[row * RECORD_KINDS + k], width = 1;
  recorded_shape shape = {.rank = 2};
  shape.shape[0] = r->in->equal_lengths ? r->in->sequences : 1;
  shape.shape[1] = sim_input_length(r->in, r->sequence);
  for (unsigned i = 0; i < 3 && parts[i]; i++) {
    shape.shape[shape.rank++] = parts[i];
    width = memory_multiply(width, (size_t)parts[i]);
  }
  if (!*place) {
    size_t array;
    if (!add_array(r, &array, k, layer, &shape))
      return false;
    *place = array + 1;
  }
  return npz_writer_append(r->writer, *place - 1, values, memory_multiply(tokens, width), &r->error);
}

bool recording_see(recording *r, const net_view *view)
{
  net_layer layer = net_get_layer(r->in->net, view->layer);
  const uint64_t m[3] = {net_width(r->in->net)}, d[3] = {layer.channels}, n[3] = {layer.states};
  const uint64_t dn[3] = {layer.channels, layer.states};
  const uint64_t h[3] = {layer.channels, layer.states, layer.complex_states ? 2 : 0};
  const struct {
    const double *values;
    const uint64_t *parts;
  } kinds[RECORD_HIDDEN] = {
      [RECORD_INPUT] = {view->input, m}, [RECORD_MIXER] = {view->mixer, m},  [RECORD_OUTPUT] = {view->output, m},
      [RECORD_U] = {view->u, d},         [RECORD_STEP] = {view->step, d},    [RECORD_B] = {view->b, n},
      [RECORD_C] = {view->c, n},         [RECORD_ALPHA] = {view->alpha, dn}, [RECORD_DRIVE] = {view->drive, dn},
      [RECORD_H] = {view->h, h},         [RECORD_Y] = {view->y, d}};
  for (record_kind k = 0; k < RECORD_HIDDEN; k++)
    if (!record(r, k, view->layer, layer.name, kinds[k].values, view->tokens, kinds[k].parts))
      return false;
  return true;
}

bool recording_finish(recording *r, size_t tokens, const double *hidden, const double *logits)
{
  size_t row = net_layers(r->in->net);
  const uint64_t m[3] = {net_width(r->in->net)}, v[3] = {net_logits(r->in->net)};
  bool fine = record(r, RECORD_HIDDEN, row, "", hidden, tokens, m) &&
              record(r, RECORD_LOGITS, row, "", logits, tokens, v);
  if (fine && (!r->in->equal_lengths || r->sequence == 0))
    npz_writer_mark(r->writer);
  return fine;
}

void recording_end(recording *r)
{
  npz_writer_mark(r->writer);
}

static void shorten(recording *r, size_t array)
{
  recorded_shape *s = &r->shapes[array];
  uint64_t token = 1, marked = npz_writer_marked(r->writer, array);
  for (unsigned i = 2; i < s->rank; i++)
    token *= s->shape[i];
  marked /= token;
  if (marked >= s->shape[1])
    s->shape[0] = marked / s->shape[1];
  else {
    s->shape[0] = 1;
    s->shape[1] = marked;
  }
  npz_writer_shorten(r->writer, array, s->shape);
}

bool recording_close(recording *r, bool early)
{
  size_t kept = 0;
  for (size_t i = 0; i < r->arrays; i++)
    kept += npz_writer_marked(r->writer, i) > 0;
  for (size_t i = 0; early && i < r->arrays; i++)
    shorten(r, i);
  r->arrays = kept;
  return npz_writer_finish(r->writer, &r->error);
}
