"""Compares what tests/dump/list_values prints with what a few lines of json and struct read.

usage: safetensors_values.py LIST_VALUES FILE-OR-FOLDER...

Exact: every name, type, shape and value. A folder holds an index of shards."""
import json
import os
import struct
import subprocess
import sys
from fractions import Fraction

CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U64": "Q",
         "U32": "I", "U16": "H", "U8": "B", "BOOL": "B"}


def small_float(byte, exponents, fractions, has_infinity):
    """An 8-bit float, by its definition, exactly."""
    sign = -1 if byte >> 7 else 1
    exponent, fraction = byte >> fractions & (1 << exponents) - 1, byte & (1 << fractions) - 1
    bias = (1 << exponents - 1) - 1
    if exponent == (1 << exponents) - 1 and (has_infinity or fraction == (1 << fractions) - 1):
        if has_infinity and fraction == 0:
            return sign * float("inf")
        return float("nan")
    if exponent == 0:
        return float(sign * Fraction(fraction, 1 << fractions) * Fraction(2) ** (1 - bias))
    return float(sign * (1 + Fraction(fraction, 1 << fractions)) * Fraction(2) ** (exponent - bias))


def decode(kind, data):
    if kind == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    if kind == "F8_E4M3":
        return [small_float(b, 4, 3, False) for b in data]
    if kind == "F8_E5M2":
        return [small_float(b, 5, 2, True) for b in data]
    code = CODES["F32" if kind == "C64" else kind]
    return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data))


def read_one(path):
    with open(path, "rb") as source:
        data = source.read()
    start = 8 + int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            low, high = entry["data_offsets"]
            values = decode(entry["dtype"], data[start + low : start + high])
            yield name, (entry["dtype"], tuple(entry["shape"]), values)


def expected(path):
    if not os.path.isdir(path):
        return dict(read_one(path))
    index, = [name for name in os.listdir(path) if name.endswith(".index.json")]
    with open(os.path.join(path, index), "rb") as source:
        shards = sorted(set(json.load(source)["weight_map"].values()))
    return {name: entry for shard in shards for name, entry in read_one(os.path.join(path, shard))}


def listed(program, path):
    text = subprocess.run([program, path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    found = {}
    for line in text.splitlines():
        name, kind, shape, values = line.split("\t")
        shape = tuple(int(part) for part in shape.split(",")) if shape else ()
        found[name] = (kind, shape, [float.fromhex(v) for v in values.split()])
    return found


def same(x, y):
    return x == y or (x != x and y != y)


def main():
    failed = 0
    for path in sys.argv[2:]:
        ours, theirs = listed(sys.argv[1], path), expected(path)
        if not theirs or set(ours) != set(theirs):
            print("%s: the names differ: %s" % (path, sorted(set(ours) ^ set(theirs))))
            failed = 1
        for name in set(ours) & set(theirs):
            a, b = ours[name], theirs[name]
            if a[:2] != b[:2] or len(a[2]) != len(b[2]) or not all(map(same, a[2], b[2])):
                print("%s: %s differs" % (path, name))
                failed = 1
        values = sum(len(entry[2]) for entry in theirs.values())
        print("%s: %d tensors, %d values compared" % (path, len(theirs), values))
    return failed


sys.exit(main())
