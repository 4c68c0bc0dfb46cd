#!/bin/sh
# Reads the #include lines under src/ and fails when a room includes a room listed below its own. The
# judge (verify) is held to more: core, cert, and of lang only what reads a claim, never what lowers it,
# not even through another header.
#
# usage: rooms.sh [SOURCE-TREE]

set -eu
export LC_ALL=C
rooms='core tape arith lang cert dump sim source check export report cli verify'

# complaints TREE: one line per include that points the wrong way; nothing when all is well.
complaints() (
  cd "$1"
  # Names in the tree have no blanks: git and automake see to that.
  # shellcheck disable=SC2046
  set -- $(find src -name '*.[chly]' -o -name '*.def' -o -name '*.inc' | sort)
  if test $# = 0; then
    echo "src holds no source file"
    exit
  fi
  awk -v rooms="$rooms" '
    function room_of(path, part) {
      return split(path, part, "/") > 1 ? part[1] : ""
    }
    function complain(file, line, text) {
      print "src/" file ":" line ": " text
    }
    # What the judge may not see, wherever the include stands.
    function judge_may_not_see(header, room) {
      room = room_of(header)
      return room != "verify" && room != "core" && room != "cert" && room != "lang" || header ~ /^lang\/lower/
    }
    # Follows the includes of FILE, which the judge reached through WAY.
    function follow(file, way, k, to) {
      if (file in seen)
        return
      seen[file] = 1
      for (k = 1; k <= count[file]; k++) {
        to = included[file, k]
        if (judge_may_not_see(to))
          complain(file, at[file, k], "the judge sees " to " (" way " > " to ")")
        else
          follow(to, way " > " to)
      }
    }
    BEGIN {
      n = split(rooms, name, " ")
      for (i = 1; i <= n; i++)
        rank[name[i]] = i
    }
    FNR == 1 {
      file = FILENAME
      sub(/^src\//, "", file)
      own = room_of(file)
      files[++total] = file
      if (!(own in rank))
        complain(file, 1, "\"" own "\" is not a room")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      header = $0
      sub(/^[^"]*"/, "", header)
      sub(/".*$/, "", header)
      if (header == "config.h")
        next
      other = room_of(header)
      if (other == "") {
        complain(file, FNR, "write the room in front of \"" header "\"")
        next
      }
      if (!(other in rank)) {
        complain(file, FNR, "\"" header "\" is in no room")
        next
      }
      if ((own in rank) && rank[other] > rank[own])
        complain(file, FNR, own " may not include " other " (\"" header "\")")
      included[file, ++count[file]] = header
      at[file, count[file]] = FNR
    }
    END {
      for (i = 1; i <= total; i++)
        if (room_of(files[i]) == "verify")
          follow(files[i], files[i])
    }
  ' "$@" /dev/null
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# demand NUMBER WORDS FILE INCLUDE...: a tree with these includes in src/FILE draws NUMBER complaints, all
# with WORDS.
demand() {
  number=$1 words=$2 file=$3
  shift 3
  rm -rf "$scratch/src"
  mkdir -p "$scratch/src/lang" "$scratch/src/cert" "$scratch/src/${file%/*}"
  echo '#include "tape/tape.h"' > "$scratch/src/lang/lower.h"
  echo '#include "core/status.h"' > "$scratch/src/lang/tree.h"
  echo '#include "lang/lower.h"' > "$scratch/src/cert/leak.h"
  for header; do
    echo "  #  include \"$header\""
  done > "$scratch/src/$file"
  complaints "$scratch" > "$scratch/out"
  if test "$(grep -c "$words" "$scratch/out")" != "$number" ||
    test "$(wc -l < "$scratch/out")" != "$number"; then
    echo "rooms.sh itself is broken: $file with $* should draw $number complaints with \"$words\", but draws:"
    cat "$scratch/out"
    failed=1
  fi
}

demand 0 '' check/a.c core/status.h tape/tape.h check/b.h source/random.h config.h
demand 1 'tape may not include lang' tape/a.c lang/tree.h
demand 1 'cli may not include verify' cli/a.c verify/judge.h
demand 2 'core may not include' core/a.h tape/tape.h arith/ball.h
demand 1 'is in no room' core/a.h ../core/status.h
demand 1 'write the room' core/a.h status.h
demand 1 'not a room' attic/a.c core/status.h
demand 0 '' verify/a.c core/status.h lang/tree.h cert/certificate.h verify/b.h
demand 1 'the judge sees tape/' verify/a.c tape/tape.h
demand 1 'the judge sees lang/lower.h' verify/a.c lang/lower.h
demand 1 'the judge sees lang/lower.h (verify/a.c > cert/leak.h > lang/lower.h)' verify/a.c cert/leak.h

mkdir -p "$scratch/empty/src"
if ! complaints "$scratch/empty" | grep 'no source file' > "$scratch/out"; then
  echo "rooms.sh itself is broken: it passes where there is nothing to read"
  failed=1
fi

complaints "${1:-${top_srcdir:-.}}" > "$scratch/out"
if test -s "$scratch/out"; then
  cat "$scratch/out"
  failed=1
fi
exit $failed
