/* States in files. */
#include "cli/run_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "core/memory.h"

static size_t count_values(unsigned rank, const uint64_t *shape)
{
  size_t count = 1;
  for (unsigned i = 0; i < rank; i++)
    count = memory_multiply(count, (size_t)shape[i]);
  return count;
}

static const dump_tensor *find(const dump_file *file, const char *name, size_t sequences, unsigned rank,
                               const uint64_t *shape, dump_error *error)
{
  const dump_tensor *tensor = dump_find(file, name);
  bool fits = tensor && tensor->rank == rank + 1 && tensor->shape[0] == sequences && tensor->type == DUMP_F64;
  for (unsigned i = 0; i < rank && fits; i++)
    fits = tensor->shape[i + 1] == shape[i];
  if (fits)
    return tensor;
  text wanted;
  text_init(&wanted);
  text_addf(&wanted, "[%zu", sequences);
  for (unsigned i = 0; i < rank; i++)
    text_addf(&wanted, ", %llu", (unsigned long long)shape[i]);
  if (tensor)
    dump_error_set_tensor(error, file, tensor, "the state \"%s\" is not of doubles of the shape %s], as this model "
                          "with so many sequences has it", name, text_string(&wanted));
  else
    dump_error_set(error, dump_name(file), "it is no state of this model: there is no \"%s\" of the shape %s]", name,
                   text_string(&wanted));
  text_clear(&wanted);
  return NULL;
}

static bool read_tokens(net_state **states, const dump_file *file, size_t sequences, dump_error *error)
{
  const dump_tensor *tensor = find(file, "tokens", sequences, 0, NULL, error);
  for (size_t k = 0; tensor && k < sequences; k++) {
    double value;
    if (dump_values(file, &value, tensor, k, 1, error) != STATUS_OK)
      return false;
    if (!(value >= 0 && value <= 0x1p53 && value == floor(value))) {
      dump_error_set_tensor(error, file, tensor, "\"tokens\" does not say how many tokens sequence %zu has had", k);
      return false;
    }
    net_state_set_tokens(states[k], (uint64_t)value);
  }
  return tensor != NULL;
}

static bool read_arrays(net_state **states, const dump_file *file, size_t sequences, dump_error *error)
{
  for (size_t i = 0; i < net_state_arrays(states[0]); i++) {
    const char *name;
    unsigned rank;
    const uint64_t *shape;
    net_state_array(states[0], i, &name, &rank, &shape);
    const dump_tensor *tensor = find(file, name, sequences, rank, shape, error);
    if (!tensor)
      return false;
    size_t count = count_values(rank, shape);
    for (size_t k = 0; k < sequences; k++)
      if (dump_values(file, net_state_array(states[k], i, &name, &rank, &shape), tensor, k * count, count, error) !=
          STATUS_OK)
        return false;
  }
  if (dump_count(file) != net_state_arrays(states[0]) + 1) {
    dump_error_set(error, dump_name(file), "it is no state of this model: it holds %zu arrays, not %zu", dump_count(file),
                   net_state_arrays(states[0]) + 1);
    return false;
  }
  return true;
}

net_state **run_states_create(diag *d, const sim_input *in, const char *path)
{
  net_state **states = memory_new(in->sequences, sizeof(net_state *));
  for (size_t k = 0; k < in->sequences; k++)
    states[k] = net_state_create(in->net);
  if (!path)
    return states;
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  bool fine = file && read_tokens(states, file, in->sequences, &error) &&
              read_arrays(states, file, in->sequences, &error);
  dump_close(file);
  if (fine)
    return states;
  complain_of_dump(d, &error);
  run_states_destroy(states, in->sequences);
  return NULL;
}

void run_states_destroy(net_state **states, size_t count)
{
  for (size_t k = 0; states && k < count; k++)
    net_state_destroy(states[k]);
  free(states);
}

static bool write_array(npz_writer *w, net_state *const *states, size_t sequences, size_t i, dump_error *error)
{
  const char *name;
  unsigned rank;
  const uint64_t *shape;
  uint64_t whole[NPZ_RANK] = {sequences};
  size_t array;
  net_state_array(states[0], i, &name, &rank, &shape);
  memcpy(whole + 1, shape, rank * sizeof *shape);
  bool fine = npz_writer_add(w, &array, name, rank + 1, whole, error);
  for (size_t k = 0; k < sequences && fine; k++) {
    const double *values = net_state_array(states[k], i, &name, &rank, &shape);
    fine = npz_writer_append(w, array, values, count_values(rank, shape), error);
  }
  return fine;
}

bool run_states_write(diag *d, net_state *const *states, size_t count, int file, const char *path)
{
  dump_error error;
  dump_error_init(&error);
  npz_writer *w = npz_writer_create(file, path);
  size_t array;
  uint64_t shape[1] = {count};
  bool fine = npz_writer_add(w, &array, "tokens", 1, shape, &error);
  for (size_t k = 0; k < count && fine; k++) {
    double tokens = (double)net_state_tokens(states[k]);
    fine = npz_writer_append(w, array, &tokens, 1, &error);
  }
  for (size_t i = 0; i < net_state_arrays(states[0]) && fine; i++)
    fine = write_array(w, states, count, i, &error);
  fine = fine && npz_writer_finish(w, &error);
  npz_writer_destroy(w);
  return fine || complain_of_dump(d, &error);
}
