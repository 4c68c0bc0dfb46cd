#!/bin/sh
# assay table: cells, intervals, what claims made of them; and the tables of the audited papers.
. "${top_srcdir:-.}/tests/cli/lib.sh"

cat > t.csv <<'END'
# title: Two models
# source: Table 9
model,first,second
X,1.0,-
Y,3,2.50
END
# Least sum 0.95 + 2.5, largest 1.05 + 3.5.
cat > t.claim <<'END'
claim sums
  title "Sums of the first column"
  table T from "t.csv"
  possible low:  T["X","first"] + T["Y","first"] <= 3.4
  possible edge: T["X","first"] + T["Y","first"] <= 3.45
end
claim twice
  table U from "t.csv"
  possible twice: T_2 <= 2*U["X","first"]
  let T_2 = U["Y","second"]
end
claim cut
  table V from "t.csv" truncated
  possible cut: V["X","first"] < 1
end
claim other
  given x in [0, 1]
  possible half: x = 1/2
end
END
run 0 table t.csv t.claim
lines err 0
cat > wanted <<'END'
t.csv: 2 rows, 2 columns, 3 numbers
  Two models
  Table 9
  3 claims: 3 IMPOSSIBLE

  sums   IMPOSSIBLE  Sums of the first column
  twice  IMPOSSIBLE
  cut    IMPOSSIBLE

X, first: 1.0 in [0.95, 1.05]
  sums   low: IMPOSSIBLE  by its lower end
  sums   edge: POSSIBLE  with 19/20
  twice  twice: IMPOSSIBLE  by its upper end, times 2
  cut    cut: IMPOSSIBLE of [1, 1.1)  by its lower end

X, second: - not printed

Y, first: 3 in [2.5, 3.5]
  sums   low: IMPOSSIBLE  by its lower end
  sums   edge: POSSIBLE  with 5/2

Y, second: 2.50 in [2.495, 2.505]
  twice  twice: IMPOSSIBLE  by its lower end
END
diff wanted out || fail "the text is not what it should be"

# The same file under another name, another file of the same name, and JSON.
mkdir sub
cp t.csv sub/t.csv
run 0 table ./sub/../t.csv t.claim
says out '^  3 claims'
run 0 table sub/t.csv t.claim
says out '^  0 claims: none of those that were looked at uses this file'
says out '^Y, first: 3 in \[2.5, 3.5\]$'
run 0 table --json t.json t.csv t.claim
lines err 0
run 0 table --json - t.csv t.claim
cmp -s out t.json || fail "--json - differs from --json FILE"

# Bad input.
run 2 table
says err 'takes a file of printed numbers'
run 2 table missing.csv t.claim
says err 'cannot open missing.csv'
printf 'm,a\nX,1x\n' > bad.csv
run 2 table bad.csv t.claim
says err "^bad.csv:2:3: error: '1x' is neither a number as printed nor a dash"
run 2 table t.csv missing.claim
run 2 table t.csv -
run 2 table --trials 0 t.csv t.claim
run 2 table --power t.csv t.claim
sed 's/"first"/"frist"/' t.claim > wrong.claim
cat > again.claim <<'END'
claim again
  table T from "t.csv"
  table T from "t.csv"
  possible first: T["X", "first"] >= 0
end
END
run 2 table t.csv again.claim
test "$(grep -c error: err)" = 1 || fail "a table of three numbers that is declared twice: $(cat err)"
says err "^again.claim:3:9: error: 'T' is declared twice"
run 2 table t.csv wrong.claim
says err "wrong.claim:4:24: error: no column 'frist' in the table t.csv; did you mean 'first'"
cat > open.claim <<'END'
claim narrow
  table T from "t.csv"
  possible square: T["X","first"]^2 + T["Y","first"]^2 = 2*T["X","first"]*T["Y","first"]
end
claim refuted
  table T from "t.csv"
  show small: T["Y","second"] < 2.5
end
END
run 1 table t.csv open.claim
says out '  refuted  REFUTED  with '

# The bundled claims: each line of the table of averages is impossible, and what it rests on is its cell and two others.
run 0 table "$top/cases/hoang2025/main.csv" "$top/lemmas/hoang2025/table-average.claim" --json main.json
says out '^Pythia-2.8B, n1K acc: 72.3 in \[72.25, 72.35\]$'
test "$(grep -c ': IMPOSSIBLE  by its' out)" -gt 50 || fail "fewer than 51 contradictions"
for metric in acc:4 drop:15 sm:15 st:16; do
  count=$(grep "^  table-average-${metric%:*} .*: IMPOSSIBLE  by its" out | wc -l)
  test "$count" -eq "${metric#*:}" || fail "table-average-${metric%:*}: $count lines are impossible, not ${metric#*:}"
done

python=${PYTHON3:-python3}
if "$python" -c 'import json' 2> /dev/null; then
  for file in t.json main.json; do
    "$python" "$top/tests/report/validate.py" "$top/reports/table-schema.json" $file > verdicts ||
      fail "$file is not valid: $(head -5 verdicts)"
  done
fi
finish
