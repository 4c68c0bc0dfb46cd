noinst_LIBRARIES += libassay-report.a
libassay_report_a_SOURCES = \
  src/report/cells.c src/report/cells.h src/report/cells_json.c src/report/cells_text.c \
  src/report/claim_table_json.c src/report/claim_table_json.h \
  src/report/claim_table_text.c src/report/claim_table_text.h \
  src/report/columns.c src/report/columns.h \
  src/report/decimal.c src/report/decimal.h \
  src/report/formula_text.c src/report/formula_text.h \
  src/report/index_text.c src/report/index_text.h \
  src/report/influence_json.c src/report/influence_json.h \
  src/report/influence_text.c src/report/influence_text.h \
  src/report/instance_text.c src/report/instance_text.h \
  src/report/json_make.c src/report/json_make.h \
  src/report/junit.c src/report/junit.h \
  src/report/measure.h \
  src/report/measure_json.c src/report/measure_json.h \
  src/report/measure_text.c src/report/measure_text.h \
  src/report/model_json.c src/report/model_json.h \
  src/report/model_text.c src/report/model_text.h \
  src/report/outcome.c src/report/outcome.h \
  src/report/output.c src/report/output.h \
  src/report/page_calculation.c src/report/page_internal.h src/report/page_random.c \
  src/report/page_text.c src/report/page_text.h \
  src/report/recall_text.c \
  src/report/remark.c src/report/remark.h \
  src/report/results_json.c src/report/results_json.h \
  src/report/run_text.c src/report/run_text.h \
  src/report/substitute.c src/report/substitute.h \
  src/report/table_text.c src/report/table_text.h \
  src/report/tap.c src/report/tap.h \
  src/report/tensors_json.c src/report/tensors_json.h \
  src/report/tensors_text.c src/report/tensors_text.h \
  src/report/trajectory_json.c src/report/trajectory_json.h \
  src/report/trajectory_text.c src/report/trajectory_text.h
