/* What a test of nets begins with: the shipped families, and a made net (made_net.h) that it may change before it makes the
 * file. setup and teardown are its checked fixture. */
#ifndef ASSAY_TESTS_SIM_NET_SCENE_H
#define ASSAY_TESTS_SIM_NET_SCENE_H

#include "made_net.h"

static made_families families;
static made_net made;
static dump_file *file;
static dump_error error;

static inline void setup(void)
{
  families = made_families_shipped();
  made_net_init(&made);
  dump_error_init(&error);
}

static inline void teardown(void)
{
  dump_close(file);
  file = NULL;
  dump_error_clear(&error);
  made_net_clear(&made);
  made_families_clear(&families);
}

/* NULL with the error set. */
static inline net *make(const net_options *options)
{
  net_options plain = net_options_default();
  file = made_model(made.tensor, made.count);
  return net_of(file, &families, options ? options : &plain, &error);
}

/* The caller frees them. */
static inline uint32_t *draw_tokens(size_t count)
{
  uint32_t *token = memory_new(count, sizeof *token);
  philox_stream random = philox_stream_start(3, 3, 0, 0);
  for (size_t i = 0; i < count; i++)
    token[i] = (uint32_t)philox_below(&random, V);
  return token;
}

#endif
