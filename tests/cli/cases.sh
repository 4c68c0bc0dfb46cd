#!/bin/sh
# Case files: what is expected decides the exit status.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims
mkdir sub
cp ./*.claim sub/

cat > sub/fine.case <<'END'
# As it is.
case one   file "false.claim" expect REFUTED trials 200 end
case two   file "true.claim"  claim square expect SURVIVED trials 200 seed 9 end
case three file "unsettled.claim" expect UNDECIDED trials 200 end
case four  claim lemma-d6 expect REFUTED sizes "T=2" trials 500 end
END
run 0 audit sub/fine.case
says out '^4 of 4 as expected$'
says out '^  two  *SURVIVED'
says out '^  four  *REFUTED  *T=2 '
run 3 audit --require-proof sub/fine.case
run 0 audit --tap sub/fine.case
says out '^ok 1 - below-one: REFUTED as expected$'
lines out 5

echo 'case wrong file "false.claim" claim below-one expect SURVIVED trials 200 end' > sub/wrong.case
run 1 audit sub/wrong.case
says out 'expected SURVIVED'
says out '^0 of 1 as expected$'
run 1 audit --quiet sub/wrong.case
says out 'expected SURVIVED'
run 1 audit --tap sub/wrong.case
says out '^not ok 1 - wrong: REFUTED, expected SURVIVED$'

# Instances that come with a case are decided first: this claim falls at one point only, which no source draws.
cat > sub/needle.claim <<'END'
claim needle
  given x in [0, 1]
  given y in [0, 1]
  show apart: x != 271828/1000003 or y != 141421/1000003
end
END
echo '[{"sizes": {}, "values": {"x": "0", "y": "1"}}, {"sizes": {}, "values": {"x": "271828/1000003", "y": "141421/1000003"}}]' \
  > sub/needle.json
echo 'case kept file "needle.claim" instances "needle.json" expect REFUTED trials 100 end' > sub/kept.case
run 0 audit --out kept sub/kept.case
says out '^  needle  REFUTED'
says kept/needle.txt '^seed [0-9]*, source: case file, instance '
"$judge" sub/needle.claim kept/certificates/needle.json > verified 2>&1 || fail 'the kept instance is not accepted'
run 0 audit --trials 100 --power=0 sub/needle.claim
echo '[{"sizes": {}, "values": {"x": "0"}}]' > sub/needle.json
run 2 audit sub/kept.case
says err 'the value of y is missing'
echo 'case kept file "needle.claim" instances "nowhere.json" trials 100 end' > sub/kept.case
run 2 audit sub/kept.case
says err 'cannot open sub/nowhere.json'

# A file is named as one would name it, also in the results and on the page; but not past a link, where the shorter
# name is another file's, or nobody's.
mkdir -p deep/cases deep/claims elsewhere/inner
cp false.claim deep/claims/
echo 'case one file ".././claims//false.claim" trials 100 end' > deep/cases/x.case
run 1 audit --out kept --json - deep/cases/x.case
says out '"file": "deep/claims/false.claim"'
says kept/below-one.txt '^assay-verify deep/claims/false.claim kept/certificates/below-one.json$'
run 1 audit --json - "$scratch/deep/cases/x.case"
says out "\"file\": \"$scratch/deep/claims/false.claim\""
cp -r deep/cases deep/claims elsewhere/
ln -s ../elsewhere/cases deep/link
rm deep/claims/false.claim
run 1 audit --json - deep/link/x.case
says out '"file": "deep/link/.././claims//false.claim"'

# Nothing expected: as on the command line.
echo 'case plain file "false.claim" trials 200 end' > sub/plain.case
run 1 audit sub/plain.case
echo 'case plain file "unsettled.claim" trials 200 end' > sub/plain.case
run 3 audit sub/plain.case

# What is wrong with one case does not keep the others from being run.
printf 'case one file "nowhere.claim" end\ncase two file "true.claim" trials 200 end\n' > sub/half.case
run 2 audit sub/half.case
says err 'cannot open sub/nowhere.claim'
says out '^  square  SURVIVED'
printf 'case one file "true.claim"\n  claim sqare end\n' > sub/half.case
run 2 audit sub/half.case
says err "^sub/half.case:1:6: error: case 'one': no claim 'sqare' in sub/true.claim; did you mean 'square'?"
echo 'case one file "true.claim" sizes "T=1" end' > sub/half.case
run 2 audit sub/half.case
says err "case 'one': claim 'square' has no size 'T'"
echo 'case one file "true.claim" expect SURVIVE end' > sub/half.case
run 2 audit sub/half.case
says err "^sub/half.case:1:35: error: unexpected 'SURVIVE', a verdict .*did you mean 'SURVIVED'?"
says err '^ *^$'
finish
