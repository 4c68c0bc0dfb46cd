#!/bin/sh
# Whole models of every kind of block, with random weights, against PyTorch in float64.
set -eu
program=${top_builddir:?}/tests/sim/run_net
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import torch' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "torch-agree: no python3 with torch, skipped"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "${top_srcdir:?}/tests/sim/torch_agree.py" "$program" "$folder"
