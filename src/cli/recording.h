/* What a run of a model records, written to an .npz as it is produced (dump/npz_write.h).
 *
 * Of each chosen layer LAYER (its name in the file; "" leaves the dot away), as net_view has them:
 *
 *   input, mixer, output   LAYER.input ...   [batch, T, M]      u, y     LAYER.u, LAYER.y     [batch, T, D]
 *   step                   LAYER.delta       [batch, T, D]      b, c     LAYER.B, LAYER.C     [batch, T, N]
 *   alpha, drive, h        LAYER.alpha ...   [batch, T, D, N]   (h of complex states [batch, T, D, N, 2])
 *
 * and of the model hidden [batch, T, M] and logits [batch, T, V]. delta, B and u are what model --activations reads. Where
 * the sequences differ in length each has arrays of its own, with batch 1, named K/LAYER.output and so on, K from 0. What a
 * family does not have is left out.
 *
 * A sequence is recorded by recording_begin, then for each piece recording_see for the layers and recording_finish. */
#ifndef ASSAY_CLI_RECORDING_H
#define ASSAY_CLI_RECORDING_H

#include "cli/sim_input.h"
#include "dump/npz_write.h"

typedef enum {
  RECORD_INPUT,
  RECORD_MIXER,
  RECORD_OUTPUT,
  RECORD_U,
  RECORD_STEP,
  RECORD_B,
  RECORD_C,
  RECORD_ALPHA,
  RECORD_DRIVE,
  RECORD_H,
  RECORD_Y,
  RECORD_HIDDEN, /* from here on of the model as a whole */
  RECORD_LOGITS,
  RECORD_KINDS
} record_kind;

/* kinds[k] = whether the list ("step,h"; NULL: output, hidden and logits) names it. False with one message when a word is
 * none of the above. */
bool record_list_read(bool kinds[RECORD_KINDS], diag *d, const char *list);
const char *record_kind_name(record_kind k);

typedef struct {
  unsigned rank; /* with batch and T */
  uint64_t shape[NPZ_RANK];
} recorded_shape;

/* Private but for `arrays` and `error`. */
typedef struct {
  const sim_input *in;
  bool kinds[RECORD_KINDS];
  bool made[RECORD_KINDS]; /* whether any layer had it */
  npz_writer *writer;
  dump_error error;
  size_t sequence;
  size_t *place;           /* of layer and kind: the number of its array + 1; 0: none yet */
  recorded_shape *shapes;  /* of each array */
  size_t arrays;
} recording;

/* `file` as of npz_writer_create. */
void recording_init(recording *r, const sim_input *in, const bool kinds[RECORD_KINDS], int file, const char *path);
void recording_clear(recording *r);

void recording_begin(recording *r, size_t sequence);
/* False with r->error set when the values cannot be written. */
bool recording_see(recording *r, const net_view *view);
bool recording_finish(recording *r, size_t tokens, const double *hidden, const double *logits);
/* The sequence is complete. */
void recording_end(recording *r);

/* Completes the archive. A run that ended early keeps whole tokens: where every sequence has its own arrays, or
 * none was complete, those that were finished; else the complete sequences. r->arrays is then the number of arrays
 * that are kept. False with r->error set when it cannot be written. */
bool recording_close(recording *r, bool early);

#endif
