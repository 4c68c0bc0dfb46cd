noinst_LIBRARIES += libassay-sim.a
libassay_sim_a_SOURCES = \
  src/sim/forms.h src/sim/forms_internal.h \
  src/sim/forms_avx2.c src/sim/forms_avx512.c src/sim/forms_generic.c src/sim/forms_lanes.h \
  src/sim/forms_diagonal.c \
  src/sim/forms_drive.c \
  src/sim/forms_gate.c \
  src/sim/forms_matrix.c \
  src/sim/forms_reference.c \
  src/sim/forms_rows.c \
  src/sim/forms_wkv.c \
  src/sim/activation.c src/sim/activation.h \
  src/sim/blas.c src/sim/blas.h \
  src/sim/block.h src/sim/block_kinds.c src/sim/block_parts.c \
  src/sim/block_lru.c src/sim/block_mamba1.c src/sim/block_mamba2.c src/sim/block_rwkv4.c \
  src/sim/block_s4d.c src/sim/block_step.c \
  src/sim/definition.c src/sim/definition.h \
  src/sim/net.c src/sim/net.h src/sim/net_internal.h src/sim/net_run.c src/sim/net_state.c \
  src/sim/parameters.c src/sim/parameters.h \
  src/sim/workspace.c src/sim/workspace.h \
  src/sim/adjoint.c src/sim/adjoint.h \
  src/sim/adjoint_diagonal.c src/sim/adjoint_mamba1.c src/sim/adjoint_mamba2.c src/sim/adjoint_rwkv4.c \
  src/sim/adjoint_poles.c src/sim/adjoint_poles.h \
  src/sim/adjoint_parts.c src/sim/adjoint_parts.h \
  src/sim/adjoint_scan.c src/sim/adjoint_scan.h \
  src/sim/influence.c src/sim/influence.h \
  src/sim/influence_back.c src/sim/influence_back.h \
  src/sim/influence_bound.c src/sim/influence_bound.h \
  src/sim/influence_curve.c src/sim/influence_curve.h \
  src/sim/influence_scan.c src/sim/influence_scan.h \
  src/sim/wide.c src/sim/wide.h \
  src/sim/tokens.c src/sim/tokens.h \
  src/sim/scan.c src/sim/scan.h src/sim/scan_internal.h \
  src/sim/scan_avx2.c \
  src/sim/scan_avx512.c \
  src/sim/scan_chunked.c \
  src/sim/scan_exp.h \
  src/sim/scan_generic.c \
  src/sim/scan_lanes.h src/sim/scan_table.h src/sim/scan_types.h src/sim/scan_vector.h \
  src/sim/scan_reference.c \
  src/sim/cloud.c src/sim/cloud.h \
  src/sim/corruption.c src/sim/corruption.h \
  src/sim/measured.h \
  src/sim/mqar.c src/sim/mqar.h \
  src/sim/recall.c src/sim/recall.h \
  src/sim/robustness.c src/sim/robustness.h \
  src/sim/similarity.c src/sim/similarity.h \
  src/sim/smoothness.c src/sim/smoothness.h \
  src/sim/spread.c src/sim/spread.h \
  src/sim/stack.c src/sim/stack.h \
  src/sim/sums.c src/sim/sums.h \
  src/sim/token_sample.c src/sim/token_sample.h
