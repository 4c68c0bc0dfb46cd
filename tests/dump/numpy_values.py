"""Compares what tests/dump/list_values prints with what numpy, or a few lines of struct, read.

usage: numpy_values.py LIST_VALUES FILE...

Exact: every name, shape and value. Files end in .npy, .npz or .gguf. The GGUF part knows little-endian
version 3 with F32 and F16 only."""
import os
import struct
import subprocess
import sys

import numpy


def listed(program, path):
    """name -> (shape, values or None) as our program has them."""
    text = subprocess.run([program, path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    found = {}
    for line in text.splitlines():
        name, _, shape, values = line.split("\t")
        shape = tuple(int(part) for part in shape.split(",")) if shape else ()
        found[name] = (shape, None if values == "-" else [float.fromhex(v) for v in values.split()])
    return found


def as_doubles(array):
    if array.dtype.str[1:] == "V2":
        array = (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    elif array.dtype.kind not in "fiubc":
        return None
    if array.dtype.kind == "c":
        array = numpy.ascontiguousarray(array.astype(numpy.complex128)).view(numpy.float64)
    return array.astype(numpy.float64).ravel(order="C")


def read_gguf(path):
    with open(path, "rb") as source:
        data = source.read()
    at = 0

    def take(code):
        nonlocal at
        values = struct.unpack_from("<" + code, data, at)
        at += struct.calcsize("<" + code)
        return values if len(values) > 1 else values[0]

    def string():
        nonlocal at
        length = take("Q")
        at += length
        return data[at - length:at].decode("utf-8")

    def value(kind):
        if kind == 8:
            return string()
        if kind == 9:
            inner, count = take("I"), take("Q")
            return [value(inner) for _ in range(count)]
        return take("BbHhIif?  Qqd"[kind])

    assert data[:4] == b"GGUF"
    at = 4
    version, tensors, keys = take("I"), take("Q"), take("Q")
    assert version == 3
    notes = {}
    for _ in range(keys):
        name = string()
        notes[name] = value(take("I"))
    infos = []
    for _ in range(tensors):
        name, rank = string(), take("I")
        shape = [take("Q") for _ in range(rank)][::-1]
        infos.append((name, shape, take("I"), take("Q")))
    alignment = notes.get("general.alignment", 32)
    start = -(-at // alignment) * alignment
    return {name: numpy.frombuffer(data, {0: "<f4", 1: "<f2"}[kind], int(numpy.prod(shape)),
                                   start + offset).reshape(shape) for name, shape, kind, offset in infos}


def expected(path):
    if path.endswith(".npz"):
        with numpy.load(path, allow_pickle=False) as archive:
            found = {}
            for name in archive.files:
                try:
                    found[name] = archive[name]
                except ValueError:  # a type that this numpy does not know
                    print("%s: numpy cannot read %s" % (path, name))
            return found
    if path.endswith(".npy"):
        return {os.path.basename(path)[:-4]: numpy.load(path, allow_pickle=False)}
    return read_gguf(path)


def main():
    program, failed = sys.argv[1], 0
    for path in sys.argv[2:]:
        ours, theirs = listed(program, path), expected(path)
        values = 0
        for name, array in theirs.items():
            if name not in ours:
                print("%s: %s is not listed" % (path, name))
                failed = 1
                continue
            shape, numbers = ours[name]
            wanted = as_doubles(array)
            same = shape == array.shape and (numbers is None) == (wanted is None)
            if same and numbers is not None:
                same = numpy.array_equal(numpy.array(numbers), wanted, equal_nan=True)
                values += len(numbers)
            if not same:
                print("%s: %s differs: shape %r, numpy %r" % (path, name, shape, array.shape))
                failed = 1
        if not theirs or set(ours) - set(theirs) - {"float8_e5m2"}:
            print("%s: %d tensors, numpy has %d" % (path, len(ours), len(theirs)))
            failed = 1
        print("%s: %d tensors, %d values compared" % (path, len(theirs), values))
    return failed


sys.exit(main())
