#!/bin/sh
# assay simulate: what goes in, what is recorded, states, interruption, and bad input. That a net computes what PyTorch does
# is seen elsewhere; here, that what is recorded is what its name says.
. "${top_srcdir:-.}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
command -v "$python" > /dev/null 2>&1 || exit 77
cp "$top/cases/models/assay-recall-mamba.safetensors" model

# refuse PATTERN ARGUMENT...: one message (with the line and the caret, where it has a place), and nothing is left behind.
refuse() {
  pattern=$1
  shift
  : > after
  : > out
  : > err
  ls > before
  run 2 simulate "$@"
  says err "$pattern"
  test "$(grep -c 'error:' err)" = 1 || fail "assay simulate $*: not one message"
  lines out 0
  ls > after
  cmp -s before after || fail "assay simulate $*: it left a file behind"
}

cat > npz.py <<'PY'
"""Archives and arrays with nothing but the standard library, and files for the tests."""
import ast, struct, sys, zipfile

def parse(data):
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size = struct.unpack_from("<H", data, 8)[0]
    assert (10 + size) % 64 == 0
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["descr"] == ("<f8" if sys.byteorder == "little" else ">f8") and not header["fortran_order"]
    return header["shape"], data[10 + size:]

def read(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name[:-4]: parse(archive.read(name)) for name in archive.namelist()}

def values(array):
    return list(struct.unpack("=%dd" % (len(array[1]) // 8), array[1]))

def npy(path, descr, shape, data, fortran=False):
    header = str({"descr": descr, "fortran_order": fortran, "shape": tuple(shape)}).encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
PY

# --- the table, and what is recorded
printf '1 2 3 4 5 6 7\n# nothing\n16 15 14\t13 0 1 02  # the second\r\n' > tokens
all=input,mixer,output,u,step,b,c,alpha,drive,h,y,hidden,logits
run 0 simulate --tokens tokens model
lines err 0
says out '^model: 2 layers, width 32, vocabulary 17; 2 sequences of 7 tokens$'
says out '^  "backbone.layers.0.mixer"  mamba-1  '
says out '^  "backbone.layers.1.mixer"  mamba-1  '
says out '^  hidden: rms [0-9.]*$'
says out '^  sequence 1, token 6: the largest logit is that of [0-9]*, [0-9.]*$'
lines out 7
cp out plain
run 0 simulate --tokens tokens --record $all --out all.npz model
says out '^all.npz: 24 arrays$'
grep -v '^all.npz' out | cmp -s - plain || fail "--out changes the table"
test ! -e all.npz.part || fail "all.npz.part is there still"
run 0 simulate --tokens tokens --out usual.npz --quiet model
lines out 0
run 0 simulate --tokens tokens --out second.npz --record h,mixer --layers 2 model
grep '"backbone.layers.0.mixer"' out > /dev/null && fail "--layers 2 shows layer 1"
run 0 simulate --tokens tokens --out one.npz --record $all --threads 1 model
cmp -s one.npz all.npz || fail "one thread gives other bytes"
sed -n 's/^  sequence \([01]\), token 6: .* that of \([0-9]*\), .*/\1 \2/p' plain > best
cat > check.py <<'PY'
import json, math, struct
from npz import read, values

def near(x, y, scale=0):
    return abs(x - y) <= 1e-12 * max(abs(x), abs(y), scale)

with open("model", "rb") as source:
    data = source.read()
start = 8 + struct.unpack_from("<Q", data)[0]
head = json.loads(data[8:start])
def parameter(name):
    begin, end = head[name]["data_offsets"]
    assert head[name]["dtype"] == "F32"
    return struct.unpack("<%df" % ((end - begin) // 4), data[start + begin:start + end])

K, T, M, D, N, V = 2, 7, 32, 64, 16, 17
every = read("all.npz")
shapes = {"input": [M], "mixer": [M], "output": [M], "u": [D], "delta": [D], "B": [N], "C": [N], "alpha": [D, N],
          "drive": [D, N], "h": [D, N], "y": [D]}
layers = ["backbone.layers.0.mixer.", "backbone.layers.1.mixer."]
wanted = {layer + name: (K, T, *shape) for layer in layers for name, shape in shapes.items()}
wanted.update(hidden=(K, T, M), logits=(K, T, V))
assert {name: array[0] for name, array in every.items()} == wanted
usual = read("usual.npz")
assert set(usual) == {layers[0] + "output", layers[1] + "output", "hidden", "logits"}
second = read("second.npz")
assert set(second) == {layers[1] + "h", layers[1] + "mixer"}
for part in usual, second:
    for name in part:
        assert part[name] == every[name], name

table = parameter("backbone.embedding.weight")
tokens = [1, 2, 3, 4, 5, 6, 7, 16, 15, 14, 13, 0, 1, 2]
stream = [x for token in tokens for x in table[token * M:(token + 1) * M]]
for layer in layers:
    get = {name: values(every[layer + name]) for name in shapes}
    assert get["input"] == stream
    stream = get["output"]
    assert all(near(x, a + b, abs(a)) for x, a, b in zip(stream, get["input"], get["mixer"]))
    a, d_weight = parameter(layer + "A_log"), parameter(layer + "D")
    for k in range(K):
        for d in range(D):
            h = [0.0] * N
            for t in range(T):
                row = k * T + t
                step, y, size = get["delta"][row * D + d], d_weight[d] * get["u"][row * D + d], 0
                assert step > 0
                for n in range(N):
                    at = (row * D + d) * N + n
                    alpha, drive = get["alpha"][at], get["drive"][at]
                    assert near(alpha, math.exp(-math.exp(a[d * N + n]) * step))
                    assert near(drive, get["B"][row * N + n] * get["u"][row * D + d])
                    size_h = abs(alpha * h[n]) + abs(step * drive)
                    h[n] = alpha * h[n] + step * drive
                    assert near(get["h"][at], h[n], size_h)
                    y += get["C"][row * N + n] * h[n]
                    size += abs(get["C"][row * N + n] * h[n])
                assert near(get["y"][row * D + d], y, size + abs(y))
norm, last = parameter("backbone.norm_f.weight"), parameter("lm_head.weight")
hidden, logits = values(every["hidden"]), values(every["logits"])
for row in range(K * T):
    x = stream[row * M:(row + 1) * M]
    root = math.sqrt(sum(v * v for v in x) / M + 1e-5)
    assert all(near(hidden[row * M + i], x[i] / root * norm[i]) for i in range(M))
    for v in range(V):
        parts = [hidden[row * M + i] * last[v * M + i] for i in range(M)]
        assert near(logits[row * V + v], sum(parts), sum(map(abs, parts)))
for line in open("best"):
    k, best = map(int, line.split())
    row = logits[(k * T + T - 1) * V:(k + 1) * T * V]
    assert row.index(max(row)) == best
PY
test "$(wc -l < best)" = 2 || fail "no largest logits"
"$python" check.py || fail "what is recorded is not what it should be"
found=$("$python" -c 'import numpy' 2> /dev/null && echo "$python" || { /usr/bin/python3 -c 'import numpy' 2> /dev/null && echo /usr/bin/python3; })
if test -n "$found" && test -x "$build/tests/dump/list_values"; then
  "$found" "$top/tests/dump/numpy_values.py" "$build/tests/dump/list_values" "$scratch/all.npz" > out 2>&1 ||
    fail "numpy reads another all.npz: $(tail -3 out)"
else
  echo "no python3 with numpy: not held against numpy"
fi

# model reads what was recorded.
run 1 model --activations all.npz model
says out '^  "backbone.layers.1.mixer"  *2 x 7 '
says out '^Claim theorem-4-2, asked of each entry and recorded sequence$'
says out '^Claim lemma-d6, asked of each entry and recorded sequence$'

# --- sequences of several lengths
printf '1 2 3\n4\n5 6\n' > uneven
run 0 simulate --tokens uneven --out uneven.npz model
says out '; 3 sequences of 1 to 3 tokens$'
says out '^uneven.npz: 12 arrays$'
printf '5 6' > third
run 0 simulate --tokens third --out third.npz --quiet model

# --- vectors, random ones, and integers of several types
cat > make.py <<'PY'
import struct
from npz import npy, read, values
x = read("all.npz")["backbone.layers.0.mixer.input"]
v = values(x)
npy("vectors.npy", "<f8", (2, 7, 32), struct.pack("<448d", *v))
npy("single.npy", "<f4", (7, 32), struct.pack("<224f", *v[:224]))
columns = [v[t * 32 + m] for m in range(32) for t in range(7)]
npy("fortran.npy", ">f4", (7, 32), struct.pack(">224f", *columns), True)
npy("tokens.npy", "<u2", (2, 7), struct.pack("<14H", 1, 2, 3, 4, 5, 6, 7, 16, 15, 14, 13, 0, 1, 2))
npy("fortran-tokens.npy", ">i8", (2, 7), struct.pack(">14q", 1, 16, 2, 15, 3, 14, 4, 13, 5, 0, 6, 1, 7, 2), True)
npy("line.npy", "|u1", (7,), bytes([1, 2, 3, 4, 5, 6, 7]))
npy("large.npy", "<i4", (2, 3), struct.pack("<6i", 1, 2, 3, 4, 17, 5))
npy("negative.npy", "<i4", (3,), struct.pack("<3i", 1, -2, 3))
npy("no-token.npy", "<i4", (2, 0), b"")
npy("deep.npy", "<i4", (1, 1, 1), bytes(4))
npy("one.npy", "<f8", (32,), bytes(256))
npy("narrow.npy", "<f8", (2, 31), bytes(496))
npy("four.npy", "<f8", (1, 1, 1, 32), bytes(256))
npy("no-vector.npy", "<f8", (0, 32), b"")
npy("complex.npy", "<c16", (1, 32), bytes(512))
npy("nan.npy", "<f8", (2, 32), bytes(8 * 40) + struct.pack("<d", float("nan")) + bytes(8 * 23))
npy("infinite.npy", "<f4", (1, 32), bytes(4 * 31) + struct.pack("<f", float("inf")))
PY
"$python" make.py || exit 99
run 0 simulate --input vectors.npy --record $all --out again.npz --quiet model
cmp -s again.npz all.npz || fail "vectors that are the embeddings give other bytes"
for file in tokens fortran-tokens; do
  run 0 simulate --tokens $file.npy --record $all --out again.npz --quiet model
  cmp -s again.npz all.npz || fail "$file.npy gives other bytes"
done
run 0 simulate --tokens line.npy --out line.npz --quiet model
for file in single fortran; do
  run 0 simulate --input $file.npy --out $file.npz --quiet model
  cmp -s $file.npz line.npz || fail "$file.npy gives other bytes"
done
run 0 simulate --random 70 --sequences 2 --seed 5 --record input --out random.npz --quiet model
run 0 simulate --random 70 --sequences 2 --seed 5 --record input --out same.npz --quiet --threads 2 model
cmp -s random.npz same.npz || fail "the same seed gives other tokens"
run 0 simulate --random 300 --seed 5 --record input --out long.npz --quiet model
run 0 simulate --random 70 --seed 6 --record input --out other.npz --quiet model
cat > check-more.py <<'PY'
from npz import read, values
uneven, third = read("uneven.npz"), read("third.npz")
assert set(uneven) == {"%d/%s" % (k, name) for k in range(3) for name in third}
for name in third:
    assert uneven["2/" + name] == third[name], name
    assert uneven["1/" + name][0][:2] == (1, 1) and uneven["0/" + name][0][:2] == (1, 3)
name = "backbone.layers.0.mixer.input"
two, long, other = (read(f + ".npz")[name][1] for f in ("random", "long", "other"))
size = 70 * 32 * 8
assert two[:size] == long[:size] and two[:size] != two[size:] and other != two[:size]
# All of the vocabulary comes, about equally often: 300 tokens, 17 of them.
rows = [long[i:i + 256] for i in range(0, len(long), 256)]
counts = sorted(rows.count(row) for row in set(rows))
assert len(counts) == 17 and counts[0] >= 5 and counts[-1] <= 36, counts
PY
"$python" check-more.py || fail "sequences, or random tokens, are not what they should be"

# --- a model that only vectors can be put into
"$python" - <<'PY'
import json, struct
data = open("model", "rb").read()
start = 8 + struct.unpack_from("<Q", data)[0]
head = json.loads(data[8:start])
kept, body = {}, b""
for name, about in head.items():
    if name not in ("__metadata__", "backbone.embedding.weight", "lm_head.weight"):
        begin, end = about["data_offsets"]
        kept[name] = {"dtype": about["dtype"], "shape": about["shape"], "data_offsets": [len(body), len(body) + end - begin]}
        body += data[start + begin:start + end]
text = json.dumps(kept).encode()
open("bare", "wb").write(struct.pack("<Q", len(text)) + text + body)
PY
run 0 simulate --random 300 --sequences 2 --record input,logits --out normal.npz bare
says out '^bare: 2 layers, width 32; 2 sequences of 300 tokens$'
says out '^  no logits: the model has none$'
says out '^normal.npz: 2 arrays$'
grep 'largest logit' out > /dev/null && fail "logits without a head"
run 0 simulate --random 301 --record input --out longer.npz --quiet bare
run 0 simulate --input vectors.npy --out bare.npz --quiet bare
"$python" - <<'PY' || fail "random vectors are not standard normal, or the net sees others than are put in"
import math
from npz import read, values
name = "backbone.layers.0.mixer.input"
both, longer = read("normal.npz")[name], read("longer.npz")[name]
v = values(both)
assert longer[1][:-256] == both[1][:len(both[1]) // 2] != both[1][len(both[1]) // 2:]
# 19200 numbers: five standard deviations of each moment.
n, moments = len(v), [sum(x ** k for x in v) / len(v) for k in (1, 2, 3, 4)]
for m, expected, deviation in zip(moments, (0, 1, 0, 3), (1, 2 ** 0.5, 15 ** 0.5, 96 ** 0.5)):
    assert abs(m - expected) < 5 * deviation / math.sqrt(n), moments
assert abs(sum(v[i] * v[i + 1] for i in range(0, n, 2))) < 5 * math.sqrt(n / 2)
whole, bare = read("all.npz"), read("bare.npz")
assert bare and all(bare[name] == whole[name] for name in bare)
PY

# --- states: a sequence cut at a multiple of 64 gives the same bits
"$python" - <<'PY'
import random
random.seed(7)
rows = [[str(random.randrange(17)) for _ in range(200)] for _ in range(2)]
for name, first, last in ("whole", 0, 200), ("head", 0, 128), ("tail", 128, 200):
    open(name, "w").write("".join(" ".join(row[first:last]) + "\n" for row in rows))
PY
run 0 simulate --tokens whole --record $all --out whole.npz --save-state end.npz model
run 0 simulate --tokens head --record $all --out head.npz --save-state state.npz model
cp state.npz middle.npz
run 0 simulate --tokens tail --record $all --out tail.npz --state state.npz --save-state state.npz model
cmp -s state.npz end.npz || fail "the state behind a sequence that was cut is another one"
"$python" - <<'PY' || fail "a sequence that was cut gives other bits"
from npz import read, values
whole, head, tail = read("whole.npz"), read("head.npz"), read("tail.npz")
assert set(whole) == set(head) == set(tail) and len(whole) == 24
for name, (shape, data) in whole.items():
    (h, first), (t, last) = head[name], tail[name]
    assert shape[:2] == (2, 200) and h[:2] == (2, 128) and t[:2] == (2, 72), name
    a, b = len(first) // 2, len(last) // 2
    assert data == first[:a] + last[:b] + first[a:] + last[b:], name
assert values(read("middle.npz")["tokens"]) == [128, 128] and values(read("end.npz")["tokens"]) == [200, 200]
PY
printf '1 2 3\n' > alone
refuse 'middle.npz: byte [0-9]*: the state "tokens" is not of doubles of the shape \[1\]' --tokens alone --state middle.npz model
refuse '^assay: error: third.npz: it is no state of this model: there is no "tokens" of the shape \[1\]$' --tokens alone --state third.npz model
refuse '^assay: error: middle.npz: byte [0-9]*: the state "layers.0.h" is not' --tokens head --state middle.npz --polarized model
refuse 'missing.npz: cannot open: No such file' --tokens alone --state missing.npz model

# --- interrupted: whole tokens, in a file no longer than they are
if test -r /proc/self/status && command -v setsid > /dev/null 2>&1; then
  # interrupted NAME ARGUMENT...: a run that would not end, once NAME has grown.
  interrupted() {
    name=$1
    shift
    setsid "$assay" simulate "$@" model > out 2> err < /dev/null &
    process=$!
    until test -s "$name" || ! kill -0 $process 2> /dev/null; do
      sleep 0.1
    done
    sleep 0.5
    kill -INT $process
    status=0
    wait $process || status=$?
    test $status = 4 || fail "interrupted: exit status $status: $(cat err)"
    lines err 0
    says out '^stopped early: '
  }
  interrupted cut.npz.part --random 1000000000 --out cut.npz --save-state cut-state.npz
  says out '^stopped early: 0 of 1 sequences are complete, that is none; of the next [0-9]* of 1000000000 tokens are done$'
  says out '^cut.npz: 4 arrays, of the tokens that are done$'
  says out '^cut-state.npz: not written, for not all sequences are complete$'
  test ! -e cut-state.npz && test ! -e cut-state.npz.part || fail "a state was written"
  done=$(sed -n 's/^stopped early: .* of the next \([0-9]*\) of .*/\1/p' out)
  run 0 simulate --random "$done" --out uncut.npz --quiet model
  "$python" - "$done" <<'PY' || fail "what an interrupted run leaves is not whole"
import os, sys
from npz import read
cut, uncut = read("cut.npz"), read("uncut.npz")
assert int(sys.argv[1]) > 0 and cut == uncut and cut["hidden"][0] == (1, int(sys.argv[1]), 32)
assert abs(os.path.getsize("cut.npz") - os.path.getsize("uncut.npz")) < 1000
PY
  # Of many sequences those that are complete, most likely in the midst of one.
  interrupted some.npz.part --random 1000 --sequences 1000000 --out some.npz
  complete=$(sed -n 's/^stopped early: \([0-9]*\) of 1000000 sequences.*/\1/p' out)
  if test "$complete" -gt 0; then
    says out '^some.npz: 4 arrays, of the complete sequences$'
    "$python" -c 'import sys; from npz import read; a = read("some.npz"); n = int(sys.argv[1])
assert a["hidden"][0] == (n, 1000, 32) and a["logits"][0] == (n, 1000, 17) and len(a) == 4, a["hidden"][0]' "$complete" ||
      fail "other sequences than the complete ones"
  fi
else
  echo "no setsid: not interrupted"
fi

# --- bad usage and bad input
refuse '^assay: error: simulate takes one file or folder; see assay help simulate$' --random 5
refuse 'simulate takes one file or folder' --random 5 model model
refuse '^assay: error: nothing goes in: give one of --tokens FILE, --input FILE.npy and --random N$' model
refuse 'more than one thing goes in: give one of' --random 5 --tokens tokens model
refuse 'more than one thing goes in: give one of' --input vectors.npy --tokens tokens model
refuse '^assay: error: --sequences says how many random ones' --tokens tokens --sequences 2 model
refuse '^assay: error: --tokens: the model has no embedding, so that tokens mean nothing to it' --tokens tokens bare
refuse '^assay: error: --record says what goes to --out' --random 5 --record h model
refuse "^assay: error: --record: 'hh' is none of input, mixer" --random 5 --out x --record h,hh,y model
refuse "^assay: error: --record: '' is none of" --random 5 --out x --record h, model
refuse "^assay: error: --record: '' is none of" --random 5 --out x --record '' model
for number in 0 a 1000000001; do
  refuse "^assay: error: --random: '$number' is no whole number from 1 to 1000000000$" --random "$number" model
done
refuse "^assay: error: --sequences: '1000001' is no whole number from 1 to 1000000$" --random 5 --sequences 1000001 model
for layers in a 3..1 1.. ..2 1,,2 '' 1x 1..2..3; do
  refuse "^assay: error: --layers: '.*' is no number or range LOW..HIGH, several of which are separated by commas$" \
    --random 5 --layers "$layers" model
done
for layers in 0 99 1..3 99999999999999999999999; do
  refuse "^assay: error: --layers: '$layers': the model has the layers 1 to 2$" --random 5 --layers "$layers" model
done
run 0 simulate --random 5 --layers 1..2,2,1 model
refuse '^assay: error: missing: cannot open: No such file' --random 5 missing
refuse '^assay: error: tokens: byte 0: no parameter file of a known kind' --random 5 tokens
refuse 'takes no option' --random 5 --trials 5 model

# token MESSAGE TEXT: the file `bad` is refused.
token() {
  printf "$2" > bad
  refuse "$1" --tokens bad model
}
token '^bad:2:3: error: token 17 is not below 17, the size of the model.s vocabulary$' '1 2\n3 17 4\n'
token '^bad:1:1: error: token 9999999999999999999999999999999999999999... is not below 17' '9999999999999999999999999999999999999999999999'
token "^bad:1:3: error: '-1' is no token: tokens are whole numbers, separated by blanks$" '1 -1\n'
token "^bad:1:1: error: '1,2' is no token" '1,2\n'
token "^bad:1:1: error: '1.0' is no token" '1.0'
token "^bad:1:3: error: '0x1' is no token" '1 0x1'
token "^bad:1:2: error: '[?]' is no token" ' \000 1\n'
token "^bad:1:2: error: '[?][?]' is no token" ' \303\251 1\n'
token '^assay: error: bad: it holds no token$' ''
token '^assay: error: bad: it holds no token$' '\n# 1 2\n  \t\n'
refuse '^assay: error: (standard input): it holds no token$' --tokens - model
refuse '^assay: error: cannot open missing: No such file' --tokens missing model
mkdir folder
refuse '^assay: error: cannot read folder: Is a directory$' --tokens folder model
refuse "^model:1:1: error: '.*' is no token" --tokens model model
mkfifo pipe && refuse 'cannot read pipe: it is a pipe or a device' --tokens pipe model
at() {
  "$python" -c 'import sys; print(len(open(sys.argv[1], "rb").read()) - int(sys.argv[2]))' "$1" "$2"
}
refuse "^assay: error: large.npy: byte $(at large.npy 8): token 17 is not below 17, the size of the model's vocabulary$" --tokens large.npy model
refuse "^assay: error: negative.npy: byte $(at negative.npy 8): token -2 is below 0$" --tokens negative.npy model
refuse '^assay: error: no-token.npy: it holds no token$' --tokens no-token.npy model
refuse '^assay: error: deep.npy: tokens are an array of integers of the shape \[T\] or \[batch, T\]; this one has the type <i4 and 3 dimensions$' --tokens deep.npy model
refuse '^assay: error: single.npy: tokens are .* the type <f4 and 2' --tokens single.npy model
head -c 70 tokens.npy > short.npy
refuse '^assay: error: short.npy: byte [0-9]*: ' --tokens short.npy model

refuse '^assay: error: one.npy: the input has the shape \[T, 32\] or \[batch, T, 32\], 32 being the width of the model; this one has 1 dimension$' --input one.npy model
refuse 'four.npy: .* this one has 4 dimensions$' --input four.npy model
refuse 'narrow.npy: .* this one has 2 dimensions, of which the last has another length$' --input narrow.npy model
refuse '^assay: error: no-vector.npy: the input holds no vector$' --input no-vector.npy model
refuse '^assay: error: complex.npy: the input is an array of floating-point numbers; this one has the type <c16$' --input complex.npy model
refuse 'tokens.npy: the input is an array of floating-point numbers; this one has the type <u2$' --input tokens.npy model
refuse "^assay: error: nan.npy: byte $(at nan.npy 192): a value of the input is NaN$" --input nan.npy model
refuse "^assay: error: infinite.npy: byte $(at infinite.npy 4): a value of the input is infinite$" --input infinite.npy model
refuse '^assay: error: all.npz: --input reads .npy files; this is npz$' --input all.npz model
refuse '^assay: error: tokens: byte 0: no parameter file' --input tokens model

# --- places where nothing can be written
refuse '^assay: error: --out: an archive cannot go to standard output$' --random 5 --out - model
refuse '^assay: error: --save-state: an archive cannot go to standard output$' --random 5 --save-state - model
refuse '^assay: error: --out and --save-state name the same file$' --random 5 --out x --save-state x model
refuse '^assay: error: cannot write nowhere/x: No such file' --random 5 --out nowhere/x model
refuse '^assay: error: cannot write nowhere/x: No such file' --random 5 --out x --save-state nowhere/x model
refuse '^assay: error: cannot write folder: Is a directory$' --random 5 --out folder model
refuse '^assay: error: cannot write pipe: ' --random 5 --out pipe model
if test -c /dev/full; then
  refuse '^assay: error: /dev/full: cannot write: No space left on device$' --random 5 --out /dev/full model
  refuse '^assay: error: /dev/full: cannot write: No space left on device$' --random 5 --save-state /dev/full --out x model
fi
mkdir read-only
chmod a-w read-only
if (cd read-only && ! touch x 2> /dev/null); then
  refuse 'cannot write read-only/x: Permission denied' --random 5 --out read-only/x model
fi
chmod u+w read-only
# What was there stays when the run fails, here for lack of room.
if (ulimit -f 1 && trap '' XFSZ && echo) > /dev/null 2>&1; then
  cp tokens kept.npz
  status=0
  (ulimit -f 8 && trap '' XFSZ && exec "$assay" simulate --random 2000 --out kept.npz model) > out 2> err < /dev/null || status=$?
  test $status = 2 || fail "a file that must not grow: exit status $status"
  says err '^assay: error: kept.npz: cannot write: File too large$'
  lines out 0
  cmp -s kept.npz tokens || fail "a run that failed has changed what was there"
  test ! -e kept.npz.part || fail "kept.npz.part is there still"
fi

for word in -h --help; do
  run 0 simulate $word
  says out '^usage: assay simulate \[OPTION\]... FILE|FOLDER$'
done
finish
