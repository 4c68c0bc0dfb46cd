#!/bin/sh
# The examples of the manual page do what it says, and it names the same options and exit statuses as the program.

set -eu
export LC_ALL=C
assay=${top_builddir:?}/assay
page=${top_srcdir:?}/doc/assay.1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

complain() {
  printf '%s\n' "$*"
  failed=1
}

# example FIRST: the lines of the page from FIRST to a line "end", as a reader sees them.
example() {
  awk -v first="$1" '{ gsub(/\\-/, "-") } index($0, first) == 1 { on = 1 } on { print } on && $0 == "end" { exit }' "$page"
}

example 'claim first-order' > "$scratch/first-order.claim"
example 'case first-order' > "$scratch/first-order.case"
sed -n 's/\\-/-/g; /^{"sizes"/p' "$page" > "$scratch/found.json"
for file in "$scratch"/*; do
  test -s "$file" || complain "the page has no ${file##*/} any more"
done

# expect STATUS WORDS COMMAND...: the command ends with the status and says the words.
expect() {
  status=$1 words=$2
  shift 2
  answer=0
  "$@" > "$scratch/out" 2>&1 || answer=$?
  if test $answer != "$status" || ! grep -e "$words" "$scratch/out" > /dev/null; then
    complain "$*: exit status $answer in place of $status, or it does not say '$words':"
    cat "$scratch/out"
  fi
}

expect 0 'show below' "$assay" show "$scratch/first-order.claim" first-order
expect 0 'satisfies' "$assay" decide "$scratch/first-order.claim" first-order "$scratch/found.json"
expect 0 'SURVIVED' "$assay" audit --trials 2000 "$scratch/first-order.claim"
expect 0 'SURVIVED' "$assay" audit "$scratch/first-order.case"

# The options that the program explains are those of the page.
for command in audit list show decide model tensors simulate measure table; do
  "$assay" help $command
done | grep -oe '--[a-z][a-z-]*' | sort -u > "$scratch/options"
for option in help version; do echo "--$option"; done | sort -u - "$scratch/options" > "$scratch/program"
sed 's/\\-/-/g' "$page" | grep -oe '--[a-z][a-z-]*' | sort -u > "$scratch/page"
if ! diff "$scratch/program" "$scratch/page" > "$scratch/out"; then
  complain "options that the program (<) and the manual page (>) do not share:"
  cat "$scratch/out"
fi

# And so are the exit statuses, in their order.
statuses='70 2 1 4 3 0'
on_page=$(awk '/^\.SH EXIT STATUS/ { on = 1; next } /^\.SH|^\.PP/ { on = 0 } on && /^\.B [0-9]+$/ { print $2 }' "$page" |
  tr '\n' ' ')
in_help=$("$assay" --help | awk '/[Ee]xit status/ { on = 1 } on && $1 ~ /^[0-9]+$/ { print $1 }' | tr '\n' ' ')
test "$on_page" = "$statuses " || complain "the page lists the exit statuses $on_page, not $statuses"
test "$in_help" = "$statuses " || complain "the program lists the exit statuses $in_help, not $statuses"
exit $failed
