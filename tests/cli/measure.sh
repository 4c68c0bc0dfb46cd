#!/bin/sh
# assay measure: what it can be asked for, what it refuses, that a run can be repeated and interrupted.
. "${top_srcdir:-.}/tests/cli/lib.sh"
model=$top/cases/models/assay-recall-mamba.safetensors
test -r "$model" || exit 77
python=${PYTHON3:-python3}

# Every measure has its part of the report; those of one input come from one run.
run 0 measure smoothness,spread,robustness,influence,recall --random 40 --sequences 2 --pairs 2 "$model"
says out '^model ".*assay-recall-mamba.safetensors" (safetensors)$'
says out '^family mamba-1: 2 layers$'
says out '^2 sequences of at most 40 tokens$'
says out '^Smoothness over 2 sequences (80 tokens)'
says out '^  block 2  '
says out '^  mixer 1  '
says out 'Sm as printed -, St '
says out '^Linear CKA of features over tokens (all tokens)'
says out '^debiased$'
says out '^  all  *128 '
says out '^  1.00  *100.00 %'
says out '^  first:10  *20 '
says out '^Associative recall: 2 sequences of 64 tokens for each number of pairs, vocabulary 17$'
says out '^  2  *first:16 '
grep 'stopped early' out && fail "nobody interrupted it"
lines err 0
grep -i 'nan' out && fail "a NaN in the report"

# What is left out is not there; --layers chooses rows.
run 0 measure smoothness --random 10 --layers 2 "$model"
grep -E '^  (block|mixer) 1 |Spread|recall:|Robustness' out && fail "more than was asked for"
says out '^  block 2 '
run 0 measure spread --random 10 --layers 2 "$model"
says out '^  all  *64 '

# The same numbers with any number of threads, and by the command that the results name.
for threads in 1 3; do
  run 0 measure smoothness,spread,robustness,recall --random 70 --seed 9 --pairs 4 --sequences 3 --normalizer pairs --noise 0.25 \
    --window first:3,20:30 --threads $threads --json $threads.json "$model"
done
cmp -s 1.json 3.json || fail "threads change the results"
command=$(sed -n 's/^  "command": "assay \(.*\)",$/\1/p' 1.json)
test -n "$command" || fail "no command"
eval "run 0 $command --json again.json"
cmp -s 1.json again.json || fail "the command gives other results: $command"
run 0 measure recall --json seven.json --seed 7 -q --sequences 20 "$model"
lines out 0
command=$(sed -n 's/^  "command": "assay \(.*\)",$/\1/p' seven.json)
eval "run 0 $command --json -"
cmp -s seven.json out || fail "the command gives other results: $command"
# Of the usual numbers of pairs only 4 fits a vocabulary with 7 keys.
says seven.json '"pairs": 4,'
grep '"pairs": 8,' seven.json && fail "eight pairs of seven keys"

# One token, constant vectors: what is undefined is a dash and is counted, in JSON null.
run 0 measure smoothness,robustness,influence --random 1 --json one.json "$model"
says out '^  input  *-  *-  *-  *-  *-  *-$'
says one.json '"mean": null,'
grep -i -E 'nan|inf[^l]' one.json && fail "a NaN or an infinity in the results"

if command -v "$python" > /dev/null 2>&1; then
  run 0 measure influence,smoothness,spread,robustness,recall --random 20 --json all.json "$model"
  "$python" "$top/tests/report/validate.py" "$top/reports/measure-schema.json" 1.json seven.json one.json all.json > verdicts ||
    fail "not valid: $(head -5 verdicts)"
  sed 's/"undefined": [0-9]*/"undefined": "some"/' 1.json > changed.json
  "$python" "$top/tests/report/validate.py" "$top/reports/measure-schema.json" changed.json > verdicts &&
    fail "the schema allows anything"
fi

# refuses MESSAGE ARGUMENT...
refuses() {
  message=$1
  shift
  run 2 measure "$@"
  says err "$message"
  lines err 1
  lines out 0
}
refuses 'takes what to measure and one file' smoothness
refuses 'takes what to measure and one file' "$model"
refuses "'smooth' is none of influence, smoothness" smooth --random 4 "$model"
refuses "'' is none of" smoothness, --random 4 "$model"
refuses 'none.*given\|no sequences\|--random' smoothness "$model"
refuses 'recall makes its own sequences' recall --random 64 "$model"
refuses '8 pairs in 64 tokens, vocabulary 17: the vocabulary has too few keys' recall --pairs 4,8 "$model"
refuses 'the length must be even' recall --pairs 4 --length 31 "$model"
refuses 'at least four times' recall --pairs 4 --length 14 "$model"
refuses "larger than the model's" recall --vocabulary 18 "$model"
for list in '' 4, ,4 0 4:5 -4; do
  refuses '--pairs: ' recall --pairs="$list" "$model"
done
for list in '' first first:0 3:3 last:-1; do
  refuses '--window: ' robustness --random 8 --window="$list" "$model"
done
refuses '--normalizer: ' smoothness --random 8 --normalizer mean "$model"
refuses '--layers' smoothness --random 8 --layers 3 "$model"
run 2 measure smoothness --random 8 nowhere.safetensors

# Without other sequences robustness looks at those of recall.
run 0 measure robustness,recall --pairs 3 --sequences 5 --window last:4 "$model"
says out '^  3  *last:4 '
grep '^Robustness' out && fail "robustness of what?"

# Interrupted: what was done is reported.
if test -r /proc/self/status && command -v setsid > /dev/null 2>&1; then
  setsid "$assay" measure smoothness,spread,robustness --random 100000000 --json kept.json "$model" > out 2> err < /dev/null &
  process=$!
  n=0
  until grep -E '^SigCgt:.*[2367abef]$' /proc/$process/status > /dev/null 2>&1 && kill -0 -$process 2> /dev/null; do
    n=$((n + 1))
    test $n -lt 300 || break
    sleep 0.1
  done
  sleep 1
  kill -INT -$process
  status=0
  wait $process || status=$?
  test $status = 4 || fail "interrupted: exit status $status: $(cat err)"
  says out '^stopped early'
  says out '^  block 2 '
  says kept.json '"stopped": true'
  if command -v "$python" > /dev/null 2>&1; then
    "$python" "$top/tests/report/validate.py" "$top/reports/measure-schema.json" kept.json > verdicts ||
      fail "not valid: $(head -5 verdicts)"
  fi
fi
finish
