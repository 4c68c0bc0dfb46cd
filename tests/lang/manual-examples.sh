#!/bin/sh
# The examples of the manual pages run, and come out as the pages say. In a page a comment line
#
#   .\" example FILE                             names the example (.EX to .EE) that follows
#   .\" expect CLAIM VERDICT                     the verdict on a claim of the last claim file, spaces as '-'
#   .\" decide STATUS FILE CLAIM INSTANCES       how assay decide ends
#   .\" audit STATUS FILE                        how assay audit ends
#   .\" judge STATUS FILE CERTIFICATE            how assay-verify ends
#
# Every example has a name, and every claim of a claim file has its verdict.

set -eu
export LC_ALL=C
top=$(cd "${top_srcdir:-.}" && pwd -P)
build=$(cd "${top_builddir:-.}" && pwd -P)
assay=$build/assay
test -x "$assay" && test -x "$build/assay-verify" || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
checked=0

complain() {
  printf '%s: %s\n' "$page" "$*"
  failed=1
}

# ends STATUS COMMAND...: the command ends with this status.
ends() {
  wanted=$1
  shift
  answer=0
  "$@" > out 2>&1 || answer=$?
  checked=$((checked + 1))
  if test "$answer" != "$wanted"; then
    complain "$*: exit status $answer, not $wanted"
    cat out
  fi
}

# The examples, each in its file, as a reader sees them; a list of the statements about them in `notes`.
take_out() {
  awk '
    /^\.\\" example / { name = $3; file = name ~ /\.claim$/ ? name : file; next }
    /^\.\\" (expect|decide|audit|judge) / { $1 = ""; print file $0 > "notes"; next }
    /^\.EX/ { if (name == "") { print "line " FNR ": an example without a name" > "nameless" } on = 1; next }
    /^\.EE/ { on = 0; close(name); name = ""; next }
    on && name != "" {
      gsub(/\\-/, "-"); gsub(/\\\(ha/, "^"); gsub(/\\\(aq/, "\047"); gsub(/\\\(ti/, "~"); gsub(/\\&/, "")
      gsub(/\\e/, "\\")
      print > name
    }' "$1"
}

# verdict CLAIM: the word that the audit of the last claim file gave it.
verdict() {
  awk -v claim="$1" '
    BEGIN {
      words = "REFUTED|PROVED ON BOX|PROVED|SURVIVED|UNDECIDED|NO INSTANCE|VACUOUS|IMPOSSIBLE|POSSIBLE|NO WITNESS"
    }
    $1 == claim {
      $1 = ""
      if (match($0, words)) {
        word = substr($0, RSTART, RLENGTH); gsub(/ /, "-", word); print word; exit
      }
    }' audited
}

for page in "$top"/doc/*.[0-9]; do
  rm -rf "${scratch:?}"/*
  take_out "$page"
  test ! -f nameless || complain "$(cat nameless)"
  test -f notes || continue
  audited=
  for file in *.claim; do
    test -f "$file" || continue
    ends 0 "$assay" show "$file"
    sed -n 's/^claim \([^ ]*\).*/\1/p' "$file" | while read -r claim; do
      grep "^$file expect $claim " notes > /dev/null || echo "$claim" >> unexpected
    done
  done
  test ! -f unexpected || complain "no verdict is stated for: $(tr '\n' ' ' < unexpected)"
  while read -r file what first rest; do
    case $what in
      expect)
        if test "$file" != "$audited"; then
          "$assay" audit --power=0 --trials 2000 "$file" > audited 2>&1 || :
          audited=$file
        fi
        checked=$((checked + 1))
        found=$(verdict "$first")
        test "$found" = "$rest" || complain "$file: $first: the audit says '$found', the page $rest" ;;
      decide)
        # shellcheck disable=SC2086
        ends "$first" "$assay" decide $rest ;;
      audit)
        ends "$first" "$assay" audit --power=0 "$rest" ;;
      judge)
        # shellcheck disable=SC2086
        ends "$first" "$build/assay-verify" $rest ;;
    esac
  done < notes
done

if test $checked -lt 20; then
  echo "only $checked statements found in the manual pages"
  failed=1
fi
exit $failed
