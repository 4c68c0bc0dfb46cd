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

# Models: the bundled one, in every form of the command, and one without a step.
model=$top/cases/models/assay-recall-mamba.safetensors
run 1 model --length 64 --json model.json "$model"
valid model.json
says out 'T = 64'
says out '^family mamba-1: 2 layers$'
says out '^  in all 1964 hold, 84 fail, 0 unknown$'
says model.json '"family": "mamba-1"'
for threads in 1 2; do
  run 1 model --threads $threads --length 64 --json model-$threads.json "$model"
  cmp -s model-$threads.json model.json || fail "$threads threads: another result"
done
run 1 model --polarized=-100 --json polarized.json "$model"
valid polarized.json
says polarized.json '"command": "assay model --length 2048 --precision 4096 --polarized=-100 '
says out '"backbone.layers.1.mixer, state at rate 0"  *64 x 1  *0  *64  *0 '
says out '"backbone.layers.1.mixer, state at rate -100"  *64 x 1 '
run 1 model --json - "$model"
valid out
lines err 0

# A family of one's own, and a safetensors file of one layer of it, with the values 0 and -1.
cat > own.family <<'END'
family leaky
  size D >= 1 as channel
  tensor log_rate[d in 1..D] "log_rate"
  let log_decay[d in 1..D] as log_decay = -exp(log_rate[d])
end
END
header='{"cell.log_rate":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} '
{
  printf "\\$(printf '%03o' ${#header})\\0\\0\\0\\0\\0\\0\\0"
  printf '%s' "$header"
  printf '\0\0\0\0\0\0\200\277'
} > own.safetensors
run 2 model own.safetensors
says err 'own.safetensors: no layer of a known family found'
run 3 model --family own.family --json own.json own.safetensors
valid own.json
says out '^family leaky: 1 layer; it has no step'
says own.json '"bias_point": null'
says out ' \[0.3678, 0.6923\] '
printf 'family leaky\n  tensor a "A" else 1 + 1\nend\n' > bad.family
run 2 model --family bad.family own.safetensors
says err '^bad.family:2:21: error: .* is a plain number'
printf '# nothing\n' > none.family
run 2 model --family none.family own.safetensors
run 2 model --family missing.family own.safetensors
run 2 model false.claim
says err '^assay: error: false.claim'
run 2 model missing

# The list of tensors has a schema of its own.
run 0 tensors --stats --json tensors.json "$model"
"$python" "$top/tests/report/validate.py" "$top/reports/tensors-schema.json" tensors.json > verdicts ||
  fail "not valid: $(head -5 verdicts)"
finish
