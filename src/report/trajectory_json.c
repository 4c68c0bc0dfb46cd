/* What claims came to on trajectories, for programs. */
#include "report/trajectory_json.h"

#include <stdlib.h>

#include "report/claim_table_json.h"
#include "report/decimal.h"
#include "report/json_make.h"
#include "report/trajectory_text.h"

enum { DIGITS = 17 };

static json_t *take_string(char *s)
{
  json_t *value = json_make_string(s);
  free(s);
  return value;
}

static json_t *ball_value(const arb_t x)
{
  char *lower, *upper;
  decimal_ends(&lower, &upper, x, DIGITS);
  json_t *object = json_make_object();
  json_put(object, "lower", take_string(lower));
  json_put(object, "upper", take_string(upper));
  return object;
}

static void put_place(json_t *object, const trajectory_place *p)
{
  json_put(object, "sequence", json_make_count(p->sequence));
  json_put(object, "channel", json_make_count(p->channel));
  json_put(object, "state", json_make_count(p->state));
  json_put(object, "token", json_make_count(p->token));
}

static json_t *slack_value(const trajectory_answer *a, int kind)
{
  const trajectory_slack *s = &a->slack[kind];
  if (!s->known)
    return json_null();
  json_t *object = json_make_object();
  json_put(object, "least", take_string(trajectory_least(a, kind, DIGITS)));
  json_put(object, "difference", ball_value(s->difference));
  json_put(object, "ratio", s->has_ratio ? ball_value(s->ratio) : json_null());
  json_put(object, "label", json_make_string(s->label));
  json_put(object, "at", json_make_string(s->at));
  put_place(object, &s->place);
  json_put(object, "over", json_make_count(a->table.slack[kind].over));
  return object;
}

static json_t *answer_value(const trajectory_report *r, size_t k, const trajectory_answer *a)
{
  json_t *object = json_make_object(), *first = json_null(), *slack = json_make_object();
  json_put(object, "claim", json_make_string(r->claim[k].claim->name));
  json_put(object, "not_asked", json_make_string(a->reason));
  claim_table_json_put(object, &a->table);
  if (a->table.refuted != CLAIM_NOWHERE) {
    first = json_make_object();
    put_place(first, &a->refuted);
  }
  json_put(object, "false_at", first);
  json_put(slack, "true", slack_value(a, CLAIM_TRUE));
  json_put(slack, "false", slack_value(a, CLAIM_FALSE));
  json_put(object, "slack", slack);
  return object;
}

json_t *trajectory_json_create(const trajectory_report *r)
{
  json_t *object = json_make_object(), *layers = json_make_array();
  json_put(object, "file", json_make_string(r->file));
  json_put(object, "sequences", json_make_count(r->sequences));
  json_put(object, "tokens", json_make_count(r->tokens));
  json_put(object, "layers", layers);
  for (size_t j = 0; j < r->layers; j++) {
    const trajectory_layer *l = &r->layer[j];
    json_t *layer = json_make_object(), *claims = json_make_array();
    json_push(layers, layer);
    json_put(layer, "number", json_make_count(l->number));
    json_put(layer, "name", json_make_string(l->name));
    json_put(layer, "family", json_make_string(l->family));
    json_put(layer, "channels", json_make_count(l->channels));
    json_put(layer, "states", json_make_count(l->states));
    json_put(layer, "claims", claims);
    for (size_t k = 0; k < r->claims; k++)
      json_push(claims, answer_value(r, k, &l->answer[k]));
  }
  return object;
}
