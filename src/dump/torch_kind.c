/* Parameters, optimizer state and the rest, told by class, structure and key. */
#include "dump/torch_kind.h"

#include <string.h>

static bool has_one_of(const pickle_value *dict, const char *const *keys)
{
  for (; *keys != NULL; keys++)
    if (pickle_get(dict, *keys) != NULL)
      return true;
  return false;
}

/* What optimizers call their memory of a single parameter. */
static const char *const moments[] = {"exp_avg",        "exp_avg_sq", "momentum_buffer", "square_avg",
                                      "max_exp_avg_sq", "acc_delta",  "exp_inf",         NULL};

/* {"state": {...}, "param_groups": [...]}, as a dict or as attributes. */
static bool is_optimizer(const pickle_value *dict)
{
  return pickle_get(dict, "state") != NULL && pickle_get(dict, "param_groups") != NULL;
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static bool is_optimizer_class(const pickle_value *maker)
{
  if (maker->kind != PICKLE_GLOBAL)
    return false;
  const char *module = maker->u.global.module;
  return (begins(module, "torch.optim") && !begins(module, "torch.optim.lr_scheduler") &&
          !begins(module, "torch.optim.swa_utils")) ||
         begins(module, "optax.");
}

/* A dict of nothing but tensors. */
static bool is_state_dict(const pickle_value *dict, bool plain)
{
  const pickle_list *entries = pickle_entries(dict);
  size_t seen = 0;
  for (size_t i = 1; entries != NULL && i < entries->count; i += 2) {
    torch_answer look = torch_look(entries->items[i]);
    if (look == TORCH_TENSOR || (look == TORCH_ARRAY && plain))
      seen++;
    else if (entries->items[i]->kind != PICKLE_NONE)
      return false;
  }
  return seen > 0;
}

torch_part torch_part_of(const pickle_value *container, torch_part part, bool plain)
{
  if (part == PART_PARAMETERS || part == PART_OPTIMIZER)
    return part;
  const pickle_value *state = NULL;
  if (container->kind == PICKLE_OBJECT) {
    if (is_optimizer_class(container->u.object->maker))
      return PART_OPTIMIZER;
    state = container->u.object->state;
  }
  if (is_optimizer(container) || is_optimizer(state) || has_one_of(container, moments))
    return PART_OPTIMIZER;
  return part == PART_OPEN && is_state_dict(container, plain) ? PART_PARAMETERS : part;
}

typedef struct {
  const char *word;
  bool begins; /* a word that begins so will do */
} token;

static const token optimizer_words[] = {{"optimiz", true}, {"optimis", true}, {"optim", false},
                                        {"optims", false}, {"opt", false},    {"opts", false}};
static const token model_words[] = {{"model", true},          {"net", false},     {"network", false},
                                    {"ema", false},           {"weights", false}, {"params", false},
                                    {"parameters", false},    {"module", false},  {"generator", false},
                                    {"discriminator", false}, {"encoder", false}, {"decoder", false}};
static const token extra_words[] = {
    {"scheduler", true}, {"sched", false}, {"loss", false},      {"losses", false},    {"metric", true},
    {"epoch", true},     {"step", false},  {"steps", false},     {"history", false},   {"rng", false},
    {"random", false},   {"seed", false},  {"callbacks", false}, {"loops", false},     {"scaler", false},
    {"score", true},     {"acc", false},   {"accuracy", false},  {"args", false},      {"config", true},
    {"hparams", false},  {"hyper", true},  {"sampler", false},   {"dataloader", true}, {"datamodule", true},
    {"log", false},      {"logs", false},  {"iteration", true}};

static bool is_word_character(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether one of the key's words (runs of letters, in whatever case) is among `tokens`. */
static bool has_token(const char *key, size_t length, const token *tokens, size_t count)
{
  for (size_t i = 0; i < length;) {
    char word[24];
    size_t n = 0;
    for (; i < length && is_word_character(key[i]); i++)
      if (n + 1 < sizeof word)
        word[n++] = (char)(key[i] | 0x20);
    word[n] = 0;
    for (size_t j = 0; n > 0 && j < count; j++)
      if (tokens[j].begins ? begins(word, tokens[j].word) : strcmp(word, tokens[j].word) == 0)
        return true;
    while (i < length && !is_word_character(key[i]))
      i++;
  }
  return false;
}

#define HAS(key, length, tokens) has_token(key, length, tokens, sizeof(tokens) / sizeof *(tokens))

torch_part torch_part_under(const char *key, size_t length, torch_part part)
{
  if (part == PART_PARAMETERS || part == PART_OPTIMIZER)
    return part;
  if (HAS(key, length, optimizer_words))
    return PART_OPTIMIZER;
  return part == PART_OPEN && !HAS(key, length, model_words) && HAS(key, length, extra_words) ? PART_EXTRA
                                                                                              : part;
}
