#!/bin/sh
# assay list and assay show.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims

run 0 list
says out '^    lemma-d6  *Pointwise bounds'
says out "^$top/lemmas/wang2025/lemma-d6.claim\$"
says out '^  arXiv:2501.00658v2, Lemma D.6$'
run 0 list false.claim true.claim
says out '^    below-one  *A number is below one$'
says out '^  made, statement 1$'
mkdir -p folder/inner
cp true.claim folder/b.claim
cp false.claim folder/inner/a.claim
echo 'not a claim' > folder/notes.txt
run 0 list folder
grep '^folder' out > names
printf 'folder/b.claim\nfolder/inner/a.claim\n' | cmp -s - names || fail 'folder is not listed in order'
printf 'claim x\n  show a: 1 <\nend\n' > bad.claim
run 2 list bad.claim true.claim
says err '^bad.claim:3:1: error:'
says out '^    square '

# What show prints reads back as the same claim, byte by byte.
run 0 show lemma-d6
cp out first.claim
run 0 show first.claim
cmp -s out first.claim || fail 'show does not print what it reads'
run 0 show "$top/lemmas/wang2025/lemma-d6.claim" lemma-d6-later-tokens
says out '^claim lemma-d6-later-tokens$'
says out 'forall t in 2..T'
run 0 show "$top/lemmas/wang2025/lemma-d6.claim"
says out '^claim lemma-d6$'
says out '^claim lemma-d6-later-tokens$'
cp out all.claim
run 0 list all.claim
run 0 show --latex lemma-d6
says out '\\alpha_'
run 2 show false.claim above-one
says err "no claim 'above-one' in false.claim"
lines out 0
finish
