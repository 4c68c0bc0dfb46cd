#!/bin/sh
# assay decide, on instances of Lemma D.6 worked out by hand. With alpha = Delta = (1/2, 1/2), z = (-1, 100): m = -1,
# M = 100, p = 1, s_1 = -1/2, s_2 = 199/4; the upper line demands s_1 <= -1 at t = 1 and s_2 <= 99/2 at t = 2.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# instance ALPHA1 DELTA2 Z1 Z2 P: T = 2 with alpha_2 = Delta_1 = 1/2.
instance() {
  printf '{"sizes": {"T": 2}, "values": {"alpha[1]": "%s", "alpha[2]": "1/2", "delta[1]": "1/2", "delta[2]": "%s",' "$1" "$2"
  printf ' "z[1]": "%s", "z[2]": "%s", "p": "%s"}}\n' "$3" "$4" "$5"
}

# expect STATUS LINE FILE-OR-CLAIM...: one line of output that begins so.
expect() {
  wanted_status=$1
  wanted_line=$2
  shift 2
  run "$wanted_status" decide "$@"
  lines err 0
  says out "^$wanted_line"
}

instance 1/2 1/2 -1 100 1 > hand.json
for arith in exact ball; do
  expect 1 'refutes: upper at t = 1: -' --arith $arith lemma-d6 hand.json
  expect 1 'refutes: upper at t = 2: ' --arith $arith lemma-d6-later-tokens hand.json
done
expect 1 'refutes: upper at t = 1: -1/2 <= -1 is false' lemma-d6 hand.json
expect 1 'refutes: upper at t = 2: 199/4 <= 99/2 is false' lemma-d6-later-tokens hand.json
expect 1 'refutes: upper at t = 2: 199/4 <= 99/2 is false' "$top/lemmas/wang2025/lemma-d6.claim" lemma-d6-later-tokens hand.json

instance 1/2 0.6 -1 100 1 > sum.json
expect 3 'inadmissible: nonexpansive at t = 2: 11/10 <= 1 is false' lemma-d6 sum.json
instance 1 1/2 -1 100 1 > range.json
expect 3 'inadmissible: range of alpha\[1\]: 1 < 1 is false' lemma-d6 range.json
instance 1/2 1/2 1 100 1 > centre.json
expect 3 'inadmissible: centred: 1 <= 0 is false' lemma-d6 centre.json
instance 1/2 1/2 -1 100 999999/1000000 > mixture.json
expect 3 'inadmissible: mixture: -1 = -' lemma-d6 mixture.json
instance 1/2 1/2 0 0 1 > zero.json
expect 0 'satisfies: every hypothesis and every conclusion is true' lemma-d6 zero.json
echo '{"sizes": {"T": 0}, "values": {"p": "1"}}' > size.json
expect 3 'inadmissible: T = 0, but the claim says size T >= 1' lemma-d6 size.json

# An array: a line each, in order; the worst status of all.
{ echo '['; cat zero.json; echo ,; cat sum.json; echo ,; cat hand.json; echo ']'; } > three.json
run 1 decide lemma-d6 three.json
lines out 3
sed 's/:.*//' out | tr '\n' ' ' > words
says words '^satisfies inadmissible refutes $'
{ echo '['; cat zero.json; echo ,; cat sum.json; echo ']'; } > two.json
run 3 decide lemma-d6 two.json
echo '[]' > none.json
run 0 decide lemma-d6 none.json
lines out 0

# Instances that are none of the claim's.
instance 1/2 1/2 -1 100 1 | sed 's/, "z\[2\]": "100"//' > missing.json
run 2 decide lemma-d6 missing.json
says err 'the value of z\[2\] is missing'
instance 1/2 1/2 -1 100 1 | sed 's/"p"/"q": "0", "p"/' > surplus.json
run 2 decide lemma-d6 surplus.json
says err 'no element q'
instance 1/2 1/2 -1 100 nan > nan.json
run 2 decide lemma-d6 nan.json
says err '^nan.json:1:'
{ echo '['; cat hand.json; echo ,; cat missing.json; echo ']'; } > mixed.json
run 2 decide lemma-d6 mixed.json
says out '^refutes'
says err 'mixed.json, instance 2: '
run 2 decide lemma-d6 absent.json
says err 'cannot open absent.json'

# Undefined and unknown; a false conclusion beside an undefined one refutes.
cat > domain.claim <<'END'
claim domain
  given x in real
  given y in [0, 2]
  assume reachable: 1/(x - 1) > 0
  show lower: log(y) > -1
  show upper: y < 2
end
claim inverse
  given x in [1, 2]
  show inverse: exp(log(x) + log(x + 1)) = x*(x + 1)
end
END
point() {
  echo "{\"sizes\": {}, \"values\": {\"x\": \"$1\", \"y\": \"$2\"}}" > point.json
}
point 1 1
expect 3 'undefined: reachable' domain.claim domain point.json
point 1 3
expect 3 'inadmissible: range of y: 3 <= 2 is false' domain.claim domain point.json
point 0 1
expect 3 'inadmissible: reachable: -1 > 0 is false' domain.claim domain point.json
point 2 0
expect 3 'undefined: lower' domain.claim domain point.json
point 2 1/100
expect 1 'refutes: lower: .* > -1 is false' domain.claim domain point.json
point 2 2
expect 1 'refutes: upper: 2 < 2 is false' domain.claim domain point.json
point 2 1
expect 0 'satisfies' domain.claim domain point.json
echo '{"sizes": {}, "values": {"x": "3/2"}}' > point.json
expect 3 'unknown: inverse: .* = .* is unknown' domain.claim inverse point.json
expect 3 'unknown: inverse' --precision 64 --arith exact domain.claim inverse point.json

# One arithmetic alone says what it leaves open. 1/3 is no double; at 1/2 both sides are 1/2, and 0.1*x is computed
# with an error.
cat > tie.claim <<'END'
claim tie
  given x in real
  show tie: 0.1*x*10 >= x
end
claim curve
  given x in real
  show curve: tan(x) >= x
end
END
for value in 1/3 1/2; do
  echo "{\"sizes\": {}, \"values\": {\"x\": \"$value\"}}" > "at-${value%/*}${value#*/}.json"
done
expect 3 'unknown: .* (bounded arithmetic; x is no double)$' --arith bounded tie.claim tie at-13.json
expect 3 'unknown: tie.* (bounded arithmetic; it leaves open what is nearer than its error bounds, a tie too' \
  --arith bounded tie.claim tie at-12.json
expect 0 'satisfies: .*(exact arithmetic)$' --arith exact tie.claim tie at-13.json
expect 3 'unknown: tie.* (ball arithmetic; it leaves open what is nearer than its precision' --arith ball tie.claim tie at-13.json
expect 3 'unknown: curve.* (exact arithmetic; it leaves open what is not rational)$' --arith exact tie.claim curve at-12.json
expect 0 'satisfies: .*(ball arithmetic)$' --arith ball tie.claim curve at-12.json

# `possible`: a witness of one label satisfies.
cat > maybe.claim <<'END'
claim maybe
  given x in [0, 10]
  possible low: x < 3
  possible high: x > 7
end
END
for pair in '1 0 satisfies: low: 1 < 3 is true' '8 0 satisfies: high: 8 > 7 is true' '5 3 inadmissible: low: 5 < 3 is false' \
  '11 3 inadmissible: range of x: 11 <= 10 is false'; do
  # shellcheck disable=SC2086
  set -- $pair
  echo "{\"sizes\": {}, \"values\": {\"x\": \"$1\"}}" > point.json
  wanted=$2
  shift 2
  expect "$wanted" "$*" maybe.claim maybe point.json
done
expect 3 'inadmissible' maybe.claim point.json
run 2 decide domain.claim point.json
says err 'domain.claim holds 2 claims'
finish
