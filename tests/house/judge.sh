#!/bin/sh
# What the judge is linked with: no function that a room other than core, lang, cert and verify defines
# may be part of assay-verify, however it got there, nor lang's lowering. tests/rooms.sh says the same of
# the includes.

set -eu
export LC_ALL=C
cd "${top_builddir:-.}"
command -v nm > /dev/null || exit 77
test -f assay-verify || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# defined FILE...: the global functions that these files define, one a line.
defined() {
  nm -g --defined-only "$@" 2> /dev/null | awk 'NF == 3 && $2 ~ /^[Tti]$/ { print $3 }' | sort -u
}

: > "$scratch/forbidden"
for room in lower tape arith dump sim source check export report cli; do
  test ! -f libassay-$room.a || defined libassay-$room.a >> "$scratch/forbidden"
done
for object in src/lang/lower*.o; do
  test ! -f "$object" || defined "$object" >> "$scratch/forbidden"
done
# A name that the judge's own rooms define is theirs, even where another room has one like it.
defined libassay-verify.a libassay-cert.a libassay-lang.a libassay-core.a > "$scratch/own"
sort -u "$scratch/forbidden" | comm -23 - "$scratch/own" > "$scratch/forbidden.sorted"
defined assay-verify > "$scratch/judge"
if ! grep '^main$' "$scratch/judge" > /dev/null || ! test -s "$scratch/forbidden.sorted"; then
  echo "nothing to compare: nm does not read these files"
  exit 99
fi
comm -12 "$scratch/judge" "$scratch/forbidden.sorted" > "$scratch/shared"
if test -s "$scratch/shared"; then
  echo "assay-verify is linked with what it must not share with assay:"
  cat "$scratch/shared"
  exit 1
fi
