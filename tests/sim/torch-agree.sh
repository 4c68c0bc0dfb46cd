#!/bin/sh
# Whole models of every kind of block, with random weights, against PyTorch in float64. With WHAT and PROGRAM: what
# torch_WHAT.py makes of that program.
set -eu
what=${WHAT:-agree}
program=${top_builddir:?}/tests/sim/${PROGRAM:-run_net}
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import torch' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "torch-$what: no python3 with torch, skipped"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "${top_srcdir:?}/tests/sim/torch_$what.py" "$program" "$folder"
