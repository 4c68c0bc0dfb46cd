/* Arrays and scalars of numpy: a dtype, a shape, and the bytes, which lie within the pickle itself.
 *
 *   numpy.core.multiarray._reconstruct(class, (0,), b"b") with (version, shape, dtype, fortran, bytes) set
 *   numpy.core.multiarray.scalar(dtype, bytes)
 *   numpy.core.numeric._frombuffer(bytes, dtype, shape, order[, axes])
 *   numpy.dtype(code, align, copy) with (version, order, subdtype, names, fields, size, alignment, flags) set
 *
 * Source: numpy/_core of the numpy package (numpy/core before version 2). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/torch.h"
#include "dump/torch_storage.h"

static const char multiarray[] = "numpy.core.multiarray|numpy._core.multiarray",
                  numeric[] = "numpy.core.numeric|numpy._core.numeric";

static const struct {
  const char *code;
  dump_type type;
  unsigned size;
} codes[] = {
    {"f8", DUMP_F64, 8}, {"f4", DUMP_F32, 4},    {"f2", DUMP_F16, 2}, {"i8", DUMP_I64, 8},
    {"i4", DUMP_I32, 4}, {"i2", DUMP_I16, 2},    {"i1", DUMP_I8, 1},  {"u8", DUMP_U64, 8},
    {"u4", DUMP_U32, 4}, {"u2", DUMP_U16, 2},    {"u1", DUMP_U8, 1},  {"b1", DUMP_BOOL, 1},
    {"c8", DUMP_C64, 8}, {"c16", DUMP_C128, 16},
};

typedef struct {
  torch_type type;
  bool big_endian;
} array_type;

/* Whether it is a dtype of numbers that are known. */
static bool take_dtype(array_type *type, const pickle_value *dtype)
{
  if (dtype == NULL || dtype->kind != PICKLE_OBJECT ||
      !pickle_is_global(dtype->u.object->maker, "numpy", "dtype"))
    return false;
  const pickle_value *code = pickle_item(dtype->u.object->arguments, 0), *state = dtype->u.object->state,
                     *order = pickle_item(state, 1), *names = pickle_item(state, 3);
  if (code == NULL || (names != NULL && names->kind != PICKLE_NONE))
    return false;
  type->big_endian = pickle_is_text(order, ">");
  if (code->kind == PICKLE_GLOBAL) { /* the small floats of the package ml_dtypes, by their class */
    torch_type_of_name(&type->type, code->u.global.name);
    return type->type.size > 0;
  }
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (pickle_is_text(code, codes[i].code)) {
      type->type = (torch_type){.type = codes[i].type, .size = codes[i].size};
      type->type.name[0] = codes[i].size == 1 ? '|' : type->big_endian ? '>' : '<';
      strcpy(type->type.name + 1, codes[i].code);
      return true;
    }
  return false;
}

static torch_answer unread_type(const char **why)
{
  *why = "a numpy array of another type";
  return TORCH_UNREAD;
}

/* Strides of the first index running fastest. */
static bool fill_fortran(dump_tensor *tensor)
{
  dump_tensor turned = *tensor; /* finds overflow */
  if (!reader_fill_row_major(&turned))
    return false;
  int64_t stride = 1;
  for (unsigned i = 0; i < tensor->rank; i++) {
    tensor->stride[i] = stride;
    if (turned.count > 0)
      stride *= (int64_t)tensor->shape[i];
  }
  return reader_fill_strided(tensor);
}

/* The shape is that of the bytes in row-major order; index i of the array is the one of number axes[i] there.
 */
static bool fill_permuted(torch_reader *r, dump_tensor *tensor, const pickle_value *axes, uint64_t at)
{
  dump_tensor plain = *tensor;
  if (!reader_fill_row_major(&plain))
    return torch_fail(r, at, "the size of an array exceeds 63 bits"), false;
  uint64_t seen = 0;
  for (unsigned i = 0; i < tensor->rank; i++) {
    const pickle_value *axis = pickle_item(axes, i);
    if (axis == NULL || axis->kind != PICKLE_INT || axis->u.integer < 0 || axis->u.integer >= tensor->rank ||
        (seen >> axis->u.integer & 1) != 0)
      return torch_fail(r, at, "axes of an array that are no permutation"), false;
    seen |= UINT64_C(1) << axis->u.integer;
    tensor->shape[i] = plain.shape[axis->u.integer];
    tensor->stride[i] = plain.stride[axis->u.integer];
  }
  return reader_fill_strided(tensor);
}

/* The bytes of the tensor, whose layout is known. */
static torch_answer place(torch_reader *r, dump_tensor *tensor, pickle_value *bytes, uint64_t at)
{
  const unsigned char *data = (const unsigned char *)bytes->u.text.data;
  if (bytes->u.text.length != tensor->bytes)
    return torch_fail(r, at, "an array whose bytes do not fit its shape and type");
  tensor->segment = r->segment;
  tensor->offset = r->base;
  if (tensor->bytes == 0)
    return TORCH_ARRAY;
  uintptr_t first = (uintptr_t)r->source.data, here = (uintptr_t)data;
  if (here >= first && here < first + r->source.length) {
    tensor->offset = r->base + (here - first);
    return TORCH_ARRAY;
  }
  /* They were written as text: a copy of what it stands for, one for all that share it. */
  if (bytes->place == 0) {
    unsigned char *own = memory_new((size_t)tensor->bytes, 1);
    memcpy(own, data, (size_t)tensor->bytes);
    uint64_t at_file = r->source.member != NULL ? r->source.member_place : r->source.base + bytes->at;
    bytes->place = 1 + reader_own(r->file, r->segment, at_file, own, (size_t)tensor->bytes);
  }
  tensor->segment = bytes->place - 1;
  tensor->offset = 0;
  return TORCH_ARRAY;
}

static torch_answer take_scalar(torch_reader *r, dump_tensor *tensor, const char **why,
                                const pickle_value *arguments, uint64_t at)
{
  pickle_value *bytes = pickle_item(arguments, 1);
  array_type type;
  if (!take_dtype(&type, pickle_item(arguments, 0)) || type.type.type == DUMP_OTHER || bytes == NULL ||
      bytes->kind != PICKLE_BYTES)
    return unread_type(why);
  tensor->type = type.type.type;
  memcpy(tensor->type_name, type.type.name, sizeof tensor->type_name);
  tensor->big_endian = type.big_endian && type.type.size > 1;
  reader_fill_row_major(tensor); /* a single number */
  return place(r, tensor, bytes, at);
}

static torch_answer take_array(torch_reader *r, dump_tensor *tensor, const char **why,
                               const pickle_value *shape, const pickle_value *dtype, pickle_value *bytes,
                               const pickle_value *axes, bool fortran, uint64_t at)
{
  array_type type;
  if (!take_dtype(&type, dtype) || type.type.type == DUMP_OTHER)
    return unread_type(why);
  if (bytes == NULL || bytes->kind != PICKLE_BYTES)
    return torch_fail(r, at, "an array without bytes");
  tensor->type = type.type.type;
  memcpy(tensor->type_name, type.type.name, sizeof tensor->type_name);
  tensor->big_endian = type.big_endian && type.type.size > 1;
  if (!torch_take_shape(r, tensor, shape, NULL, at))
    return TORCH_BAD;
  if (axes != NULL) {
    if (!fill_permuted(r, tensor, axes, at))
      return TORCH_BAD;
  } else if (!(fortran ? fill_fortran(tensor) : reader_fill_row_major(tensor)))
    return torch_fail(r, at, "the size of an array exceeds 63 bits");
  return place(r, tensor, bytes, at);
}

torch_answer torch_take_array(torch_reader *r, dump_tensor *tensor, const char **why,
                              const pickle_value *maker, const pickle_value *arguments,
                              const pickle_value *state, uint64_t at)
{
  if (pickle_is_global(maker, multiarray, "scalar"))
    return take_scalar(r, tensor, why, arguments, at);
  if (pickle_is_global(maker, numeric, "_frombuffer")) {
    const pickle_value *order = pickle_item(arguments, 3), *axes = pickle_item(arguments, 4);
    bool permuted = pickle_is_text(order, "K") && axes != NULL && axes->kind != PICKLE_NONE;
    return take_array(r, tensor, why, pickle_item(arguments, 2), pickle_item(arguments, 1),
                      pickle_item(arguments, 0), permuted ? axes : NULL, pickle_is_text(order, "F"), at);
  }
  if (!pickle_is_global(maker, multiarray, "_reconstruct"))
    return TORCH_NOTHING;
  const pickle_value *fortran = pickle_item(state, 3);
  if (fortran == NULL)
    return torch_fail(r, at, "an array that is not (version, shape, type, order, bytes)");
  bool is_fortran = (fortran->kind == PICKLE_BOOL && fortran->u.truth) ||
                    (fortran->kind == PICKLE_INT && fortran->u.integer != 0);
  return take_array(r, tensor, why, pickle_item(state, 1), pickle_item(state, 2), pickle_item(state, 4), NULL,
                    is_fortran, at);
}
