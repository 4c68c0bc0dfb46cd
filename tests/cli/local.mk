cli_tests = tests/cli/audit-model.sh tests/cli/audit.sh tests/cli/cases.sh tests/cli/decide.sh tests/cli/files.sh tests/cli/interrupt.sh \
  tests/cli/junit.sh tests/cli/list-show.sh tests/cli/measure.sh tests/cli/model.sh tests/cli/options.sh tests/cli/results.sh \
  tests/cli/simulate.sh tests/cli/table.sh tests/cli/tensors.sh
dist_check_SCRIPTS += $(cli_tests)
dist_check_DATA += tests/cli/lib.sh
TESTS += $(cli_tests)

TESTS += tests/cli/hoang2025.tap tests/cli/wang2025.tap
EXTRA_DIST += tests/cli/hoang2025.tap tests/cli/wang2025.tap
