#!/bin/sh
# Ctrl-C at any moment from the first line of main on: the audit ends with what it knows, in a table and in a results
# file. The signal goes to the whole process group, as a terminal sends it, so the judge sees it too.
. "${top_srcdir:-.}/tests/cli/lib.sh"
claims
test -r /proc/self/status && command -v setsid > /dev/null 2>&1 || exit 77
python=${PYTHON3:-python3}

# minds PROCESS: whether it blocks or catches SIGINT by now, which is bit 1 of these masks.
minds() {
  grep -E '^Sig(Blk|Cgt):.*[2367abef]$' "/proc/$1/status" > /dev/null 2>&1
}

# interrupt SECONDS ARGUMENT...: an audit that would not end in a lifetime, interrupted so long after its main began.
interrupt() {
  delay=$1
  shift
  rm -rf kept
  setsid "$assay" audit --trials 1000000000000 --out kept "$@" > out 2> err < /dev/null &
  process=$!
  # First the group: what sees the signal coming in it is the audit, and no longer a shell that is about to start it.
  until kill -0 -$process 2> /dev/null && minds $process; do
    kill -0 $process 2> /dev/null || break
  done
  sleep "$delay"
  kill -INT -$process
  # Ends by itself: a signal to it could hit a shell that still has this one's trap.
  sh -c 'n=0; while kill -0 "-$1"; do sleep 1; n=$((n + 1)); test $n -lt 120 || kill -KILL "-$1"; done' sh $process \
    > /dev/null 2>&1 &
  status=0
  wait $process || status=$?
  case $status in
    1 | 4) ;;
    *) fail "interrupted after $delay s: exit status $status: $(cat err)" ;;
  esac
  lines err 0
  test -s kept/results.json || fail "interrupted after $delay s: no results file"
  if command -v "$python" > /dev/null 2>&1; then
    "$python" "$top/tests/report/validate.py" "$top/reports/schema.json" kept/results.json > verdicts ||
      fail "interrupted after $delay s: $(head -5 verdicts)"
  fi
  says out 'stopped early'
}

# Before anything is read; while the bundled claims are read; in the first of them, and further on.
for delay in 0 0.01 0.03 0.1 0.2 0.4; do
  interrupt $delay
done
interrupt 0 true.claim
# Before the claim, or within it.
says kept/results.json '"\(stopped\|interrupted\)": true'
test $status = 4 || fail "nothing was refuted, but the exit status is $status"
for delay in 0.02 0.05 0.1 0.3; do
  interrupt $delay false.claim "$top/lemmas/wang2025/lemma-d6.claim" true.claim
  # What was found before the signal keeps its verdict: no judge that the signal killed takes it away.
  grep 'judge' out && fail "interrupted after $delay s: the judge was hit"
  grep '^  .* UNDECIDED' out | grep -v 'stopped early' && fail "interrupted after $delay s: undecided for another reason"
done

# One instance that takes minutes, many integrals deep.
cat > deep.claim <<'END'
claim deep
  show s: integral(x in 0..1: integral(y in 0..1: integral(z in 0..1: integral(w in 0..1: integral(u in 0..1: exp(x*y*z*w*u)))))) <= 5
end
END
interrupt 0.5 deep.claim
test $status = 4 || fail "nothing was refuted, but the exit status is $status"

# timeout(1) sends its signal to the process and to its group. The second one comes here while the report waits for room in a
# pipe.
mkfifo full
exec 3<> full
dd if=/dev/zero of=full bs=4096 count=1024 oflag=nonblock 2> /dev/null # until it is full
rm -rf kept
setsid "$assay" audit --trials 1000000000000 --out kept true.claim > full 2> err < /dev/null 3<&- &
process=$!
until kill -0 -$process 2> /dev/null && minds $process; do
  kill -0 $process 2> /dev/null || break
done
sleep 0.2
kill -TERM $process
sleep 0.2
kill -TERM $process
sleep 0.1
cat full > /dev/null 3<&- &
reader=$!
status=0
wait $process || status=$?
kill $reader
test $status = 4 || fail "two SIGTERM: exit status $status, not 4"
finish
