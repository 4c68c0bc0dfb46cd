#!/bin/sh
# assay audit --model: the tables against fractions in Python, the certificate before the judge, what does not go together.
. "${top_srcdir:-.}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
command -v "$python" > /dev/null 2>&1 || exit 77
model=$top/cases/models/assay-recall-mamba.safetensors

# Theorem 4.2 and Lemma D.6 once more, on the arrays that simulate writes, in exact rational arithmetic.
cat > check.py <<'PY'
import ast, json, struct, sys, zipfile
from fractions import Fraction

def arrays(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            start = 10 + struct.unpack("<H", raw[8:10])[0]
            header = ast.literal_eval(raw[10:start].decode())
            assert header["descr"] == "<f8" and not header["fortran_order"]
            count = 1
            for n in header["shape"]:
                count *= n
            yield name[:-len(".npy")], header["shape"], struct.unpack("<%dd" % count, raw[start:])

def theorem(alpha, delta, z):
    h, low, high = Fraction(0), None, None
    for a, d, x in zip(alpha, delta, z):
        h = a * h + d * x
        low, high = (h, h) if low is None else (min(low, h), max(high, h))
    return (1 - min(alpha) ** (len(alpha) - 1)) * (max(z) - min(z)) - (high - low)

def lemma(alpha, delta, z):
    m, M = min(z), max(z)
    if m == M:
        return None
    p, s, least, power = (M - z[0]) / (M - m), Fraction(0), None, Fraction(1)
    for a, d, x in zip(alpha, delta, z):
        s = a * s + d * x
        slack = min(s - ((1 - power * (1 - p)) * m + power * (1 - p) * M), power * p * m + (1 - power * p) * M - s)
        least = slack if least is None else min(least, slack)
        power *= min(alpha)
    return least

recorded = {name: (shape, values) for name, shape, values in arrays(sys.argv[1])}
report = json.load(open(sys.argv[2]))["trajectories"]
wrong = compared = 0
for layer in report["layers"]:
    (batch, T, D, N), alpha = recorded[layer["name"] + ".alpha"]
    drive, delta = recorded[layer["name"] + ".drive"][1], recorded[layer["name"] + ".delta"][1]
    for answer in layer["claims"]:
        slack_of = {"theorem-4-2": theorem, "lemma-d6": lemma}[answer["claim"]]
        table = {h: dict.fromkeys(("true", "false", "unknown"), 0) for h in ("true", "false", "unknown")}
        least, at, first = {"true": None, "false": None}, {}, None
        for q in range(batch):
            for d in range(D):
                step = [Fraction(delta[(q * T + t) * D + d]) for t in range(T)]
                for n in range(N):
                    a, z = ([Fraction(x[((q * T + t) * D + d) * N + n]) for t in range(T)] for x in (alpha, drive))
                    slack = slack_of(a, step, z)
                    given = all(0 < x < 1 for x in a) and all(0 <= x <= 1 for x in step) \
                        and all(x + y <= 1 for x, y in zip(a, step)) and min(z) <= 0 <= max(z)
                    assert slack is not None
                    h, c = "true" if given else "false", "true" if slack >= 0 else "false"
                    table[h][c] += 1
                    at[q, d, n] = slack
                    if given and slack < 0 and first is None:
                        first = {"sequence": q, "channel": d, "state": n, "token": 0}
                    if least[h] is None or slack < least[h]:
                        least[h] = slack
        compared += len(at)
        if table != answer["hypotheses"] or first != answer["false_at"]:
            print(layer["name"], answer["claim"], table, first, "but", answer["hypotheses"], answer["false_at"])
            wrong += 1
        for h in least:
            found = answer["slack"][h]
            if least[h] is None:
                wrong += found is not None
                continue
            there = at[found["sequence"], found["channel"], found["state"]]
            low, high = (Fraction(found["difference"][end]) for end in ("lower", "upper"))
            if not (Fraction(found["least"]) <= least[h] <= there and low <= there <= high):
                print(layer["name"], answer["claim"], h, float(least[h]), float(there), "but", found)
                wrong += 1
print("compared", compared)
sys.exit(wrong > 0 or compared < 4000)
PY
run 0 simulate --random 9 --seed 7 --record step,alpha,drive --out recorded.npz "$model"
run 1 audit --model "$model" --random 9 --seed 7 --json result.json --out reports --threads 1 theorem-4-2 lemma-d6
mv out text
"$python" check.py recorded.npz result.json || fail "the tables differ from those in fractions"
says text '^  lemma-d6  REFUTED '
says text '^  theorem-4-2  SURVIVED [1-9]'
says text '"backbone.layers.0.mixer": smallest slack where the hypotheses are true: '

# The counterexample: its certificate, and where it comes from.
"$judge" "$top/lemmas/wang2025/lemma-d6.claim" reports/certificates/lemma-d6.json > verdict || fail "the judge says no"
says reports/certificates/lemma-d6.json '"source": "trajectory of .*sequence 0, layer .*channel [0-9]*, state [0-9]*"'
says reports/lemma-d6.txt 'source: trajectory, instance'
says reports/lemma-d6.txt 'assay-recall-mamba.safetensors", sequence 0, layer "backbone.layers.[01].mixer", channel [0-9]*, state'
says result.json '"command": "assay audit --model .*assay-recall-mamba.safetensors --random 9 --seed 7 theorem-4-2 lemma-d6"'
"$python" "$top/tests/report/validate.py" "$top/reports/schema.json" result.json > valid || fail "not valid: $(head -5 valid)"

# Threads do not matter.
run 1 audit --model "$model" --random 9 --seed 7 --json again.json --out other --threads 2 theorem-4-2 lemma-d6
for file in result again; do
  sed -e '/"seconds"/d' -e '/"certificate"/d' $file.json > $file
done
cmp result again || fail "other results with two threads"

# Layers, tokens from a file, the claims that are asked by default, the other formats.
echo "1 2 3 4 5 6 7 8 1" > tokens
run 1 audit --model "$model" --tokens tokens --layers 2 --tap
lines out 5
says out '^not ok .*lemma-d6: REFUTED'
says out '^ok .*theorem-3-1-memory'
says out '^ok .*lemma-d6-damped-start'
run 1 audit --model "$model" --tokens tokens --junit junit.xml -q
says junit.xml '<testcase .*theorem-4-2'
says out 'REFUTED'
run 0 audit --model "$model" --tokens tokens theorem-3-1-memory
# A polarized channel: one decay is 1, another 0 or next to it, and neither lies in (0, 1) where it is so.
run 0 audit --model "$model" --tokens tokens --polarized --layers 1 theorem-3-1-memory
says out '^ *false *[1-9]'
# Nothing of this kind can be asked.
run 3 audit --model "$model" --tokens tokens theorem-4-2-free-start
says out "NO INSTANCE .*nothing supplies 'h0"

# What does not go together.
run 2 audit --model "$model" --tokens tokens --trials 5
says err '^assay: error: --trials says how to search, and with --model nothing is searched'
run 2 audit --tokens tokens lemma-d6
says err '^assay: error: --tokens goes with --model$'
run 2 audit --model "$model" lemma-d6
run 2 audit --model missing.safetensors --tokens tokens lemma-d6
lines out 0

finish
