#!/usr/bin/env python3
"""Writes tests/dump/data/types.safetensors, a tensor of each type, and the fuzz seeds made of the same.

usage: make-safetensors-fixtures.py [SOURCE-TREE]

Nothing but Python's standard library; the same bytes each time. What the values are is said again,
independently, in tests/dump/test_safetensors.c and tests/dump/safetensors_values.py.
"""
import json
import os
import struct
import sys

# Type, shape, bytes.
TENSORS = [
    ("f64", "F64", [2], struct.pack("<2d", 0.1, -2.5)),
    ("f32", "F32", [1, 2], struct.pack("<2f", 1.5, -0.0)),
    ("f16", "F16", [2, 1], struct.pack("<2e", 0.25, 65504)),
    ("bf16", "BF16", [2], struct.pack("<2H", 0x3F80, 0xC049)),
    ("f8.e4m3", "F8_E4M3", [4], bytes([0x38, 0x7E, 0x01, 0x7F])),
    ("f8.e5m2", "F8_E5M2", [4], bytes([0x3C, 0x7B, 0x01, 0x7C])),
    ("i64", "I64", [2], struct.pack("<2q", -(2**53), 7)),
    ("i32", "I32", [1], struct.pack("<i", -2147483648)),
    ("i16", "I16", [1], struct.pack("<h", -300)),
    ("i8", "I8", [2], struct.pack("<2b", -128, 127)),
    ("u64", "U64", [1], struct.pack("<Q", 2**63)),
    ("u32", "U32", [1], struct.pack("<I", 4294967295)),
    ("u16", "U16", [1], struct.pack("<H", 65535)),
    ("u8", "U8", [3], bytes([0, 128, 255])),
    ("bool", "BOOL", [2], bytes([1, 0])),
    ("c64", "C64", [1], struct.pack("<2f", 3, -4)),
    ("number", "F32", [], struct.pack("<f", 8)),
    ("empty", "F32", [3, 0], b""),
]


def made(tensors, metadata=None):
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, kind, shape, data in tensors:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(data for _, _, _, data in tensors)


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(sys.argv[0]), os.pardir)
    whole = made(TENSORS, {"format": "pt", "note": "caf\u00e9"})
    files = {
        "tests/dump/data/types.safetensors": whole,
        "tests/fuzz/seeds/types.safetensors": whole,
        "tests/fuzz/seeds/one.safetensors": made(TENSORS[:1]),
        "tests/fuzz/seeds/none.safetensors": made([]),
    }
    for name, data in files.items():
        with open(os.path.join(top, name), "wb") as out:
            out.write(data)


main()
