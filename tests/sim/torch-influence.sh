#!/bin/sh
# Influence through models of every kind of block that has an adjoint, against automatic differentiation by PyTorch in float64.
set -eu
program=${top_builddir:?}/tests/sim/run_influence
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import torch' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "torch-influence: no python3 with torch, skipped"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "${top_srcdir:?}/tests/sim/torch_influence.py" "$program" "$folder"
