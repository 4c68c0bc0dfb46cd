#!/bin/sh
# What README, or the document named by DOCUMENT, shows is what happens: its lines "  $ COMMAND" are run in their order, and must print the
# indented lines that follow. A line "..." there stands for any lines, and " ..." at the end of one for any rest
# of it. What follows "$ cat FILE" is what FILE holds.

set -eu
export LC_ALL=C NO_COLOR=1
top=$(cd "${top_srcdir:-.}" && pwd -P)
build=$(cd "${top_builddir:-.}" && pwd -P)
test -x "$build/assay" && test -x "$build/assay-verify" || exit 77
document=${DOCUMENT:-README}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
ln -s "$build" build
ln -s "$top/cases" cases
failed=0

# The commands, one a line, and what each shows, in shown.1, shown.2, ...
awk '
  /^  \$ / { n++; print substr($0, 5) > "commands"; file = "shown." n; printf "" > file; next }
  /^  / && n && file != "" { print substr($0, 3) > file; next }
  { file = "" }' "$top/$document"
test -f commands || { echo "$document shows no command"; exit 1; }

# matches SHOWN PRINTED
matches() {
  awk -v shown="$1" '
    function fits(i, j,   n, s) {
      while (i <= lines) {
        s = want[i]
        if (s == "...") {
          if (i == lines) return 1
          for (; j <= NR; j++) if (fits(i + 1, j)) return 1
          return 0
        }
        if (j > NR) return 0
        n = length(s)
        if (substr(s, n - 3) == " ...") {
          if (substr(got[j], 1, n - 3) != substr(s, 1, n - 3)) return 0
        } else if (got[j] != s)
          return 0
        i++; j++
      }
      return j > NR
    }
    BEGIN { while ((getline s < shown) > 0) want[++lines] = s }
    { got[NR] = $0 }
    END { exit !fits(1, 1) }' "$2"
}

n=0
while IFS= read -r command; do
  n=$((n + 1))
  case $command in
    'cat '*)
      cp "shown.$n" "${command#cat }"
      continue ;;
  esac
  sh -c "$command" > printed 2>&1 < /dev/null || :
  if ! matches "shown.$n" printed; then
    echo "$document: $command: it shows (<), and the program prints (>)"
    diff "shown.$n" printed || :
    failed=1
  fi
done < commands
exit $failed
