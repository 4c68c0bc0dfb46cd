#!/bin/sh
# Usage: what is wrong draws one message and exit status 2, before anything is done.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims

# refuse PATTERN ARGUMENT...
refuse() {
  pattern=$1
  shift
  run 2 "$@"
  says err "$pattern"
  lines err 1
  lines out 0
}

refuse 'no command'
refuse "no command 'audti'" audti
refuse "no option '--sed'" --sed
refuse "audit takes no option '--sed-no'" audit --sed-no 1 true.claim
refuse "list takes no option '--seed' (another command does)" list --seed 1
refuse "audit takes no option '-x'" audit -x true.claim
refuse '--seed needs an argument' audit true.claim --seed
refuse '--quiet takes no argument' audit --quiet=yes true.claim
for seed in -1 '' 1.5 1e3 0x10 9223372036854775808 99999999999999999999999 ' 1' 1x; do
  refuse "^assay: error: --seed: '$seed' is no whole number from 0 to 9223372036854775807$" audit --seed "$seed" true.claim
done
refuse "trials: '0' is no whole number from 1" audit --trials 0 true.claim
refuse "trials: '1000000000001' is no" audit --trials 1000000000001 true.claim
for time in 0 -1 1,5 nan inf 1e3 . 1. 1.2.3 0.0 1000000001 ''; do
  refuse "^assay: error: --time: '$time' is no number of seconds" audit --time "$time" true.claim
done
refuse "threads: '0' is no whole number from 1 to 1024" audit --threads 0 true.claim
refuse '--json and --junit name one file, one' audit --json one --junit one true.claim
refuse "threads: '1025' is no" model --threads 1025 x
refuse "precision: '63' is no whole number from 64 to 16384" audit --precision 63 true.claim
refuse "precision: '16385' is no" decide --precision 16385 a b
refuse "power: 'x' is no whole number" audit --power=x true.claim
refuse "length: '0' is no whole number" model --length 0 x
for sizes in T T= =1 T=2..1 T=1. T=1..2, T=-1 'T=1 ' ''; do
  refuse "^assay: error: --sizes: '$sizes' is not of the form" audit --sizes "$sizes" true.claim
done
refuse "^assay: error: --sizes: the size 'T' is given twice$" audit --sizes T=1,T2=1,T=2 true.claim
refuse "no claim that is audited has a size 'T'" audit --sizes T=1..2 true.claim
refuse "'fast' is none of bounded, exact and ball" decide --arith fast a b
refuse 'name of a file or folder is empty' audit --out '' true.claim
refuse 'cannot write nowhere/r.json: No such file' audit --json nowhere/r.json true.claim
refuse 'at most one of --json, --junit and --tap' audit --json - --tap true.claim
refuse 'at most one of --json, --junit and --tap' audit --json - --junit - true.claim
refuse 'cannot make the folder true.claim: ' audit --out true.claim true.claim
refuse 'show takes' show
refuse 'show takes' show a b c
refuse 'decide takes' decide a
refuse 'model takes one file' model
refuse 'tensors takes one file or folder' tensors
refuse "header-limit: '0' is no whole number from 1 to 1099511627776" tensors --header-limit 0 x
refuse "no command 'cook'" help cook
refuse 'help takes one command' help audit list
refuse 'does not read standard input' audit -
refuse 'cannot open missing.claim: No such file' audit missing.claim
refuse 'cannot open missing.case: No such file' audit missing.case
refuse "no claim 'lemma-d6-frist-token' among the bundled ones; did you mean 'lemma-d6-first-token'?" audit lemma-d6-frist-token
mkdir hollow
refuse 'hollow holds no claim file' audit hollow

# What is asked for is said, on standard output.
for word in --help -h help 'help audit' 'audit --help' 'audit -h' 'help list' 'help show' 'help decide' 'help model' 'help tensors' 'help help'; do
  # shellcheck disable=SC2086
  run 0 $word
  lines err 0
  says out '^usage: assay'
done
for status in 70 2 1 4 3 0; do
  run 0 --help
  says out "^ *$status  "
  run 0 help audit
  says out "\\b$status\\b"
done
run 0 --version
says out '^assay [0-9]'
run 0 audit --version
says out '^assay [0-9]'

# Every option of audit is in its help and in the manual.
run 0 help audit
for option in seed trials time threads precision sizes power json junit out tap quiet require-proof; do
  says out "--$option"
  sed 's/\\-/-/g' "$top/doc/assay.1" > manual
  says manual "--$option"
done

# A full disk is no success.
if test -c /dev/full; then
  status=0
  "$assay" --help > /dev/full 2> err || status=$?
  test $status = 70 || fail "help > /dev/full: exit status $status"
  says err 'cannot write the results'
fi
finish
