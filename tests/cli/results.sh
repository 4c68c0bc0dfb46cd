#!/bin/sh
# The results file: valid under its schema, and the same for the same seed on any number of threads.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims
python=${PYTHON3:-python3}
command -v "$python" > /dev/null 2>&1 || exit 77

# valid FILE...
valid() {
  "$python" "$top/tests/report/validate.py" "$top/reports/schema.json" "$@" > verdicts ||
    fail "not valid: $(head -5 verdicts)"
}

valid "$top/reports/sample-results.json"
cat > mixed.claim <<'END'
claim gate
  title "Everything that a result can hold"
  source "made"
  size T in 1..3
  given a[t in 1..T] in (0, 1)
  given x in [0, 1]
  assume small: forall t in 1..T: a[t] <= 1 - x
  trivial one: 1
  show below: forall t in 1..T: a[t]*exp(-x) <= 1 - x/2
end
claim maybe
  given x in [0, 10]
  possible low: x < 3
  possible never: x > 12
  possible apart: x + 1/3 < 0 or x < 2 and x/7 > 3
  possible crossed: x > 3 and x <= 3
end
END
run 1 audit --seed 5 --trials 100 --power --threads 1 --json one.json mixed.claim false.claim unsettled.claim empty.claim
run 1 audit --seed 5 --trials 100 --power --threads 2 --json two.json mixed.claim false.claim unsettled.claim empty.claim
valid one.json
"$python" "$top/tests/report/contradictions.py" one.json > sums || fail "contradictions: $(cat sums)"
for change in 's/"multiplier": "/"multiplier": "-/' 's/"x": "1"/"x": "2"/' 's/"relation": "<"/"relation": "<="/'; do
  sed "$change" one.json > changed.json
  "$python" "$top/tests/report/contradictions.py" changed.json > sums && fail "a contradiction in spite of $change"
done
for file in one two; do
  sed 's/"seconds": [-+.e0-9]*/"seconds": 0/' $file.json > $file.plain
done
cmp -s one.plain two.plain || {
  fail 'one and two threads differ:'
  diff one.plain two.plain | head -10
}
grep -E 'NaN|Infinity' one.json > /dev/null && fail 'a token that is no JSON'
says one.json '^  "seed": 5,$'
says one.json '"command": "assay audit --seed 5 --trials 100 --power mixed.claim false.claim unsettled.claim empty.claim"'
run 1 audit --out kept --trials 400 false.claim
valid kept/results.json
says kept/results.json '"certificate": "kept/certificates/below-one.json"'

# The validator itself: each change must be found.
for change in 's/"REFUTED"/"REFUSED"/' 's/"drawn": \([0-9]*\)/"drawn": "\1"/' 's/"seed": 5,/"seed": -5,/' 's/"x": "1"/"x": "1.0"/' \
  's/"seconds": [-+.e0-9]*/"seconds": NaN/' 's/"claims"/"claim"/' 's/"judged": true/"judged": 1/' 's/"interrupted": false/"over": 1/'; do
  sed "$change" one.json > changed.json
  cmp -s one.json changed.json && fail "$change changes nothing"
  "$python" "$top/tests/report/validate.py" "$top/reports/schema.json" changed.json > verdicts &&
    fail "valid in spite of $change"
done

model=$top/cases/models/assay-recall-mamba.safetensors
if test -f "$model"; then
  status=0
  "$assay" model --length 64 --json model.json "$model" > out 2> err || status=$?
  case $status in
    0 | 1 | 3) ;;
    *) fail "model: exit status $status" ;;
  esac
  valid model.json
  says out 'at T = 64'
fi
run 2 model false.claim
says err '^assay: error: false.claim'
run 2 model missing
finish
