/* Making JSON values: what cannot be made ends the program, as every want of memory does. */
#ifndef ASSAY_REPORT_JSON_MAKE_H
#define ASSAY_REPORT_JSON_MAKE_H

#include <jansson.h>
#include <stdint.h>

json_t *json_make_object(void);
json_t *json_make_array(void);
/* null for NULL; bytes that are not UTF-8 are replaced by '?'. */
json_t *json_make_string(const char *s);
/* Counts beyond 2^63 - 1 are cut off there. */
json_t *json_make_count(uint64_t n);
/* Each takes over `value`. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

#endif
