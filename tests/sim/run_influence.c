/* Goes back through a model file for the tests and prints |J(t, s)|, all rows, for every pair of tokens.
 *
 * usage: run_influence FILE FILE-OF-DOUBLES (native, [T, M]: what enters the first layer)
 *
 * Lines "WHAT T S NORM", WHAT model or the number of a mixer, T >= S from 0, NORM in hexadecimal. */
#include "sim/influence_back.h"
#include "net_fixture.h"
#include "sim/net_internal.h"

typedef struct {
  double **x; /* what enters each layer, and what leaves the last */
  size_t m;
} stream;

static bool keep(void *context, const net_view *v)
{
  stream *s = context;
  memcpy(s->x[v->layer] + v->first * s->m, v->input, v->tokens * s->m * sizeof(double));
  memcpy(s->x[v->layer + 1] + v->first * s->m, v->output, v->tokens * s->m * sizeof(double));
  return true;
}

static void print_pairs(const char *what, back_task *task, const net *n, size_t tokens)
{
  size_t *t = memory_new(tokens, sizeof *t);
  for (size_t i = 0; i < tokens; i++)
    t[i] = i;
  wide *out = memory_new(tokens * tokens, sizeof *out);
  task->tokens = tokens;
  task->width = task->rows = n->width;
  task->t = t;
  task->positions = tokens;
  task->threads = 1;
  influence_back(out, task);
  for (size_t i = 0; i < tokens; i++)
    for (size_t s = 0; s <= i; s++)
      printf("%s %zu %zu %a\n", what, i, s, wide_double(out[i * tokens + s]));
  free(out);
  free(t);
}

int main(int argc, char **argv)
{
  family_fixture families;
  family_fixture_init(&families, NULL);
  net_options options = net_options_default();
  dump_error error;
  dump_error_init(&error);
  dump_file *file = argc == 3 ? dump_open(argv[1], NULL, &error) : NULL;
  net *n = file ? net_of_file(file, &families, &options, &error) : NULL;
  FILE *f = n ? fopen(argv[2], "rb") : NULL;
  if (!f) {
    dump_error_print(stderr, &error);
    return 2;
  }
  fseek(f, 0, SEEK_END);
  size_t m = net_width(n), count = (size_t)ftell(f) / sizeof(double), tokens = count / m;
  rewind(f);
  double *vector = memory_new(count, sizeof *vector);
  if (fread(vector, sizeof *vector, count, f) != count)
    return 2;
  fclose(f);
  stream s = {.x = memory_new(net_layers(n) + 1, sizeof *s.x), .m = m};
  for (size_t i = 0; i <= net_layers(n); i++)
    s.x[i] = memory_new(tokens * m, sizeof **s.x);
  net_input in = {.tokens = tokens, .vector = vector};
  net_observer observer = {.see = keep, .context = &s};
  net_state *state = net_state_create(n);
  if (net_run(n, state, &in, &observer) != STATUS_OK)
    return 1;
  print_pairs("model",
              &(back_task){.blocks = n->count,
                           .block = (const block *const *)n->block,
                           .input = (const double *const *)s.x,
                           .residual = true,
                           .last = &n->last,
                           .output = s.x[n->count]},
              n, tokens);
  for (size_t i = 0; i < n->count; i++) {
    const block *one = n->block[i];
    const double *input = s.x[i];
    char name[32];
    snprintf(name, sizeof name, "%zu", i);
    print_pairs(name, &(back_task){.blocks = 1, .block = &one, .input = &input}, n, tokens);
  }
  for (size_t i = 0; i <= net_layers(n); i++)
    free(s.x[i]);
  free(s.x);
  free(vector);
  net_state_destroy(state);
  net_destroy(n);
  dump_close(file);
  dump_error_clear(&error);
  family_fixture_clear(&families);
  return 0;
}
