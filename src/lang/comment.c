/* Comments of claim files; the contract is in comment.h. */
#include "lang/comment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* The line that begins at `at`: where what is written on it begins and how long that is; false when it is no comment. */
static bool is_comment(const diag_source *s, size_t at, size_t *begin, size_t *length)
{
  while (at < s->length && (s->text[at] == ' ' || s->text[at] == '\t'))
    at++;
  if (at >= s->length || s->text[at] != '#')
    return false;
  at++;
  at += at < s->length && s->text[at] == ' ';
  const char *end = memchr(s->text + at, '\n', s->length - at);
  *begin = at;
  *length = end ? (size_t)(end - s->text) - at : s->length - at;
  while (*length && strchr(" \t\r", s->text[at + *length - 1]))
    --*length;
  return true;
}

static size_t begin_of_line(const diag_source *s, size_t at)
{
  while (at > 0 && s->text[at - 1] != '\n')
    at--;
  return at;
}

static size_t next_line(const diag_source *s, size_t at)
{
  const char *end = memchr(s->text + at, '\n', s->length - at);
  return end ? (size_t)(end - s->text) + 1 : s->length;
}

/* The comment lines from the one that begins at `at` on. */
static const char *copy_block(memory_region *region, const diag_source *s, size_t at)
{
  text block;
  text_init(&block);
  size_t begin, length;
  for (size_t lines = 0; at < s->length && is_comment(s, at, &begin, &length); at = next_line(s, at), lines++) {
    text_add(&block, lines ? "\n" : "");
    text_add_bytes(&block, s->text + begin, length);
  }
  const char *copy = block.length ? memory_region_copy(region, text_string(&block), block.length) : NULL;
  text_clear(&block);
  return copy;
}

/* Where the comment block directly above the line of `offset` begins; that line when there is none. */
static size_t block_above(const diag_source *s, size_t offset)
{
  size_t at = begin_of_line(s, offset), begin, length;
  while (at > 0) {
    size_t above = begin_of_line(s, at - 1);
    if (!is_comment(s, above, &begin, &length))
      break;
    at = above;
  }
  return at;
}

const char *comment_above(memory_region *region, const diag_source *source, size_t offset)
{
  return copy_block(region, source, block_above(source, offset));
}

const char *comment_at_head(memory_region *region, const diag_source *source, size_t offset)
{
  size_t first = strncmp(source->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  return block_above(source, offset) > first ? copy_block(region, source, first) : NULL;
}
