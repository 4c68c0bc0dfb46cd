noinst_LIBRARIES += libassay-check.a
libassay_check_a_SOURCES = \
  src/check/absence.c src/check/absence.h \
  src/check/adversary.c \
  src/check/audit.c src/check/audit.h \
  src/check/box.c src/check/box.h \
  src/check/brought.c src/check/brought.h \
  src/check/claim_roles.c src/check/claim_roles.h \
  src/check/claim_ladder.c \
  src/check/claim_table.c src/check/claim_table.h src/check/claim_table_internal.h \
  src/check/corners.c \
  src/check/decide.c src/check/decide.h \
  src/check/entry.c src/check/entry.h src/check/entry_internal.h \
  src/check/entry_eval.c src/check/entry_eval.h \
  src/check/entry_form.c src/check/entry_shape.c \
  src/check/establish.c src/check/establish.h \
  src/check/input_path.c src/check/input_path.h \
  src/check/input_tensors.c src/check/input_tensors.h \
  src/check/model_audit.c src/check/model_audit.h \
  src/check/model_claim.c src/check/model_claim.h \
  src/check/model_decide.c \
  src/check/model_extreme.c \
  src/check/model_inputs.c src/check/model_inputs.h \
  src/check/model_recorded.c src/check/model_recorded.h \
  src/check/model_signs.c src/check/model_signs.h \
  src/check/model_work.c src/check/model_work.h \
  src/check/mutants.c src/check/mutants.h \
  src/check/repair.c \
  src/check/result.c src/check/result.h \
  src/check/search.c src/check/search.h src/check/search_internal.h \
  src/check/search_blocks.c \
  src/check/search_linear.c \
  src/check/search_sizes.c \
  src/check/shrink.c src/check/shrink.h src/check/shrink_internal.h src/check/shrink_values.c \
  src/check/simplex.c src/check/simplex.h \
  src/check/slack.c src/check/slack.h \
  src/check/stage.c src/check/stage.h \
  src/check/trajectory.c src/check/trajectory.h src/check/trajectory_verdict.c \
  src/check/witness.c src/check/witness.h
