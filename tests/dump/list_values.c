/* Prints every tensor of a parameter file, a line each: name, type as the file spells it, shape, and the
 * values as hexadecimal floating-point numbers; tabs between. Of types that are not read the values are "-".
 * For tests that hold another program against ours. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dump/dump.h"

static void print_values(const dump_file *file, const dump_tensor *tensor, dump_error *error)
{
  enum { AT_ONCE = 512 };
  double values[2 * AT_ONCE];
  unsigned lanes = dump_lanes(tensor->type);
  for (uint64_t first = 0; first < tensor->count; first += AT_ONCE) {
    size_t count = tensor->count - first < AT_ONCE ? (size_t)(tensor->count - first) : AT_ONCE;
    if (dump_values(file, values, tensor, first, count, error) != STATUS_OK) {
      dump_error_print(stderr, error);
      exit(1);
    }
    for (size_t i = 0; i < count * lanes; i++)
      printf(" %a", values[i]);
  }
}

int main(int argc, char **argv)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = argc == 2 ? dump_open(argv[1], NULL, &error) : NULL;
  if (file == NULL) {
    dump_error_print(stderr, &error);
    return 2;
  }
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *tensor = dump_get(file, i);
    printf("%s\t%s\t", tensor->name, tensor->type_name);
    for (unsigned k = 0; k < tensor->rank; k++)
      printf("%s%" PRIu64, k > 0 ? "," : "", tensor->shape[k]);
    printf("\t");
    if (tensor->type == DUMP_OTHER)
      printf("-");
    else
      print_values(file, tensor, &error);
    printf("\n");
  }
  dump_close(file);
  return 0;
}
