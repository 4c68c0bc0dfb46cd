/* Tensors out of the calls that would rebuild them.
 *
 * Source: torch/_utils.py and torch/_tensor.py of the torch package. */
#include <stdlib.h>
#include <string.h>

#include "dump/torch.h"
#include "dump/torch_storage.h"

static const char utils[] = "torch._utils", tensors[] = "torch._tensor|torch.tensor";

/* A tensor whose values overlap may have more of them than its storage. Beyond this no training run's does.
 */
static const uint64_t overlapping = UINT64_C(1) << 28;

/* A call, perhaps told by another one. */
typedef struct {
  const pickle_value *maker, *arguments, *state;
} call;

bool torch_take_shape(torch_reader *r, dump_tensor *tensor, const pickle_value *shape,
                      const pickle_value *strides, uint64_t at)
{
  if (shape == NULL || (shape->kind != PICKLE_TUPLE && shape->kind != PICKLE_LIST) ||
      (strides != NULL && strides->kind != PICKLE_TUPLE && strides->kind != PICKLE_LIST))
    return torch_fail(r, at, "a shape or strides that are no tuple"), false;
  size_t rank = shape->u.list.count;
  if (rank > DUMP_RANK)
    return torch_fail(r, at, "a tensor of more than 32 dimensions"), false;
  if (strides != NULL && strides->u.list.count != rank)
    return torch_fail(r, at, "a tensor with other than one stride for each dimension"), false;
  tensor->rank = (unsigned)rank;
  for (size_t i = 0; i < rank; i++) {
    const pickle_value *size = shape->u.list.items[i];
    if (size->kind != PICKLE_INT || size->u.integer < 0)
      return torch_fail(r, at, "a size that is no whole number >= 0"), false;
    tensor->shape[i] = (uint64_t)size->u.integer;
    if (strides == NULL)
      continue;
    const pickle_value *stride = strides->u.list.items[i];
    if (stride->kind != PICKLE_INT || stride->u.integer < 0)
      return torch_fail(r, at, "a stride that is no whole number >= 0"), false;
    tensor->stride[i] = stride->u.integer;
  }
  return true;
}

/* Elements from the first to behind the last, for strides and shape that reader_fill_strided accepted. */
static uint64_t extent(const dump_tensor *tensor)
{
  uint64_t last = 0;
  for (unsigned i = 0; i < tensor->rank; i++)
    last += (tensor->shape[i] - 1) * (uint64_t)tensor->stride[i];
  return last + 1;
}

static void set_type(dump_tensor *tensor, const torch_type *type)
{
  tensor->type = type->type;
  memcpy(tensor->type_name, type->name, sizeof tensor->type_name);
}

/* The tensor's place in its storage, whose first used element is `first` (in elements of the tensor's type).
 */
static torch_answer place(torch_reader *r, dump_tensor *tensor, const torch_mention *mention,
                          const torch_type *type, uint64_t first, uint64_t at)
{
  set_type(tensor, type);
  if (!reader_fill_strided(tensor))
    return torch_fail(r, at, "the size of a tensor exceeds 63 bits");
  tensor->big_endian = r->big_endian && type->size > 1;
  tensor->segment = r->segment;
  tensor->offset = r->base; /* what is empty is nowhere */
  const torch_storage *storage = torch_find_storage(r, mention->key, mention->key_length);
  if (storage != NULL && storage->placed) {
    tensor->segment = storage->segment;
    tensor->offset = storage->offset;
  }
  if (tensor->count == 0)
    return TORCH_TENSOR;
  if (storage == NULL || !storage->placed)
    return torch_fail(r, at, "the storage of a tensor is not in the file");
  if (type->size == 0)
    return TORCH_TENSOR; /* a type of the future */
  /* The storage's elements may be of another size: all in bytes. */
  uint64_t elements = mention->count * mention->type.size / type->size, used = extent(tensor), from, bytes;
  if (first > elements || used > elements - first)
    return torch_fail(r, at, "a tensor reaches beyond its storage");
  if (tensor->count > elements && tensor->count > overlapping)
    return torch_fail(r, at, "a tensor has far more elements than its storage");
  from = (mention->first * mention->type.size) + first * type->size;
  bytes = used * type->size;
  if (from > storage->length || bytes > storage->length - from)
    return torch_fail(r, at, "a tensor reaches beyond the bytes of its storage");
  tensor->offset += from;
  tensor->bytes = bytes;
  return TORCH_TENSOR;
}

/* (storage, first, shape, strides, ...) */
static torch_answer take_tensor(torch_reader *r, dump_tensor *tensor, const char **why, const call *c,
                                uint64_t at)
{
  const pickle_value *storage = pickle_item(c->arguments, 0), *first = pickle_item(c->arguments, 1),
                     *shape = pickle_item(c->arguments, 2), *strides = pickle_item(c->arguments, 3);
  bool third = pickle_is_global(c->maker, utils, "_rebuild_tensor_v3");
  const pickle_value *dtype = third ? pickle_item(c->arguments, 6) : NULL,
                     *bits = pickle_item(c->arguments, third ? 7 : 6);
  if (storage == NULL || first == NULL || shape == NULL || strides == NULL)
    return torch_fail(r, at, "a tensor that is not (storage, offset, shape, strides, ...)");
  if (storage->kind != PICKLE_PERSISTENT) {
    *why = "a tensor without a storage";
    return TORCH_UNREAD;
  }
  torch_mention mention;
  if (!torch_is_storage(storage))
    return torch_fail(r, at, "a tensor whose storage is none");
  if (!torch_take_mention(r, &mention, storage))
    return TORCH_BAD;
  if (first->kind != PICKLE_INT || first->u.integer < 0)
    return torch_fail(r, at, "an offset that is no whole number >= 0");
  if (!torch_take_shape(r, tensor, shape, strides, at))
    return TORCH_BAD;
  torch_type type = mention.type;
  if (third) {
    if (dtype == NULL || dtype->kind != PICKLE_GLOBAL)
      return torch_fail(r, at, "a tensor without a type");
    torch_type_of_name(&type, dtype->u.global.name);
  }
  if (pickle_is_global(c->maker, utils, "_rebuild_qtensor"))
    type.type = DUMP_OTHER;
  /* Marks of a view that conjugates or negates when it is read. */
  const pickle_value *conjugated = pickle_get(bits, "conj"), *negated = pickle_get(bits, "neg");
  if ((conjugated != NULL && conjugated->kind == PICKLE_BOOL && conjugated->u.truth) ||
      (negated != NULL && negated->kind == PICKLE_BOOL && negated->u.truth)) {
    *why = "a conjugated or negated view";
    return TORCH_UNREAD;
  }
  return place(r, tensor, &mention, &type, (uint64_t)first->u.integer, at);
}

static torch_answer take_storage(torch_reader *r, dump_tensor *tensor, const pickle_value *value)
{
  torch_mention mention;
  if (!torch_take_mention(r, &mention, value))
    return TORCH_BAD;
  tensor->rank = 1;
  tensor->shape[0] = mention.count;
  tensor->stride[0] = 1;
  return place(r, tensor, &mention, &mention.type, 0, value->at);
}

static bool is_one_of(const pickle_value *maker, const char *module, const char *const *names)
{
  for (; *names != NULL; names++)
    if (pickle_is_global(maker, module, *names))
      return true;
  return false;
}

/* torch.FloatTensor() with (storage, offset, shape, strides) set afterwards: torch before 0.2. */
static bool is_early_tensor(const pickle_value *maker)
{
  if (maker->kind != PICKLE_GLOBAL)
    return false;
  const char *module = maker->u.global.module, *name = maker->u.global.name;
  size_t length = strlen(name);
  return (strcmp(module, "torch") == 0 || strcmp(module, "torch.cuda") == 0) && length > 6 &&
         strcmp(name + length - 6, "Tensor") == 0;
}

/* Whether the call wraps another value, which then is *inner. */
static bool unwrap(const pickle_value **inner, const call *c)
{
  static const char *const first[] = {"_rebuild_parameter",
                                      "_rebuild_parameter_with_state",
                                      "_rebuild_device_tensor_from_numpy",
                                      "_rebuild_device_tensor_from_cpu_tensor",
                                      "_rebuild_xla_tensor",
                                      NULL};
  static const char *const classes[] = {"Parameter", "Buffer", "Variable", NULL};
  if (!is_one_of(c->maker, utils, first) &&
      !is_one_of(c->maker, "torch.nn.parameter|torch.autograd.variable", classes))
    return false;
  *inner = pickle_item(c->arguments, 0);
  return *inner != NULL;
}

static torch_answer take_call(torch_reader *r, dump_tensor *tensor, const char **why, const call *c,
                              uint64_t at)
{
  static const char *const strided[] = {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3",
                                        "_rebuild_qtensor", NULL};
  static const char *const unread[] = {"_rebuild_sparse_tensor",          "_rebuild_sparse_csr_tensor",
                                       "_rebuild_nested_tensor",          "_rebuild_wrapper_subclass",
                                       "_rebuild_meta_tensor_no_storage", NULL};
  if (is_one_of(c->maker, utils, strided))
    return take_tensor(r, tensor, why, c, at);
  if (is_one_of(c->maker, utils, unread)) {
    *why =
        strstr(c->maker->u.global.name, "sparse") != NULL ? "a sparse tensor" : "a tensor without a storage";
    return TORCH_UNREAD;
  }
  if (is_early_tensor(c->maker) && c->state != NULL && c->state->kind == PICKLE_TUPLE) {
    call as_call = {c->maker, c->state, NULL};
    return take_tensor(r, tensor, why, &as_call, at);
  }
  if (pickle_is_global(c->maker, "jax._src.array|jax.array", "_reconstruct_array"))
    return torch_take_array(r, tensor, why, pickle_item(c->arguments, 0), pickle_item(c->arguments, 1),
                            pickle_item(c->arguments, 2), at);
  if (c->maker->kind == PICKLE_GLOBAL && strncmp(c->maker->u.global.name, "_rebuild_", 9) == 0 &&
      strcmp(c->maker->u.global.module, utils) == 0) {
    *why = "a tensor of another kind";
    return TORCH_UNREAD;
  }
  return torch_take_array(r, tensor, why, c->maker, c->arguments, c->state, at);
}

torch_answer torch_take(torch_reader *r, dump_tensor *tensor, const char **why, const pickle_value *value)
{
  enum { WRAPPERS = 16 };
  memset(tensor, 0, sizeof *tensor);
  for (unsigned i = 0; i < WRAPPERS && value != NULL; i++) {
    if (torch_is_storage(value))
      return take_storage(r, tensor, value);
    if (value->kind != PICKLE_OBJECT)
      return TORCH_NOTHING;
    const pickle_object *object = value->u.object;
    call c = {object->maker, object->arguments, object->state};
    if (is_one_of(c.maker, tensors,
                  (const char *const[]){"_rebuild_from_type_v2", "_rebuild_from_type", NULL})) {
      c = (call){pickle_item(object->arguments, 0), pickle_item(object->arguments, 2), NULL};
      if (c.maker == NULL || c.arguments == NULL)
        return torch_fail(r, value->at, "a tensor that is not (function, type, arguments, state)");
    }
    const pickle_value *inner;
    if (!unwrap(&inner, &c)) {
      torch_answer answer = take_call(r, tensor, why, &c, value->at);
      return answer == TORCH_ARRAY && i > 0 ? TORCH_TENSOR : answer; /* torch's, by way of numpy */
    }
    value = inner;
  }
  return TORCH_NOTHING;
}

torch_answer torch_look(const pickle_value *value)
{
  if (torch_is_storage(value))
    return TORCH_TENSOR;
  if (value->kind != PICKLE_OBJECT || value->u.object->maker->kind != PICKLE_GLOBAL)
    return TORCH_NOTHING;
  const pickle_value *maker = value->u.object->maker;
  const char *module = maker->u.global.module, *name = maker->u.global.name;
  const pickle_value *inner;
  call c = {maker, value->u.object->arguments, NULL};
  if (unwrap(&inner, &c) || is_early_tensor(maker))
    return TORCH_TENSOR;
  if (strncmp(name, "_rebuild_", 9) == 0 && strncmp(module, "torch.", 6) == 0)
    return TORCH_TENSOR;
  bool array = strcmp(name, "_reconstruct") == 0 || strcmp(name, "_frombuffer") == 0;
  return (array && strncmp(module, "numpy.", 6) == 0) || strcmp(name, "_reconstruct_array") == 0
             ? TORCH_ARRAY
             : TORCH_NOTHING;
}
