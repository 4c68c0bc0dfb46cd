bin_PROGRAMS += assay
assay_SOURCES = \
  src/cli/audit_model.c src/cli/audit_model.h \
  src/cli/audit_plan.c src/cli/audit_plan.h \
  src/cli/cmd_audit.c \
  src/cli/cmd_decide.c \
  src/cli/cmd_help.c \
  src/cli/cmd_list.c \
  src/cli/cmd_measure.c \
  src/cli/cmd_model.c \
  src/cli/cmd_show.c \
  src/cli/cmd_simulate.c \
  src/cli/cmd_table.c \
  src/cli/cmd_tensors.c \
  src/cli/commands.h \
  src/cli/complain.c src/cli/complain.h \
  src/cli/families.c src/cli/families.h \
  src/cli/in_order.c src/cli/in_order.h \
  src/cli/layer_list.c src/cli/layer_list.h \
  src/cli/main.c \
  src/cli/measure_plan.c src/cli/measure_plan.h \
  src/cli/options.c src/cli/options.h \
  src/cli/paths.c src/cli/paths.h \
  src/cli/progress.c src/cli/progress.h \
  src/cli/recording.c src/cli/recording.h \
  src/cli/run_state.c src/cli/run_state.h \
  src/cli/signals.c src/cli/signals.h \
  src/cli/sim_input.c src/cli/sim_input.h \
  src/cli/targets.c src/cli/targets.h

# Later rooms first.
assay_libraries = libassay-report.a libassay-check.a libassay-source.a libassay-sim.a libassay-dump.a libassay-cert.a \
  libassay-lower.a libassay-lang.a libassay-arith.a libassay-tape.a libassay-core.a
assay_LDADD = $(assay_libraries) $(CBLAS_LIBS) $(NLOPT_LIBS) $(GLPK_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) $(NETTLE_LIBS) \
  $(FLINT_LIBS) -lpthread -lm

# A program run from the build tree finds the bundled files by it.
EXTRA_assay_DEPENDENCIES = source-tree
