#!/bin/sh
# Proves the error bounds of the double kernels with Gappa, and checks that the proofs speak of the numbers
# in the sources.
#
# usage: run-gappa.sh [FOLDER-OF-SCRIPTS]     exit 0: proved, 1: not proved or numbers differ, 77: no Gappa
#
# In each script of tests/gappa:
#   "# source: FILE"       names the C file that it is about. Each line "NAME = 0x...;" must agree with FILE
#                          or kernel_loop.h.
#   "... NUMBER ...  # NAME"  gives the last number before the comment a name. Where FILE, kernels.h or scan.h defines
#                          NAME, both must agree; else all its uses must, and there are two at least: what one
#                          script proves, another supposes.
#   "# cases: A ; B ; C"   is for a script that proves A, which it contains once. It is run again with A
#                          replaced by B, and by C.
# Every number with a binary exponent that FILE defines must occur in some script, and every KERNEL_*_REL of
# kernels.h, and SCAN_EXP_REL of scan.h, as a conclusion. A warning from Gappa is a failure: it may say that a rule
# was taken on trust. The one exception are denominators, where rules that need it carry a condition that Gappa has to
# prove.
LC_ALL=C
export LC_ALL
: "${top_srcdir=$(dirname "$0")/../..}"
: "${GAPPA:=gappa}"
scripts=${1-$top_srcdir/tests/gappa}
header=$top_srcdir/src/arith/kernels.h
scan=$top_srcdir/src/sim/scan.h
shared=$top_srcdir/src/arith/kernel_loop.h
failures=0

fail() {
  echo "run-gappa: $*" >&2
  failures=1
}

command -v "$GAPPA" >/dev/null 2>&1 || { echo "run-gappa: Gappa is not installed, skipped"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/run-gappa.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# "NAME VALUE" of each numeric constant in the C files given.
constants() {
  sed -n 's/^#define  *\([A-Z][A-Z0-9_]*\)  *(\{0,1\}\(-\{0,1\}[0-9][0-9a-zA-Z.+-]*\))\{0,1\} *$/\1 \2/p' "$@"
}

# "NAME VALUE" of each number that a comment in the script names.
named() {
  number='-\{0,1\}[0-9][0-9a-zA-Z.+-]*'
  sed -n 's/^\([^#]*[^#0-9a-zA-Z.+-]\)\('"$number"'\)[^#0-9]*# \([A-Z][A-Z0-9_]*\)$/\3 \2/p' "$1"
}

value_of() { # NAME FILE: its values in a list "NAME VALUE", once each
  sed -n "s/^$1 //p" "$2" | sort -u
}

: >"$work/named"
for script in "$scripts"/*.g; do
  source=$(sed -n 's/^# source: //p' "$script")
  if test -z "$source" || test ! -f "$top_srcdir/$source"; then
    fail "$script: no source file named, or it is missing"
    continue
  fi
  constants "$top_srcdir/$source" "$header" "$scan" "$shared" >"$work/constants"
  sed -n 's/^\([A-Z][A-Z0-9_]*\) = \(-\{0,1\}0x[0-9a-fp.+-]*\);$/\1 \2/p' "$script" >"$work/used"
  named "$script" >"$work/names"
  cat "$work/names" >>"$work/named"
  test "$(grep -c '^[^#].*# [A-Z]' "$script")" -eq "$(wc -l <"$work/names")" ||
    fail "$script: a comment names no number"
  while read -r name value; do
    test "$(value_of "$name" "$work/constants")" = "$value" ||
      fail "$script: $name is $value here, '$(value_of "$name" "$work/constants")' in $source"
  done <"$work/used"
  while read -r name value; do
    in_source=$(value_of "$name" "$work/constants")
    test -z "$in_source" || test "$in_source" = "$value" ||
      fail "$script: $name is $value here, $in_source in $source or $header"
  done <"$work/names"
  # Every coefficient and constant of the source belongs to some proof.
  sed 's/ .*//' "$work/used" >>"$work/proved.$(basename "$source")"
  printf '%s\n' "$top_srcdir/$source" >>"$work/sources"
done

test -s "$work/sources" || fail "no scripts in $scripts"
constants "$header" "$scan" >"$work/constants.h"
for name in $(sed 's/ .*//' "$work/named" | sort -u); do
  test "$(value_of "$name" "$work/named" | wc -l)" -eq 1 ||
    fail "$name has several values:" $(value_of "$name" "$work/named")
  test -n "$(value_of "$name" "$work/constants.h")" || test "$(grep -c "^$name " "$work/named")" -ge 2 ||
    fail "$name is used once only, and no constant of kernels.h or scan.h"
done
for name in $(sed -n 's/^\(KERNEL_[A-Z0-9]*_REL\|SCAN_EXP_REL\) .*/\1/p' "$work/constants.h"); do
  grep -q "^ *-> .* # $name\$\|^ */\\\\ .* }  *# $name\$" "$scripts"/*.g ||
    fail "$name is the conclusion of no script"
done
for source in $(sort -u "$work/sources"); do
  for name in $(constants "$source" | sed -n 's/ [^ ]*p[^ ]*$//p'); do
    grep -qx "$name" "$work/proved.$(basename "$source")" || fail "$source: $name is in no script"
  done
done

prove() { # FILE NAME
  if ! "$GAPPA" -Wno-null-denominator "$1" >"$work/out" 2>&1 || test -s "$work/out"; then
    sed 's/^/  /' "$work/out" | sort -u >&2
    fail "not proved: $2"
  else
    echo "proved: $2"
  fi
}

for script in "$scripts"/*.g; do
  name=$(basename "$script")
  cases=$(sed -n 's/^# cases: //p' "$script")
  if test -z "$cases"; then
    prove "$script" "$name"
    continue
  fi
  printf '%s\n' "$cases" | sed 's/ ; /\
/g' >"$work/cases"
  first=$(sed -n 1p "$work/cases")
  test "$(grep -v '^#' "$script" | grep -cF -e "$first")" -eq 1 ||
    fail "$name: the first case must occur once: $first"
  while IFS= read -r case; do
    FIRST=$first CASE=$case awk '
      !/^#/ { at = index($0, ENVIRON["FIRST"])
              if (at) $0 = substr($0, 1, at - 1) ENVIRON["CASE"] substr($0, at + length(ENVIRON["FIRST"])) }
      { print }' "$script" >"$work/case.g"
    prove "$work/case.g" "$name, $case"
  done <"$work/cases"
done
exit $failures
