#!/bin/sh
# What assay measure says of the shipped model, computed once more by numpy from what assay simulate records.
. "${top_srcdir:-.}/tests/cli/lib.sh"
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "measures: no python3 with numpy, skipped"
  exit 77
fi
"$python" "$top/tests/sim/measures.py" "$assay" "$top/cases/models/assay-recall-mamba.safetensors" || fail "see above"
finish
