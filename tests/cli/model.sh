#!/bin/sh
# assay model: recorded activations and claims, and what is said of every input.
. "${top_srcdir:-.}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
command -v "$python" > /dev/null 2>&1 || exit 77

# One Mamba-1 block of two channels and one state, a = -2, with its whole path from the norm; and two sequences of two tokens.
cat > make.py <<'PY'
import io, json, math, struct, sys, zipfile

def doubles(values):
    return struct.pack("<%dd" % len(values), *values)

def npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, (shape, values) in arrays.items():
            header = str({"descr": "<f8", "fortran_order": False, "shape": tuple(shape)}).encode()
            header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + doubles(values))

def safetensors(path, arrays):
    header, data = {}, b""
    for name, (shape, values) in arrays.items():
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [len(data), len(data) + 8 * len(values)]}
        data += doubles(values)
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)

block = {
    "0.norm.weight": ([3], [1, 1, 1]), "0.mixer.in_proj.weight": ([4, 3], [0.25] * 12),
    "0.mixer.conv1d.weight": ([2, 1, 2], [0, 1, 0, 1]), "0.mixer.x_proj.weight": ([3, 2], [1] * 6),
    "0.mixer.dt_proj.weight": ([2, 1], [1, 1]), "0.mixer.A_log": ([2, 1], [math.log(2)] * 2),
    "0.mixer.dt_proj.bias": ([2], [-3, 3]),
}
safetensors("model.safetensors", block)
delta = ([2, 2, 2], [1, 0.5, 1, 0.5, 1.5, 0, 1.5, 0.25])
inputs = ([2, 2, 1], [1, -1, 1, -1])
ones = ([2, 2, 2], [1] * 8)
npz("recorded.npz", {"0.mixer.delta": delta, "0.mixer.B": inputs, "0.mixer.u": ones})
npz("short.npz", {"delta": delta})
npz("other.npz", {"1.mixer.delta": delta})
npz("wrong.npz", {"delta": ([2, 4], delta[1])})
safetensors("recorded.safetensors", {"0.mixer.delta": delta, "0.mixer.B": inputs, "0.mixer.u": ones})
PY
"$python" make.py || exit 99

# table CLAIM: the rows of its table, without the layer's name.
table() {
  sed -n "/^Claim $1,/,/^$/p" out | sed -n '3,5{s/ *"[^"]*"//;s/^ *//;p;}' | tr -s ' ' | sort
}

# is_table CLAIM TRUE FALSE UNKNOWN: each three numbers.
is_table() {
  printf 'false %s\ntrue %s\nunknown %s\n' "$3" "$2" "$4" > wanted
  table "$1" > found
  cmp -s found wanted || {
    fail "claim $1: another table"
    diff wanted found
  }
}

# Without claims, those of the paper: Lemma D.6 is refuted by the one sequence that meets its hypotheses (z = (1, -1), step 1/2).
for file in recorded.npz recorded.safetensors; do
  run 1 model --activations $file --json model.json model.safetensors
  is_table theorem-4-2 '1 0 0' '1 2 0' '0 0 0'
  is_table lemma-d6 '0 1 0' '0 3 0' '0 0 0'
  # Three have equal decays, whose product no ball tells from the square of the largest; one decay is 1.
  is_table theorem-3-1-memory '0 0 3' '1 0 0' '0 0 0'
  says out '"0.mixer": the conclusion is false though every hypothesis is true, first in sequence 0, channel 1, state 0$'
  says out '"0.mixer": false alpha in 1, delta in 1, nonexpansive in 2$'
  says out '^  "0.mixer"  *2 x 2  *4  *4  *0  *0$'
  says model.json '"command": "assay model .* --activations '"$file"' model.safetensors"'
done
"$python" "$top/tests/report/validate.py" "$top/reports/schema.json" model.json > verdicts || fail "not valid: $(head -5 verdicts)"

# Those of the paper that do not fit what was recorded are left out, and it is said why.
run 1 model --activations short.npz --json short.json model.safetensors
says out "^Not asked: claim lemma-d6: 'z' is the input, of which B and u are not given$"
is_table theorem-3-1-memory '0 0 3' '1 0 0' '0 0 0'
says short.json "\"not_asked\": \"claim theorem-4-2: 'b' is the input"
"$python" "$top/tests/report/validate.py" "$top/reports/schema.json" short.json > verdicts || fail "not valid: $(head -5 verdicts)"

# One claim, from a file or bundled; it does not change the exit status.
cat > sum.claim <<'EOF'
claim sum
  given a in real as decay
  given d in real as step
  show sum: a + d <= 1
end
EOF
run 1 model --claim sum.claim model.safetensors
is_table sum '1 1 0' '0 0 0' '0 0 0'
run 1 model --claim sum.claim --activations short.npz model.safetensors
is_table sum '4 4 0' '0 0 0' '0 0 0'
run 1 model --claim sum.claim --claim theorem-4-2-decay-from-2 --activations recorded.npz model.safetensors
is_table sum '4 4 0' '0 0 0' '0 0 0'
is_table theorem-4-2-decay-from-2 '1 0 0' '1 2 0' '0 0 0'

# What does not fit: one line, exit status 2.
run 2 model --claim theorem-4-2 model.safetensors
says err "claim theorem-4-2: 'b' is a sequence, and no activations are given"
run 2 model --claim theorem-4-2 --activations short.npz model.safetensors
says err "claim theorem-4-2: 'b' is the input, of which B and u are not given"
run 2 model --claim theorem-4-2-free-start --activations recorded.npz model.safetensors
says err "claim theorem-4-2-free-start: nothing supplies 'h0"
run 2 model --activations other.npz model.safetensors
says err '^assay: error: other.npz: it holds nothing for any layer; looked for is LAYER.delta, the first layer being "0.mixer"$'
run 2 model --activations wrong.npz model.safetensors
says err 'tensor "delta" is not of shape \[batch, tokens, channels = 2\]'
run 2 model --activations missing.npz model.safetensors
run 2 model --claim no-such-claim model.safetensors
lines out 0

# Every input: p = silu(q) + silu(q) with q = (z1 + z2 + z3)/4, which is between -3/4 and 3/4, so that p is in [-0.482, 1.019].
# With the bias -3 the step is between 0.0303 and 0.1292, and it holds for all; with 3 it is 2.59 or more, and it holds for none.
run 1 model model.safetensors
says out '^  "0.mixer"  *1  *1  *0  *0  \[0.030305[0-9]*, 4.0365[0-9]*\]  *0.06061'
says out '^  in all for all inputs 1, for none 1, depends 0, unknown 0$'
mkdir falcon
cp model.safetensors falcon
printf '{"model_type": "falcon_mamba"}' > falcon/config.json
run 1 model --json falcon.json falcon
grep 'for all inputs' out > /dev/null && fail 'something is said of all inputs to a Falcon-Mamba'
says falcon.json '"every_input": null'
says falcon.json '"every_input_reason": ".'
says out '^For which inputs does it hold? Not decided: '
finish
