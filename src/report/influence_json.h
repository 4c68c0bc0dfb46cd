/* Influence of past tokens, for programs. */
#ifndef ASSAY_REPORT_INFLUENCE_JSON_H
#define ASSAY_REPORT_INFLUENCE_JSON_H

#include <jansson.h>

#include "sim/influence.h"

/* A new object, owned by the caller (json_decref), with every distance. Numbers are JSON numbers that read
 * back as the same double; null stands for what is not finite or not known. */
json_t *influence_json_create(const influence_result *r);

#endif
