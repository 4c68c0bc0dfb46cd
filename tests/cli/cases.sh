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
