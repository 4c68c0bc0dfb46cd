#!/bin/sh
# The tensors of checkpoints as torch loads them: our own small files, which a program of torch's must read
# like its own, and real models' files where they lie beside the source tree.
set -eu
program=${top_builddir:?}/tests/dump/list_values
data=${top_srcdir:?}/tests/dump/data
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import numpy, torch' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "torch: no python3 with torch and numpy, skipped"
  exit 77
fi
set -- "$data/views.pt" "$data/deflated.pt" "$data/module.pt" "$data/legacy.pt"
elsewhere=$top_srcdir/../shared/data/dumps
found=no
for file in "$elsewhere"/*.pt "$elsewhere"/*.pth "$elsewhere"/*.ckpt; do
  test -r "$file" || continue
  set -- "$@" "$file"
  found=yes
done
test $found = yes || echo "torch: no files of real models at ../shared/data/dumps, skipped"
"$python" "$top_srcdir/tests/dump/torch_values.py" "$program" "$@"
