# What the command-line tests share. Sourced; works in a scratch folder that goes at the end.

set -u
export LC_ALL=C
top=$(cd "${top_srcdir:-.}" && pwd -P)
build=$(cd "${top_builddir:-.}" && pwd -P)
assay=$build/assay
judge=$build/assay-verify
test -x "$assay" && test -x "$judge" || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
unset NO_COLOR
failed=0

fail() {
  echo "FAIL: $*"
  failed=1
}

# run STATUS ARGUMENT...: runs assay, leaves out and err, and demands the exit status.
run() {
  wanted=$1
  shift
  status=0
  "$assay" "$@" > out 2> err < /dev/null || status=$?
  if test $status != "$wanted"; then
    fail "assay $*: exit status $status, not $wanted"
    sed 's/^/  out: /' out | head -20
    sed 's/^/  err: /' err | head -20
  fi
}

# says FILE PATTERN: some line of it matches.
says() {
  grep -e "$2" "$1" > /dev/null || {
    fail "no line '$2' in $1:"
    sed 's/^/  /' "$1" | head -20
  }
}

# lines FILE NUMBER
lines() {
  test "$(wc -l < "$1")" -eq "$2" || {
    fail "$1 has not $2 lines:"
    sed 's/^/  /' "$1" | head -20
  }
}

finish() {
  exit $failed
}

# Claims with verdicts that need no search to foresee.
claims() {
  cat > false.claim <<'END'
claim below-one
  title "A number is below one"
  source "made, statement 1"
  given x in real
  show below: x < 1
end
END
  cat > true.claim <<'END'
claim square
  source "made, statement 1"
  given x in real
  show square: x*x >= 0
end
END
  # An equality of transcendental terms that no ball decides.
  cat > unsettled.claim <<'END'
claim inverse
  source "made, statement 2"
  given x in [1, 2]
  show inverse: exp(log(x) + log(x + 1)) = x*(x + 1)
end
END
  cat > empty.claim <<'END'
claim nothing
  given x in [0, 1]
  assume above: x > 1
  show zero: x = 0
end
END
  # Reads well, but s[0] is missing at every size.
  cat > broken.claim <<'END'
claim no-start
  size T >= 1
  try  T in 1..2
  given x[t in 1..T] in real
  let s[t in 1..T] = s[t-1] + x[t]
  show low: s[T] < 0
end
claim fine
  given x in real
  show square: x*x >= 0
end
END
}
