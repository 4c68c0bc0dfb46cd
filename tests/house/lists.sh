#!/bin/sh
# Data files are listed one by one in the local.mk fragments, so that make can tell what is missing from a
# tarball. This fails when such a list does not match the files on disk, and with --write rewrites it.
#
# A list stands between two comment lines of a local.mk:
#
#   # list VARIABLE: DIRECTORY PATTERN...
#   VARIABLE += ...
#   # end of list
#
# usage: lists.sh [--write] [SOURCE-TREE]

set -eu
export LC_ALL=C
write=no
if test "${1-}" = --write; then
  write=yes
  shift
fi
cd "${1:-${top_srcdir:-.}}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# block VARIABLE DIRECTORY PATTERN...: the assignment that lists every file below DIRECTORY that matches a
# PATTERN.
block() (
  variable=$1 directory=$2
  shift 2
  set -f
  for pattern; do
    find "$directory" -type f -name "$pattern" ! -name '.*' ! -name '*~' ! -name local.mk
  done | sort -u > "$scratch/files"
  if test -s "$scratch/files"; then
    echo "$variable += \\"
    sed -e 's/^/  /' -e '$!s/$/ \\/' "$scratch/files"
  fi
)

# renewed FRAGMENT: its text with every list brought up to date.
renewed() {
  inside=no
  while IFS= read -r line; do
    case $line in
      '# list '*:*)
        printf '%s\n' "$line"
        rest=${line#\# list }
        set -f
        # shellcheck disable=SC2086
        block "${rest%%:*}" ${rest#*:}
        set +f
        inside=yes ;;
      '# end of list')
        printf '%s\n' "$line"
        inside=no ;;
      *)
        test $inside = yes || printf '%s\n' "$line" ;;
    esac
  done < "$1"
  if test $inside = yes; then
    echo "$1: a list without '# end of list'" >&2
    exit 1
  fi
}

# A test that finds nothing must not pass for want of looking.
seen=0
failed=0
for fragment in $(find . -name local.mk ! -path './build*' ! -path './assay-*' | sort); do
  grep '^# list ' "$fragment" > /dev/null || continue
  seen=$((seen + 1))
  renewed "$fragment" > "$scratch/renewed"
  cmp -s "$fragment" "$scratch/renewed" && continue
  if test $write = yes; then
    cat "$scratch/renewed" > "$fragment"
    echo "rewrote $fragment"
  else
    echo "$fragment does not list what is there; 'make lists' would make these changes:"
    diff "$fragment" "$scratch/renewed" || failed=1
  fi
done
if test $seen = 0; then
  echo "no list found in any local.mk"
  failed=1
fi
exit $failed
