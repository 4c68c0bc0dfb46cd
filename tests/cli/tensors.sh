#!/bin/sh
# assay tensors: the list, its statistics, JSON, and bad input.
. "${top_srcdir:-.}/tests/cli/lib.sh"
data=$top/tests/dump/data

# same FILE: the lines from standard input, but for runs of blanks.
same() {
  tr -s ' ' < "$1" | sed 's/ $//' > shown
  if ! diff - shown > difference; then
    fail "$1 is not what it should be:"
    cat difference
  fi
}

# The file holds a tensor of each type; see tools/make-safetensors-fixtures.py.
cp "$data/types.safetensors" types
run 0 tensors types
lines err 0
same out <<'END'
types: safetensors, 18 tensors
name type shape kind place
f64 F64 [2] parameter 1112
f32 F32 [1,2] parameter 1128
f16 F16 [2,1] parameter 1136
bf16 BF16 [2] parameter 1140
f8.e4m3 F8_E4M3 [4] parameter 1144
f8.e5m2 F8_E5M2 [4] parameter 1148
i64 I64 [2] parameter 1152
i32 I32 [1] parameter 1168
i16 I16 [1] parameter 1172
i8 I8 [2] parameter 1174
u64 U64 [1] parameter 1176
u32 U32 [1] parameter 1184
u16 U16 [1] parameter 1188
u8 U8 [3] parameter 1190
bool BOOL [2] parameter 1193
c64 C64 [1] parameter 1195
number F32 [] parameter 1203
empty F32 [3,0] parameter 1207
END
run 0 tensors --stats types
lines err 0
tr -s ' ' < out | sed 's/ parameter [0-9]*//' > stats
same stats <<'END'
types: safetensors, 18 tensors
name type shape kind place min max NaN infinite subnormal zero
f64 F64 [2] -2.5 0.10000000000000001 0 0 0 0
f32 F32 [1,2] -0 1.5 0 0 0 1
f16 F16 [2,1] 0.25 65504 0 0 0 0
bf16 BF16 [2] -3.140625 1 0 0 0 0
f8.e4m3 F8_E4M3 [4] 0.001953125 448 1 0 1 0
f8.e5m2 F8_E5M2 [4] 1.52587891e-05 57344 0 1 1 0
i64 I64 [2] -9007199254740992 7 0 0 0 0
i32 I32 [1] -2147483648 -2147483648 0 0 0 0
i16 I16 [1] -300 -300 0 0 0 0
i8 I8 [2] -128 127 0 0 0 0
u64 U64 [1] 9.22337204e+18 9.22337204e+18 0 0 0 0
u32 U32 [1] 4294967295 4294967295 0 0 0 0
u16 U16 [1] 65535 65535 0 0 0 0
u8 U8 [3] 0 255 0 0 0 1
bool BOOL [2] 0 1 0 0 0 1
c64 C64 [1] -4 3 0 0 0 0
number F32 [] 8 8 0 0 0 0
empty F32 [3,0] - - 0 0 0 0
END

# As JSON, beside the list or instead of it.
run 0 tensors --stats --json r.json types
lines out 20
run 0 tensors --stats --json - types
cmp -s out r.json || fail "--json - and --json FILE differ"
says out '"schema": "assay-tensors/1"'
says out '"container": "safetensors"'
says out '"note": "caf'
python=${PYTHON3:-python3}
if "$python" -c 'import json' 2> /dev/null; then
  "$python" - r.json <<'END' || fail "the JSON is not as expected"
import json
import sys

found = json.load(open(sys.argv[1], encoding="utf-8"))
byname = {t["name"]: t for t in found["tensors"]}
assert len(byname) == 18 and found["file"] == "types", found
assert found["segments"] == [{"file": "types", "compressed": False, "length": 1207}], found["segments"]
t = byname["f8.e4m3"]
assert t["statistics"] == {"min": "0.001953125", "max": "448", "nan": 1, "infinite": 0, "subnormal": 1,
                           "zero": 0}, t
assert t["shape"] == [4] and t["offset"] == 1144 and t["bytes"] == 4, t
assert t["segment"] == 0 and not t["big_endian"], t
assert byname["f64"]["statistics"]["min"] == "-2.5" and byname["empty"]["statistics"]["min"] is None
assert "strides" not in byname["f64"]
END
fi

# One message, with the place, and exit status 2.
refuse() {
  pattern=$1
  shift
  run 2 tensors "$@"
  says err "$pattern"
  lines err 1
  lines out 0
}
head -c 1184 types > cut
at=$(grep -abo '"u32"' types | cut -d : -f 1)
refuse "^assay: error: cut: byte $at: tensor \"u32\": data_offsets reach beyond the end of the file$" cut
refuse '^assay: error: types: byte 0: header length 1104 exceeds the limit of 1103 bytes$' --header-limit 1103 types
run 0 tensors --header-limit 1104 types
refuse '^assay: error: missing: cannot open: No such file' missing
echo hello > text
refuse '^assay: error: text: byte 0: no parameter file of a known kind' text
printf 'version https://git-lfs.github.com/spec/v1\n' > pointer
refuse 'Git LFS pointer' pointer
mkdir hollow
refuse 'no parameter file' hollow
refuse '^assay: error: tensors takes one file or folder' types types

# A truth value of 2: told, and the rest is shown all the same.
head -c 1193 types > two
printf '\002' >> two
tail -c 13 types >> two
run 2 tensors --stats two
says err '^assay: error: two: byte 1193: value 0 of tensor "bool", 2, is no truth value$'
lines err 1
says out '^bool .* -  *-  *-  *-  *-  *-$'
says out '^c64 .* -4  *3 '
run 0 tensors two

# Files of a folder, numbered.
mkdir parts
cp types parts/m-00001-of-00002.safetensors
cp "$top/tests/fuzz/seeds/none.safetensors" parts/m-00002-of-00002.safetensors
run 0 tensors parts
says out '^f16 .* parameter  m-00001-of-00002.safetensors 1136$'
rm parts/m-00002-of-00002.safetensors
refuse 'parts/m-00002-of-00002.safetensors: cannot open' parts
printf '{"weight_map": {"f64": "../types"}}' > parts/m.index.json
refuse '^assay: error: parts/m.index.json: byte 16: tensor "f64": its file is not inside the folder' parts

# Control characters of names do not reach the terminal.
printf '\116\0\0\0\0\0\0\0{"a\\u001b[31m b":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[0,1]}}        x' > odd
run 0 tensors --stats odd
says out '^"a\\x1b\[31m b"  F8_E8M0 .* -$'
finish
