#!/bin/sh
# assay audit: exit statuses and their order, tables, files.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims

run 0 audit --trials 200 true.claim
says out '^  square  SURVIVED [0-9]'
says out 'false under no reading tried (0 of 1)'
lines err 0
run 1 audit --trials 200 false.claim
says out '^  below-one  REFUTED .* below: 1 < 1 is false with x = 1$'
says out 'false under every reading tried (1 of 1)'
run 1 audit --trials 200 true.claim false.claim
says out 'false under some reading tried (1 of 2)'
run 3 audit --trials 200 --power=0 unsettled.claim
says out '^  inverse  UNDECIDED'
run 3 audit --trials 200 empty.claim
grep -E '^  nothing  (VACUOUS|NO INSTANCE)' out > /dev/null || fail 'a claim that nothing meets has a verdict'
run 3 audit --trials 200 --require-proof true.claim
run 1 audit --trials 200 unsettled.claim false.claim

# A claim that cannot be lowered, and files that cannot be read, do not keep the others from being audited.
run 2 audit --trials 200 broken.claim
says err '^broken.claim:5:22: error: s\[0\] is not defined'
says out '^  no-start  not audited'
says out '^  fine  *SURVIVED'
run 2 audit --trials 200 missing.claim false.claim
says err 'cannot open missing.claim'
says out '^  below-one  REFUTED'

# What the judge cannot follow is not refuted, and it is said why.
cat > slope.claim <<'END'
claim slope
  given p in [1, 2]
  show s: d(integral(x in 0..1: x*p), p) > 3/4
end
END
run 3 audit --power=0 slope.claim
says out 'UNDECIDED .* the judge did not accept the instance that was found: not a counterexample: s is unknown (exit'

# Claims are told in their order, with their messages, whichever is done first.
for threads in 1 3; do
  run 2 audit --threads $threads true.claim broken.claim false.claim missing.claim unsettled.claim
  cat out err > "told.$threads"
done
cmp told.1 told.3 || fail 'three threads tell otherwise than one'

# Cut short by the clock: higher than undecided, lower than refuted.
run 4 audit --trials 1000000000000 --time 0.05 true.claim
says out 'stopped early'
run 1 audit --trials 1000000000000 --time 0.05 true.claim false.claim

# Ctrl-C: what is known so far is said.
"$assay" audit --trials 1000000000000 --out interrupted false.claim true.claim > out 2> err < /dev/null &
process=$!
tries=0
until test -s interrupted/certificates/below-one.json || test $tries = 300; do
  sleep 0.1
  tries=$((tries + 1))
done
sleep 0.3
kill -INT $process
status=0
wait $process || status=$?
test $status = 1 || fail "interrupted: exit status $status, not 1"
says out '^  below-one  REFUTED'
says out 'stopped early'
test -s interrupted/results.json || fail 'an interrupted run left no results'

# Files. A path with a blank in it, and a claim of the same name twice.
mkdir 'a b'
sed 's/real/[0, 2]/' false.claim > 'a b/false.claim'
run 1 audit --trials 200 --out 'out dir' false.claim 'a b/false.claim'
for file in INDEX results.json below-one.txt below-one.2.txt certificates/below-one.json certificates/2/below-one.json; do
  test -s "out dir/$file" || fail "out dir/$file is missing"
done
for page in 'out dir/below-one.txt' 'out dir/below-one.2.txt'; do
  says "$page" '^below: 1 < 1 is false$'
  grep '^assay-verify ' "$page" > command || fail "$page names no command"
  PATH=$build:$PATH sh ./command > verified 2>&1 || fail "$page: the command to check it again fails: $(cat command verified)"
done
sed 's/"x": "1"/"x": "1\/2"/' 'out dir/certificates/below-one.json' > changed.json
if "$judge" false.claim changed.json > verified 2>&1; then
  fail 'a changed certificate was accepted'
fi

# Without --out nothing is left behind.
mkdir temporary
TMPDIR=$scratch/temporary run 1 audit --trials 200 --json r.json false.claim
test -z "$(ls temporary)" || fail 'temporary files are left'
says r.json '"certificate": null'

# Output for machines and for nobody.
run 1 audit --trials 200 --quiet true.claim false.claim
says out '^  below-one  REFUTED'
grep square out > /dev/null && fail '--quiet shows a survivor'
run 0 audit --trials 200 -q true.claim
lines out 0
run 1 audit --trials 200 --tap true.claim false.claim
says out '^1\.\.2$'
says out '^ok 1 - square: SURVIVED [0-9]*$'
says out '^not ok 2 - below-one: REFUTED$'
lines out 3
run 1 audit --trials 200 --json - false.claim
says out '^{$'
grep REFUTED out | grep -v '"verdict": "REFUTED"' && fail '--json - prints more than JSON'

# No terminal, no colour.
run 1 audit --trials 200 false.claim
grep "$(printf '\033')" out err > /dev/null && fail 'colour without a terminal'

# Bundled claims by name, sizes from the command line.
run 1 audit --trials 500 --sizes T=3 --json - lemma-d6
sed -n '/by_size_and_source/,/\]/s/.*"T": \([0-9]*\).*/\1/p' out | sort -u > sizes
says sizes '^3$'
lines sizes 1
run 2 audit --sizes T=0 lemma-d6
finish
