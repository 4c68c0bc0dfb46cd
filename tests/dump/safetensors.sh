#!/bin/sh
# Safetensors files and shards as Python's json and struct read them: our own small file, and real models'
# files where they lie beside the source tree.
set -eu
program=${top_builddir:?}/tests/dump/list_values
python=${PYTHON3:-python3}
if ! "$python" -c 'import json' 2> /dev/null; then
  echo "safetensors: no python3, skipped"
  exit 77
fi
set -- "${top_srcdir:?}/tests/dump/data/types.safetensors"
elsewhere=$top_srcdir/../shared/data/dumps
found=no
for file in "$elsewhere"/*.safetensors "$elsewhere"/*sharded; do
  test -r "$file" || continue
  set -- "$@" "$file"
  found=yes
done
test $found = yes || echo "safetensors: no files of real models at ../shared/data/dumps, skipped"
"$python" "$top_srcdir/tests/dump/safetensors_values.py" "$program" "$@"
