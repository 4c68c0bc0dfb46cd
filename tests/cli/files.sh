#!/bin/sh
# Files that are none: whatever is to be read is a regular file or is refused at once, and so it is with what is to be
# written, where a device will do too. A name of any kind is a name.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims
echo '{"sizes": {}, "values": {"x": "0"}}' > point.json
mkfifo pipe.claim pipe.case pipe.json pipe || exit 77
mkdir folder folder.case folder.claim folder.json
: > folder.claim/keep

# refused PATTERN ARGUMENT...: at once, with one message. A program that waited would be killed by the clock.
refused() {
  pattern=$1
  shift
  status=0
  timeout 20 "$assay" "$@" > out 2> err < /dev/null || status=$?
  test $status = 2 || fail "assay $*: exit status $status"
  says err "$pattern"
  lines err 1
  lines out 0
}

for command in audit list show; do
  refused 'cannot read pipe.claim: it is a pipe or a device and no regular file' $command pipe.claim
  refused 'cannot read pipe.case: it is a pipe or a device' $command pipe.case
  refused 'cannot read /dev/zero: it is a pipe or a device' $command /dev/zero
done
refused 'cannot read pipe.claim: it is a pipe' show pipe.claim square
refused 'cannot read folder.claim: Is a directory' show folder.claim square
refused 'cannot read pipe.claim: it is a pipe' decide pipe.claim square point.json
refused 'cannot read pipe.json: it is a pipe' decide false.claim below-one pipe.json
refused 'cannot read folder.json: Is a directory' decide false.claim below-one folder.json
refused 'folder.case holds no claim file' audit folder.case
refused 'pipe: not a regular file' model pipe
refused 'folder: no parameter file' model folder
for name in pipe folder; do
  echo "case a file \"$name.claim\" end" > a.case
  refused "cannot read $name.claim: " audit a.case
  echo "case a file \"false.claim\" instances \"$name.json\" trials 100 end" > a.case
  status=0
  timeout 20 "$assay" audit a.case > out 2> err < /dev/null || status=$?
  test $status = 2 || fail "instances \"$name.json\": exit status $status"
  says err "cannot read $name.json: "
done
printf 'claim a from "pipe.claim" b\nend\n' > heir.claim
status=0
timeout 20 "$assay" show heir.claim > out 2> err < /dev/null || status=$?
test $status = 2 || fail "from \"pipe.claim\": exit status $status"
says err 'heir.claim:1:14: error: cannot read pipe.claim: it is a pipe'

# Standard input is "-", and only on the command line.
run_in() {
  input=$1
  wanted=$2
  shift 2
  status=0
  timeout 20 "$assay" "$@" > out 2> err < "$input" || status=$?
  test $status = "$wanted" || fail "assay $* < $input: exit status $status, not $wanted: $(cat err)"
}
run_in false.claim 0 show -
says out '^claim below-one$'
run_in false.claim 0 list -
says out '^    below-one '
run_in false.claim 0 decide - below-one point.json
run_in point.json 0 decide false.claim below-one -
says out '^satisfies'
run_in false.claim 2 decide - below-one -
says err 'once'
echo 'case a file "-" end' > a.case
run_in false.claim 2 audit a.case
says err 'cannot open ./-: No such file'

# What is written.
for option in --json --junit; do
  refused 'cannot write pipe: a pipe or a socket is no file' audit $option pipe --trials 100 false.claim
  refused 'cannot write folder: Is a directory' audit $option folder --trials 100 false.claim
  refused 'cannot write nowhere/x: No such file' audit $option nowhere/x --trials 100 false.claim
  run 1 audit $option /dev/null --trials 100 false.claim
done
for option in --json --junit; do
  refused 'cannot write folder/: ' audit $option folder/ --trials 100 false.claim
  test -c /dev/full && run 2 audit $option /dev/full --trials 100 false.claim && says err 'cannot write /dev/full: No space left'
  says out '^  below-one  REFUTED'
  # A file that is there stays as it is until the new one is whole, and a link stays a link.
  echo old > "result$option"
  ln -s "result$option" "link$option"
  run 1 audit $option "link$option" --trials 100 false.claim
  test -h "link$option" || fail "$option replaced a link"
  says "result$option" 'below-one'
  test ! -e "result$option.part" && test ! -e "link$option.part" || fail "$option leaves a part"
done
refused 'cannot make the folder /dev/null: Not a directory' audit --trials 100 --out /dev/null false.claim
refused 'cannot make the folder false.claim: Not a directory' audit --trials 100 --out false.claim/x false.claim
mkdir -p out1/results.json out2/below-one.txt out3/certificates/below-one.json
refused 'cannot write out1/results.json: Is a directory' audit --trials 100 --out out1 false.claim
run 2 audit --trials 100 --out out2 false.claim
says err 'cannot write out2/below-one.txt: Is a directory'
says out2/results.json '"verdict": "REFUTED"'
# Without a certificate there is no verdict.
run 2 audit --trials 100 --out out3 false.claim
says err 'out3/certificates/below-one.json'
says out '^  below-one  UNDECIDED'
TMPDIR=/nowhere run 2 audit --trials 100 false.claim
says err 'cannot make a folder like /nowhere/'

# Where only reading is allowed, reading is enough. (Root may write anywhere.)
mkdir read-only
cp false.claim read-only/
chmod a-w read-only
if (cd read-only && ! touch x 2> /dev/null); then
  (cd read-only && "$assay" audit --trials 100 false.claim > ../out 2> ../err < /dev/null)
  says out '^  below-one  REFUTED'
  refused 'cannot make the folder read-only/x: Permission denied' audit --trials 100 --out read-only/x false.claim
  refused 'cannot write read-only/x: Permission denied' audit --trials 100 --json read-only/x false.claim
fi
chmod u+w read-only

# Names. Blanks, quotes, line feeds, UTF-8 and what is none: the page's command works, the results are JSON; on a
# terminal a message shows no control character.
python=${PYTHON3:-python3}
number=0
for name in 'a b' "it's" 'quote"quote' 'line
feed' "$(printf '\316\261\316\262')" "$(printf 'stray\377')" '$(touch pwned)' '-dash' 'back\slash' '*'; do
  number=$((number + 1))
  mkdir -- "$name"
  cp false.claim "./$name/x.claim"
  run 1 audit --trials 100 --out "./$name/out $number" "./$name/x.claim"
  grep '^assay-verify ' "./$name/out $number/below-one.txt" > command.sh
  test "$(wc -l < "./$name/out $number/below-one.txt")" -gt 5 || fail "$name: no page"
  sed -n '/^assay-verify /,$p' "./$name/out $number/below-one.txt" > command.sh
  PATH=$build:$PATH sh ./command.sh > verified 2>&1 || fail "$name: the command on the page fails: $(cat verified)"
  command -v "$python" > /dev/null 2>&1 && {
    "$python" "$top/tests/report/validate.py" "$top/reports/schema.json" "./$name/out $number/results.json" > verdicts ||
      fail "$name: $(head -3 verdicts)"
  }
  run 0 list "./$name"
  run 0 show "./$name/x.claim" below-one
done
test ! -e pwned || fail 'a name was run'
refused 'cannot open esc?\[31m.claim: No such file' audit "$(printf 'esc\033[31m.claim')"
printf 'claim x\n  show a: 1 <\nend\n' > "$(printf 'esc\033[31m.claim')"
run 2 audit "$(printf 'esc\033[31m.claim')"
says err '^esc?\[31m.claim:3:1: error: '
long=$(printf '%5000s' | tr ' ' x)
refused 'File name too long' audit "$long.claim"

# Folders in folders: links are not followed, so a walk ends.
mkdir -p loop/inner
cp false.claim loop/inner/
ln -s .. loop/inner/up
run 0 list loop
test "$(grep -c below-one out)" = 1 || fail 'a link in a folder is followed'
deep=deep
for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do deep=$deep/$level; done
mkdir -p $deep
refused 'lies more than 15 folders deep' list deep

# No environment, and standard streams that are closed: what is written to them is lost, which is said, and goes to no
# other file.
env -i "$assay" audit --trials 100 false.claim > out 2> err < /dev/null
says out '^  below-one  REFUTED'
lines err 0
status=0
"$assay" audit --trials 100 --out closed false.claim >&- 2> err < /dev/null || status=$?
test $status = 70 || fail "standard output closed: exit status $status"
says err 'cannot write the results'
status=0
"$assay" audit --trials 100 --out closed false.claim nowhere.claim <&- >&- 2>&- || status=$?
test $status = 70 || fail "all closed: exit status $status"
for file in closed/results.json closed/below-one.txt closed/certificates/below-one.json; do
  test -s $file || fail "$file is missing"
  grep -E 'REFUTED  |error:' $file && fail "$file holds what is for a standard stream"
done
"$judge" false.claim closed/certificates/below-one.json > verified 2>&1 || fail 'the certificate is not accepted'
status=0
"$assay" list - > out 2> err <&- || status=$?
test $status = 2 || fail "standard input closed: exit status $status"
if test -c /dev/full; then
  for arguments in list 'show lemma-d6' 'audit --trials 100 false.claim' 'audit --trials 100 --json - false.claim' \
    'audit --trials 100 --tap false.claim' 'decide false.claim below-one point.json'; do
    status=0
    # shellcheck disable=SC2086
    "$assay" $arguments > /dev/full 2> err < /dev/null || status=$?
    test $status = 70 || fail "$arguments > /dev/full: exit status $status"
    says err '^assay: error: cannot write the results: '
    lines err 1
  done
fi
finish
