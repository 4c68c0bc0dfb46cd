#!/bin/sh
# assay audit --junit, read by a parser that is not ours.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims
python=${PYTHON3:-python3}
command -v "$python" > /dev/null 2>&1 || exit 77

# read_back FILE: leaves what is in it in `cases`.
read_back() {
  "$python" "$top/tests/report/junit.py" "$1" > cases || fail "$1: $(tail -3 cases)"
}

run 2 audit --trials 200 --power=0 --junit all.xml true.claim false.claim unsettled.claim broken.claim
says out '^  below-one  REFUTED'
read_back all.xml
lines cases 5
says cases '^made, statement 1 | square | ok | $'
says cases '^made, statement 1 | below-one | failure | REFUTED: below: 1 < 1 is false with x = 1$'
says cases '^made, statement 2 | inverse | failure | UNDECIDED: [0-9]* of [0-9]* admissible instances'
says cases '^(no source named) | no-start | error | not audited: '
says cases '^(no source named) | fine | ok | $'

# Under a case file, what is expected is fine and nothing else.
printf 'case down file "false.claim" expect REFUTED trials 200 end\ncase up file "true.claim" expect REFUTED trials 200 end\n' > a.case
run 1 audit --power=0 --junit - a.case
cp out a.xml
read_back a.xml
lines cases 2
says cases '^made, statement 1 | below-one | ok | $'
says cases '^made, statement 1 | square | failure | SURVIVED [0-9]*, expected REFUTED: [0-9]* instances certified true, none false$'

# Whatever a claim is called and wherever it is from.
mkdir 'a & "b" <c>'
printf 'claim odd\n  source "a & b <c> \303\251 \357\277\277"\n  given x in real\n  show below: x < 1\nend\n' > 'a & "b" <c>/odd.claim'
run 1 audit --trials 200 --junit odd.xml 'a & "b" <c>/odd.claim'
read_back odd.xml
says cases "^a & b <c> $(printf '\303\251') [?] | odd | failure | REFUTED: below: 1 < 1 is false with x = 1\$"
says odd.xml 'file="a &amp; &quot;b&quot; &lt;c&gt;/odd.claim"'

# The reader itself.
for change in 's/failures="1"/failures="0"/' 's/&amp;/\&/' '/<testcase/s/time="0[.][0-9]*"/time="7"/'; do
  sed "$change" odd.xml > changed.xml
  cmp -s odd.xml changed.xml && fail "$change changes nothing"
  "$python" "$top/tests/report/junit.py" changed.xml > cases && fail "accepted in spite of $change"
done

# Cut short: those that were not come to are errors.
run 4 audit --trials 1000000000000 --time 0.05 --junit cut.xml true.claim
read_back cut.xml
lines cases 1
finish
