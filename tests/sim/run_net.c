/* Runs a model file for the tests and prints what comes out, one number a line in hexadecimal.
 *
 * usage: run_net [-f FAMILY-FILE] [-t THREADS] [-p POLAR-RATE] FILE tokens N...
 *        run_net [...] FILE vectors FILE-OF-DOUBLES (native, [T, M])
 *        run_net [...] FILE facts
 *
 * First the residual stream behind each layer, then the hidden states, then the logits where the file has a head: lines
 * "layer K T M", "hidden T M", "logits T V", each followed by its numbers. */
#include <unistd.h>

#include "net_fixture.h"

static bool see(void *context, const net_view *view)
{
  size_t m = *(size_t *)context;
  printf("layer %zu %zu %zu\n", view->layer, view->tokens, m);
  for (size_t i = 0; i < view->tokens * m; i++)
    printf("%a\n", view->output[i]);
  return true;
}

typedef struct {
  size_t m, v;
  FILE *out;
} where;

static bool see_where(void *context, const net_view *view)
{
  return see(&((where *)context)->m, view);
}

static bool finish(void *context, size_t first, size_t tokens, const double *hidden, const double *logits)
{
  where *w = context;
  (void)first;
  printf("hidden %zu %zu\n", tokens, w->m);
  for (size_t i = 0; i < tokens * w->m; i++)
    printf("%a\n", hidden[i]);
  if (logits) {
    printf("logits %zu %zu\n", tokens, w->v);
    for (size_t i = 0; i < tokens * w->v; i++)
      printf("%a\n", logits[i]);
  }
  return true;
}

static void print_facts(const net *n)
{
  printf("width %zu, vocabulary %zu, logits %zu\n", net_width(n), net_vocabulary(n), net_logits(n));
  for (size_t i = 0; i < net_layers(n); i++) {
    net_layer l = net_get_layer(n, i);
    printf("layer \"%s\" (%s): %zu channels, %zu %sstates%s\n", l.name, l.family, l.channels, l.states,
           l.complex_states ? "complex " : "", l.has_step ? ", step" : "");
  }
  for (size_t i = 0; i < net_unused(n); i++)
    printf("unused %s\n", net_get_unused(n, i));
}

static double *read_doubles(size_t *count, const char *path)
{
  FILE *f = fopen(path, "rb");
  if (!f)
    exit(2);
  fseek(f, 0, SEEK_END);
  *count = (size_t)ftell(f) / sizeof(double);
  rewind(f);
  double *x = memory_new(*count, sizeof *x);
  if (fread(x, sizeof *x, *count, f) != *count)
    exit(2);
  fclose(f);
  return x;
}

int main(int argc, char **argv)
{
  net_options options = net_options_default();
  const char *first = NULL;
  for (int o; (o = getopt(argc, argv, "f:t:p:")) != -1;) {
    if (o == 'f')
      first = optarg;
    else if (o == 't')
      options.threads = (int)strtol(optarg, NULL, 10);
    else if (o == 'p') {
      options.polarized = true;
      options.polar_rate = (double)strtol(optarg, NULL, 10);
    } else
      return 2;
  }
  argc -= optind;
  argv += optind;
  if (argc < 2)
    return 2;
  family_fixture families;
  family_fixture_init(&families, first);
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(argv[0], NULL, &error);
  net *n = file ? net_of_file(file, &families, &options, &error) : NULL;
  if (!n) {
    dump_error_print(stderr, &error);
    return 1;
  }
  size_t count = (size_t)argc - 2;
  uint32_t *token = memory_new(count, sizeof *token);
  double *vector = NULL;
  net_input in = {.tokens = count, .token = token};
  if (!strcmp(argv[1], "vectors")) {
    vector = read_doubles(&count, argv[2]);
    in = (net_input){.tokens = count / net_width(n), .vector = vector};
  } else {
    for (size_t i = 0; i < count; i++)
      token[i] = (uint32_t)strtoul(argv[2 + i], NULL, 10);
  }
  where w = {.m = net_width(n), .v = net_logits(n)};
  net_observer observer = {.see = see_where, .finish = finish, .logits = true, .context = &w};
  net_state *state = net_state_create(n);
  if (!strcmp(argv[1], "facts"))
    print_facts(n);
  else if (net_run(n, state, &in, &observer) != STATUS_OK)
    return 1;
  net_state_destroy(state);
  net_destroy(n);
  dump_close(file);
  dump_error_clear(&error);
  family_fixture_clear(&families);
  free(token);
  free(vector);
  return 0;
}
