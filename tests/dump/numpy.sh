#!/bin/sh
# The arrays of .npy, .npz and .gguf files, as numpy reads them: our own small files, and real models' files
# where they lie beside the source tree.
set -eu
program=${top_builddir:?}/tests/dump/list_values
data=${top_srcdir:?}/tests/dump/data
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2> /dev/null; then
    python=$candidate
    break
  fi
done
if test -z "$python"; then
  echo "numpy: no python3 with numpy, skipped"
  exit 77
fi
set -- "$data"/*.npy "$data"/*.npz
elsewhere=$top_srcdir/../shared/data/dumps
found=no
for file in "$elsewhere"/*.npy "$elsewhere"/*.npz "$elsewhere"/*.gguf; do
  test -r "$file" || continue
  set -- "$@" "$file"
  found=yes
done
test $found = yes || echo "numpy: no files of real models at ../shared/data/dumps, skipped"
"$python" "$top_srcdir/tests/dump/numpy_values.py" "$program" "$@"
