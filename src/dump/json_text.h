/* JSON texts inside parameter files, with byte offsets. Private to src/dump. */
#ifndef ASSAY_DUMP_JSON_TEXT_H
#define ASSAY_DUMP_JSON_TEXT_H

#include <jansson.h>

#include "dump/dump.h"

/* The object that `length` bytes of strict JSON hold: no repeated key, no NUL, neither in the text nor in a
 * string, at most `depth` brackets open at a time. NULL with `error` set, its offset `base` plus the place in
 * the text; `what` ("the header") stands for the text in messages. */
json_t *json_text_parse(const char *file, const char *what, const char *text, size_t length, uint64_t base,
                        uint32_t depth, dump_error *error);

/* The offset of each key of the outermost object of a text that json_text_parse took: `count` of them, in the
 * order of the text, which is also Jansson's. */
void json_text_keys(size_t *keys, size_t count, const char *text, size_t length);

#endif
