# tests/gappa: the kernels' error bounds, proved where Gappa is installed.
TESTS += tests/gappa/run-gappa.sh

EXTRA_DIST += \
  tests/gappa/run-gappa.sh \
  tests/gappa/exp-reduce.g \
  tests/gappa/exp.g \
  tests/gappa/expm1-above.g \
  tests/gappa/expm1-below.g \
  tests/gappa/expm1-zero.g \
  tests/gappa/log-far.g \
  tests/gappa/log-one.g \
  tests/gappa/log1p-zero.g \
  tests/gappa/scan-exp-generic.g \
  tests/gappa/scan-exp-reduce.g \
  tests/gappa/scan-exp.g \
  tests/gappa/scan-table-reduce.g \
  tests/gappa/scan-table.g
