/* The assumption A_t + Delta_t <= 1 of Theorem 4.2 of arXiv:2501.00658, for the parameters of a Mamba-1
 * model.
 *
 * For channel d and state n of a layer let
 *
 *   Delta = softplus(dt_proj.bias[d]) = log(1 + exp(dt_proj.bias[d]))    the step where the input contributes
 * nothing, a     = -exp(A_log[d, n]),      A = exp(Delta a)                     the decay at that step,
 *   margin = A + Delta - 1                                               the assumption says margin <= 0.
 *
 * Stored numbers are the exact reals that they stand for, and the functions are those of the real numbers:
 * the rounding that a model does when it runs is no part of this.
 *
 * Guarantee. Every count of `holds` and `fails` is certified, every arb_t is an enclosure. What cannot be
 * decided within the precision limit counts as unknown, never as either. Entries whose A_log or bias is NaN
 * or infinite (so that a is no finite negative number or Delta no finite positive one) count as invalid and
 * enter nothing else.
 *
 * How an entry is decided: doubles with a proved error bound; where their enclosure straddles 0 or the
 * arguments lie outside of the bound's domain, balls of 64, 128, ... bits up to the limit; and where A_log <=
 * 0, as a last resort, by 1 - exp(-x) < x for x > 0: with x = Delta |a| <= Delta this gives 1 - A < Delta, so
 * the assumption fails.
 *
 * The result depends on the file and the options, not on the number of threads. */
#ifndef ASSAY_CHECK_MAMBA_ASSUMPTION_H
#define ASSAY_CHECK_MAMBA_ASSUMPTION_H

#include "core/flint.h"
#include "core/status.h"
#include "dump/dump.h"
#include "dump/mamba.h"

enum { MAMBA_LAYER_ENTRIES = 1 << 24 }; /* channels times states of one layer */

typedef struct {
  uint64_t tokens;       /* T >= 1 in 1 - A_min^(T-1) */
  slong precision_limit; /* bits; >= 64. Below 64 no ball is tried at all. */
  int threads;           /* 0: as many as OpenMP likes */
  bool only_balls;       /* skip the double arithmetic: slow, for tests and comparison */
} mamba_options;

/* tokens 2048, precision_limit 4096, threads 0. */
mamba_options mamba_options_default(void);

typedef struct {
  uint64_t holds, fails, unknown, invalid;
  uint64_t by_double, by_ball, by_rule; /* who decided; their sum is holds + fails */
  uint64_t
      beyond_single; /* valid, but exp(A_log) is infinite or 0 in single precision, in which models run */
} mamba_counts;

typedef struct {
  char *name;       /* of the layer; "" when its tensors have no prefix */
  char *a_log_name; /* of its tensors */
  char *dt_bias_name;
  size_t channels, states;
  mamba_counts counts;

  bool has_entries;   /* false when every entry is invalid; then nothing below means anything */
  arb_t a_min, a_max; /* the smallest and the largest A of the layer */
  arb_t power;        /* log10 of A_min^(T-1): the theorem's factor is 1 - 10^power */

  /* The entry with the largest margin, of several equal ones the first. worst_certain: no other entry (but
   * for those with the same A_log and bias) has a margin that may be as large; otherwise it is the first of
   * those that may be largest. */
  size_t worst_channel, worst_state;
  bool worst_certain;
  double worst_a_log, worst_dt_bias;                     /* as stored */
  arb_t worst_delta, worst_a, worst_decay, worst_margin; /* Delta, a, A, A + Delta - 1 */
} mamba_layer_report;

typedef struct {
  char *file;
  mamba_options options;
  mamba_layer_report *layers;
  size_t layer_count;
  mamba_counts total;
  char **skipped; /* one line for each A_log that was not audited, and why: "NAME": REASON */
  size_t skipped_count;
} mamba_report;

/* Opens the file, recognises the model, audits every layer. On success `report` is to be cleared by the
 * caller; on failure it is empty and `error` is set: STATUS_BAD_INPUT, or STATUS_UNABLE for a layer of more
 * than MAMBA_LAYER_ENTRIES entries. */
assay_status mamba_audit_file(mamba_report *report, const char *path, const mamba_options *options,
                              dump_error *error);
/* The same for a model that is open. */
assay_status mamba_audit(mamba_report *report, const mamba_model *model, const mamba_options *options,
                         dump_error *error);
void mamba_report_clear(mamba_report *report);

/* The model as a whole: false when an entry fails; else unknown when one is unknown or invalid; else true. */
truth mamba_report_truth(const mamba_report *report);

/* One entry, for tests and for who wants to follow a line of the report: the truth of the assumption. */
truth mamba_decide_entry(double a_log, double dt_bias, slong precision_limit);

/* Enclosures of count entries by doubles with an error bound, the first stage of the above. Entry i belongs
 * to channel i / states of the bias array. Where nothing is known the four numbers are NaN. margin_low[i] <=
 * A + Delta - 1 <= margin_high[i],   rate_low[i] <= Delta |a| <= rate_high[i]  (= -log A). */
typedef struct {
  double *margin_low, *margin_high, *rate_low, *rate_high;
} mamba_enclosures;

/* Entries first..first+count-1 of a layer with `states` states; a_log and dt_bias are the whole layer's
 * arrays, the enclosures are written at the same indices. */
void mamba_enclose(const mamba_enclosures *out, const double *a_log, const double *dt_bias, size_t states,
                   size_t first, size_t count);

#endif
