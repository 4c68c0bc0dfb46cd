#!/bin/sh
# assay-claim(5) lists the words and the limits that the sources have: reserved words and functions in their
# two lists, functions in the table, limits by their values.

set -eu
export LC_ALL=C
top=${top_srcdir:-.}
page=$top/doc/assay-claim.5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# same WHAT: the files page and source hold the same words.
same() {
  sort -u "$scratch/page" -o "$scratch/page"
  sort -u "$scratch/source" -o "$scratch/source"
  if ! test -s "$scratch/source" || ! diff "$scratch/page" "$scratch/source" > "$scratch/out"; then
    echo "$1 of the manual page (<) and of the sources (>) differ:"
    cat "$scratch/out"
    failed=1
  fi
}

# listed NUMBER: the words of the list number NUMBER under RESERVED WORDS.
listed() {
  awk -v wanted="$1" '
    /^\.SH/ { on = $0 == ".SH RESERVED WORDS"; n = 0; next }
    $1 == ".nf" { n++; inside = 1 }
    $1 == ".fi" { inside = 0 }
    on && inside && n == wanted && $1 == ".B" { for (i = 2; i <= NF; i++) print $i }' "$page"
}

listed 1 > "$scratch/page"
sed -n '/^} keyword/,/^};/p' "$top/src/lang/words.c" | grep -o '{"[a-z]*"' | tr -d '{"' > "$scratch/source"
same 'reserved words'

listed 2 > "$scratch/page"
{
  sed -n '/} other\[\]/,/};/p' "$top/src/lang/words.c" | grep -o '{"[a-z]*"' | tr -d '{"'
  sed -n '/tree_function_name/,/^}/p' "$top/src/lang/tree.c" | grep -o '"[a-z0-9]*"' | tr -d '"'
} > "$scratch/source"
same 'words reserved before a parenthesis'

# The table of functions has them all but the folds, what stands under constructs, and the word of a declaration.
grep -vx -e sum -e prod -e mean -e integral -e normal "$scratch/source" > "$scratch/functions"
mv "$scratch/functions" "$scratch/source"
sed -n '/^\.SS Functions/,/^\.TE/p' "$page" | grep -v '^tab(' | grep -oE '^[a-z0-9]+\(|  [a-z0-9]+\(' |
  tr -d ' (' > "$scratch/page"
same functions

# limit FILE NAME WORDS: the number of the row that begins with WORDS.
limit() {
  value=$(sed -n "s/.*\<$2 = \([0-9][0-9 <]*[0-9]\).*/\1/p" "$top/src/$1")
  test -n "$value" || { echo "no $2 in $1"; failed=1; return; }
  # shellcheck disable=SC2004
  value=$(($value)) # such as 1 << 20
  row=$(sed 's/\\-/-/g' "$page" | awk -v words="$3|" '
    found { print; exit }
    index($0, words) == 1 { if ($0 ~ /T\{$/) found = 1; else { print substr($0, length(words) + 1); exit } }')
  case " $row " in
    *" $value"[!0-9]*) ;;
    *)
      echo "$3: the manual page says '$row', $1 has $2 = $value"
      failed=1 ;;
  esac
}
limit core/limits.h LIMIT_NESTING 'depth of an expression'
limit core/limits.h LIMIT_TABLE_COLUMNS 'columns of a table, with that of names'
limit core/limits.h LIMIT_TABLE_CELLS 'cells of a table'
limit core/limits.h LIMIT_TABLE_FIELD 'a field of a table'
limit core/limits.h LIMIT_BINDERS 'indices in force at one place'
limit core/limits.h LIMIT_INHERITANCE 'parents of parents'
limit core/limits.h LIMIT_SIZE 'the value of a size'
limit core/limits.h LIMIT_EXPONENT 'an exponent'
limit core/limits.h LIMIT_TAPE 'operations of a claim at one choice of sizes'
limit core/limits.h LIMIT_MONOMIALS 'terms of all polynomials whose mean is taken'
limit core/limits.h LIMIT_TURNS 'turns of all folds at one choice of sizes'
limit core/limits.h LIMIT_ATOMS 'comparisons of a claim at one choice of sizes'
limit core/limits.h LIMIT_INPUTS 'given elements of one instance'
limit core/limits.h LIMIT_EXACT_BITS 'bits of an exact number'
limit core/limits.h LIMIT_PRECISION 'bits of ball arithmetic'
limit lang/syntax.h SYNTAX_NODES 'parts of all expressions of a file and its parents'
limit lang/syntax.h SYNTAX_NAME_BYTES 'a name'
limit lang/literal.h LITERAL_DIGITS 'a literal'
exit $failed
