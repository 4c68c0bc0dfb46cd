/* Token files. */
#include "sim/tokens.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "dump/dump.h"

enum { MOST_TEXT_BYTES = 1 << 30, AT_ONCE = 4096, SHOWN = 40 /* characters of a word in a message */ };

/* ---- a list that grows ---- */

typedef struct {
  token_list list;
  size_t tokens, token_room, start_room;
} maker;

static void add_token(maker *m, uint32_t token)
{
  if (m->tokens == m->token_room) {
    m->token_room = m->token_room ? memory_multiply(m->token_room, 2) : 1024;
    m->list.token = memory_resize(m->list.token, m->token_room, sizeof *m->list.token);
  }
  m->list.token[m->tokens++] = token;
}

/* What was added since the last time is a sequence, unless it is nothing. */
static void end_sequence(maker *m)
{
  if (m->tokens == (m->list.start ? m->list.start[m->list.count] : 0))
    return;
  if (m->list.count + 2 > m->start_room) {
    m->start_room = m->start_room ? memory_multiply(m->start_room, 2) : 16;
    m->list.start = memory_resize(m->list.start, m->start_room, sizeof *m->list.start);
  }
  m->list.start[0] = 0;
  m->list.start[++m->list.count] = m->tokens;
}

static bool finish(token_list *list, maker *m, bool fine)
{
  if (!fine)
    tokens_clear(&m->list);
  *list = m->list;
  return fine;
}

void tokens_clear(token_list *list)
{
  free(list->token);
  free(list->start);
  *list = (token_list){0};
}

/* ---- text ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool is_number(const char *word, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (word[i] < '0' || word[i] > '9')
      return false;
  return true;
}

/* The word made fit for a message. */
static void show(char shown[SHOWN + 4], const char *word, size_t length)
{
  size_t n = length < SHOWN ? length : SHOWN;
  for (size_t i = 0; i < n; i++)
    shown[i] = word[i] > ' ' && word[i] < 127 ? word[i] : '?';
  strcpy(shown + n, length > n ? "..." : "");
}

static bool add_word(maker *m, diag *d, diag_place place, const char *word, size_t length, uint64_t vocabulary)
{
  char shown[SHOWN + 4];
  show(shown, word, length);
  if (!is_number(word, length)) {
    diag_error(d, place, "'%s' is no token: tokens are whole numbers, separated by blanks", shown);
    return false;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < length && value < vocabulary; i++)
    value = 10 * value + (uint64_t)(word[i] - '0');
  if (value >= vocabulary) {
    diag_error(d, place, "token %s is not below %llu, the size of the model's vocabulary", shown,
               (unsigned long long)vocabulary);
    return false;
  }
  add_token(m, (uint32_t)value);
  return true;
}

bool tokens_read_text(token_list *list, diag *d, const diag_source *source, uint64_t vocabulary)
{
  maker m = {0};
  bool fine = true;
  unsigned line = 1;
  const char *text = source->text;
  for (size_t at = 0, begin = 0; fine && at < source->length;) {
    char c = text[at];
    if (c == '\n') {
      end_sequence(&m);
      line++;
      begin = ++at;
    } else if (c == '#') {
      while (at < source->length && text[at] != '\n')
        at++;
    } else if (is_blank(c))
      at++;
    else {
      size_t length = 1;
      while (at + length < source->length && !is_blank(text[at + length]) && text[at + length] != '\n' &&
             text[at + length] != '#')
        length++;
      diag_place place = {source, at, line, (unsigned)(at - begin) + 1};
      fine = add_word(&m, d, place, text + at, length, vocabulary);
      at += length;
    }
  }
  end_sequence(&m);
  if (fine && m.list.count == 0) {
    diag_error_plain(d, "%s: it holds no token", source->name);
    fine = false;
  }
  return finish(list, &m, fine);
}

/* ---- .npy ---- */

static bool begins_like_npy(const char *path)
{
  char begin[6];
  struct stat about;
  int file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  bool found = file >= 0 && !fstat(file, &about) && S_ISREG(about.st_mode) &&
               read(file, begin, sizeof begin) == (ssize_t)sizeof begin && !memcmp(begin, "\x93NUMPY", 6);
  if (file >= 0)
    close(file);
  return found;
}

static bool is_integer(dump_type type)
{
  return type >= DUMP_I64 && type <= DUMP_U8;
}

static bool refuse(dump_error *error, const dump_file *file, const dump_tensor *tensor, uint64_t row, uint64_t column,
                   double value, uint64_t vocabulary)
{
  int64_t index = tensor->rank == 2 ? (int64_t)row * tensor->stride[0] + (int64_t)column * tensor->stride[1]
                                    : (int64_t)column * tensor->stride[0];
  uint64_t at = tensor->offset + (uint64_t)index * dump_type_bytes(tensor->type);
  if (value < 0)
    dump_error_set_at(error, dump_name(file), at, "token %.0f is below 0", value);
  else
    dump_error_set_at(error, dump_name(file), at, "token %.0f is not below %llu, the size of the model's vocabulary",
                      value, (unsigned long long)vocabulary);
  return false;
}

static bool read_row(maker *m, dump_error *error, const dump_file *file, const dump_tensor *tensor, uint64_t row,
                     uint64_t columns, uint64_t vocabulary)
{
  double values[AT_ONCE];
  for (uint64_t first = 0; first < columns; first += AT_ONCE) {
    uint64_t rest = columns - first;
    size_t count = rest < AT_ONCE ? (size_t)rest : AT_ONCE;
    if (dump_values(file, values, tensor, row * columns + first, count, error) != STATUS_OK)
      return false;
    for (size_t i = 0; i < count; i++) {
      if (!(values[i] >= 0 && values[i] < (double)vocabulary))
        return refuse(error, file, tensor, row, first + i, values[i], vocabulary);
      add_token(m, (uint32_t)values[i]);
    }
  }
  end_sequence(m);
  return true;
}

static bool read_array(maker *m, dump_error *error, const dump_file *file, uint64_t vocabulary)
{
  const dump_tensor *tensor = dump_get(file, 0);
  if (!is_integer(tensor->type) || tensor->rank < 1 || tensor->rank > 2) {
    dump_error_set(error, dump_name(file), "tokens are an array of integers of the shape [T] or [batch, T]; this one has "
                   "the type %s and %u dimensions", tensor->type_name, tensor->rank);
    return false;
  }
  if (tensor->count == 0) {
    dump_error_set(error, dump_name(file), "it holds no token");
    return false;
  }
  uint64_t rows = tensor->rank == 2 ? tensor->shape[0] : 1, columns = tensor->shape[tensor->rank - 1];
  bool fine = true;
  for (uint64_t row = 0; row < rows && fine; row++)
    fine = read_row(m, error, file, tensor, row, columns, vocabulary);
  return fine;
}

static bool read_npy(token_list *list, diag *d, const char *path, uint64_t vocabulary)
{
  maker m = {0};
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  bool fine = file && read_array(&m, &error, file, vocabulary);
  if (!fine && error.has_offset)
    diag_error_plain(d, "%s: byte %llu: %s", error.file, (unsigned long long)error.offset, error.message);
  else if (!fine)
    diag_error_plain(d, "%s: %s", error.file, error.message);
  dump_close(file);
  dump_error_clear(&error);
  return finish(list, &m, fine);
}

bool tokens_read(token_list *list, diag *d, const char *path, uint64_t vocabulary)
{
  *list = (token_list){0};
  if (begins_like_npy(path))
    return read_npy(list, d, path, vocabulary);
  diag_source *source = diag_source_read(d, path, MOST_TEXT_BYTES);
  bool fine = source && tokens_read_text(list, d, source, vocabulary);
  if (source)
    diag_source_destroy(source);
  return fine;
}
