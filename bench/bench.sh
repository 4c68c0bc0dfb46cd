#! /bin/sh
# make bench: what assay promises of its speed, measured in one run.
#
# On standard output one line per ratio, NAME RATIO BAR ok|short, and lines that begin with # for the
# figures behind them. The same goes to bench/results.json in the build tree. A ratio that falls short is
# a finding and no failure: the status is 0 whatever comes out. A measurement that could not be made says
# so in a # line.
#
# Environment: top_srcdir, top_builddir, PYTHON3.
LC_ALL=C
export LC_ALL
bench=$top_builddir/bench
assay=$top_builddir/assay
lines=$bench/lines.$$
out=$bench/out.$$
audited=$bench/audited.$$
parameters=$bench/model.$$.safetensors
trap 'rm -rf "$lines" "$out" "$audited" "$parameters"' 0
trap 'exit 1' 1 2 15

say ()
{
  echo "$@" | tee -a "$lines"
}

# at_most NAME VALUE BAR
at_most ()
{
  say "$1 $2 $3 `awk -v x="$2" -v bar="$3" 'BEGIN { print (x <= bar ? "ok" : "short") }'`"
}

# at_least NAME VALUE BAR
at_least ()
{
  say "$1 $2 $3 `awk -v x="$2" -v bar="$3" 'BEGIN { print (x >= bar ? "ok" : "short") }'`"
}

# divide A B
divide ()
{
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4g", a / b }'
}

# measure ROUNDS COMMAND...: sets seconds, processor, megabytes, status.
measure ()
{
  set -- `"$bench/measure" "$@"`
  seconds=${1-} processor=${2-} megabytes=${3-} status=${4-}
}

: > "$lines"

"$bench/lemma_d6" "$top_srcdir/bench/mixture.claim" > "$out" || say "# lemma_d6 failed"
tee -a "$lines" < "$out"
rm -f "$out"

# From process start to a minimal certified counterexample on disk.
measure 9 "$assay" audit lemma-d6 --quiet --out "$audited"
say "# audit of lemma-d6: $seconds s on the clock, $processor s of processor time, status $status"
if test "$status" = 1 && test -s "$audited/certificates/lemma-d6.json"; then
  at_most audit-lemma-d6-seconds "$seconds" 0.2
else
  say "# audit-lemma-d6-seconds: the audit did not refute lemma-d6 with a certificate"
fi
rm -rf "$audited"
if command -v z3 > /dev/null 2>&1; then
  measure 9 z3 "$top_srcdir/bench/lemma-d6-t2.smt2"
  say "# z3 on the same at T = 2, nothing certified or shrunk: $seconds s on the clock," \
    "$processor s of processor time"
else
  say "# z3 is not installed: nothing to compare with"
fi

# The claims of each paper at default settings, two threads.
# audit_paper NAME SECONDS: its case file within so many seconds.
audit_paper ()
{
  measure 1 "$assay" audit --threads 2 --quiet --out "$audited" "$top_srcdir/cases/$1.case"
  say "# audit of $1.case, 2 threads: $seconds s on the clock, $processor s of processor time," \
    "$megabytes MB, status $status"
  case $status in
  0 | 1 | 3)
    at_most "$1-seconds" "$seconds" "$2"
    at_most "$1-megabytes" "$megabytes" 500 ;;
  *)
    say "# $1: the audit ended with status $status" ;;
  esac
}
audit_paper wang2025 60
audit_paper hoang2025 120

# Parameters shaped like those of Mamba-2.8B, 5.2 million entries, one thread.
# race_model KIND: sets model, plain (seconds of processor time); false when it failed.
race_model ()
{
  "$bench/model" make "$1" "$parameters" || return 1
  set -- `"$bench/model" run "$parameters" "$top_srcdir"/cases/families/*.family`
  test $# = 4 || return 1
  model=$1 plain=$2 certified=$3 counted=$4
}

for kind in initial moved; do
  if race_model $kind; then
    say "# model, parameters $kind: $model s certified ($certified entries hold), $plain s in a plain loop" \
      "($counted hold), ratio `divide "$model" "$plain"`"
  else
    say "# model, parameters $kind: the audit failed"
  fi
done
if race_model zeros; then
  say "# model, parameters zeros: $model s certified, $plain s in a plain loop"
  at_most model-over-plain "`divide "$model" "$plain"`" 1
  if python3 -c 'import mpmath' 2> /dev/null; then
    entry=`python3 "$top_srcdir/bench/model_mpmath.py" "$parameters" 100`
    say "# mpmath intervals: $entry s for an entry, from 100 channels of 16"
    at_least mpmath-over-model "`awk -v e="$entry" -v m="$model" 'BEGIN { printf "%.4g", e * 64 * 5120 * 16 / m }'`" 1500
  else
    say "# mpmath-over-model: python3-mpmath is not installed"
  fi
  measure 3 "$assay" model --threads 1 "$parameters"
  say "# assay model on the same: $seconds s on the clock, $processor s of processor time from start to exit"
  at_most model-megabytes "$megabytes" 200
else
  say "# model: the audit of the parameters failed"
fi
rm -f "$parameters"

# The expectation of a polynomial of degree 4 in 8 Gaussian variables with 36 symbols as coefficients.
if set -- `"$bench/moments" "$top_srcdir/bench/moments.claim"` && test $# = 2; then
  mean=$1
  say "# mean: $mean s for the trace of a covariance, 4 tokens of 2 channels, $2 operations in all"
  found=
  for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
    test -n "$found" || ! "$candidate" -c 'import sympy' 2> /dev/null || found=$candidate
  done
  if test -n "$found" && set -- `"$found" "$top_srcdir/bench/moments_sympy.py"` && test $# = 3; then
    say "# the same by SymPy's expand(): $1 s; in SymPy's ring of polynomials $2 s, `divide "$2" "$mean"` times ours"
    at_least mean-over-sympy "`divide "$1" "$mean"`" 100
  else
    say "# mean-over-sympy: skipped, python3-sympy is not installed"
  fi
else
  say "# mean: the claim could not be lowered"
fi

# The selective scan beside the same loop with the compiler's vector exp, and beside a plain loop.
"$bench/scan" > "$out" || say "# scan failed"
tee -a "$lines" < "$out"
rm -f "$out"
for rival in numpy torch; do
  found=
  for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
    test -n "$found" || ! "$candidate" -c "import $rival" 2> /dev/null || found=$candidate
  done
  if test -n "$found"; then
    say "# scan in $rival, 1536 channels, 128 tokens: `"$found" "$top_srcdir/bench/scan_$rival.py"` ns"
  else
    say "# scan in $rival: skipped, not installed"
  fi
done

awk '
function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
/^#/ { note[++notes] = substr($0, 3); next }
NF == 4 {
  ratio[++ratios] = sprintf("    {\"name\": %s, \"ratio\": %s, \"bar\": %s, \"verdict\": %s}",
                            text($1), $2, $3, text($4))
}
END {
  print "{\n  \"ratios\": ["
  for (i = 1; i <= ratios; i++) print ratio[i] (i < ratios ? "," : "")
  print "  ],\n  \"notes\": ["
  for (i = 1; i <= notes; i++) print "    " text(note[i]) (i < notes ? "," : "")
  print "  ]\n}"
}' "$lines" > "$bench/results.json"
exit 0
