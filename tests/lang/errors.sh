# The messages of the claim language: for each errors/NAME.in, what is written must be errors/NAME.out to the letter.
: "${top_srcdir:=.}" "${top_builddir:=.}"
program=$(cd "$top_builddir" && pwd)/tests/lang/parse_only
here=$(pwd)
cd "$top_srcdir/tests/lang/errors" || exit 99
failed=0 count=0
for input in *.in; do
  name=${input%.in}
  "$program" "$input" > "$here/errors.$$" 2>&1
  status=$?
  expected=0
  test -s "$name.out" && expected=2
  if ! cmp -s "$name.out" "$here/errors.$$" || test $status -ne $expected; then
    echo "FAIL: $name (exit status $status, expected $expected)"
    diff -u "$name.out" "$here/errors.$$"
    failed=$((failed + 1))
  fi
  count=$((count + 1))
done
rm -f "$here/errors.$$"
for output in *.out; do
  test -f "${output%.out}.in" || { echo "FAIL: $output has no input"; failed=$((failed + 1)); }
done
echo "$count inputs, $failed wrong"
test $failed -eq 0 && test $count -gt 100
