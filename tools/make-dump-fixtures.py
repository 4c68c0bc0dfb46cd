#!/usr/bin/env python3
"""Writes the small .npy, .npz, .zip and .gguf files under tests/dump/data and their fuzz seeds.

usage: make-dump-fixtures.py [SOURCE-TREE]

Nothing but Python's standard library, and every byte by hand where that library would not write it: zip64
fields, data descriptors, headers of all versions, big-endian GGUF. The same files each time. What they hold
is said again, independently, in tests/dump/test_zip.c, test_npy.c and test_gguf.c.
"""
import os
import struct
import sys
import zlib

# .npy ---------------------------------------------------------------------------------------------------


def npy(descr, shape, data, fortran=False, version=1, literal=None):
    """An array: `data` are the bytes of its elements, in the order of the file."""
    if literal is None:
        literal = "{'descr': '%s', 'fortran_order': %s, 'shape': %r, }" % (descr, fortran, tuple(shape))
    text = literal.encode("utf-8")
    width = 2 if version == 1 else 4
    text += b" " * (-(len(text) + 9 + width) % 16) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text + data


# One array for each type; the same small numbers wherever they fit.
SIGNED, UNSIGNED, REAL = [-2, 0, 100], [2, 0, 200], [-2.5, 0.0, 1.5]
TYPES = [("f2", "e", REAL), ("f4", "f", REAL), ("f8", "d", REAL), ("i1", "b", SIGNED), ("i2", "h", SIGNED),
         ("i4", "i", SIGNED), ("i8", "q", SIGNED), ("u1", "B", UNSIGNED), ("u2", "H", UNSIGNED),
         ("u4", "I", UNSIGNED), ("u8", "Q", UNSIGNED)]


def types():
    made = []
    for order, name in (("<", "little"), (">", "big")):
        for descr, code, values in TYPES:
            sign = "|" if descr[1] == "1" else order
            made.append(("%s/%s" % (name, descr),
                         npy(sign + descr, (3,), struct.pack(order + "3" + code, *values))))
        made.append((name + "/c8", npy(order + "c8", (2,), struct.pack(order + "4f", 1, -2, 0.5, 0))))
        made.append((name + "/c16", npy(order + "c16", (2,), struct.pack(order + "4d", 1, -2, 0.5, 0))))
    made.append(("bool", npy("|b1", (4,), bytes([1, 0, 0, 1]))))
    made.append(("bfloat16", npy("<V2", (3,), struct.pack("<3H", 0x3F80, 0xC000, 0x3E20))))
    made.append(("float8_e5m2", npy("<f1", (2,), bytes([0x3C, 0xC0]))))
    made.append(("native", npy("=i2", (2,), struct.pack("=2h", 257, -1))))
    made.append(("text", npy("<U3", (2,), "ab\0xyz".encode("utf-32-le"))))
    made.append(("date", npy("<M8[ns]", (1,), bytes(8))))
    made.append(("raw", npy("|V5", (2,), bytes(10))))
    made.append(("empty", npy("<f4", (0, 3), b"")))
    made.append(("number", npy("<f8", (), struct.pack("<d", 7.25))))
    made.append(("python2", npy("<i4", (), struct.pack("<2i", 5, -5),
                                literal='{"shape": (2L,), "fortran_order": False, "descr": "<i4"}')))
    return made


# zip ----------------------------------------------------------------------------------------------------

PLAIN, WIDE = "plain", "wide"
ALL = 0xFFFFFFFF


def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def archive(members, wide=False, descriptor=None, comment=b"", pad=False):
    """A zip archive. members: (name, data, deflated). wide: every number that can be is in a zip64 field.
    descriptor: None, or (signature?, wide?): sizes and checksum only behind the data. pad: an extra field of
    another kind comes first, as torch writes to align data."""
    body, directory = b"", b""
    for name, data, deflated in members:
        name = name.encode("utf-8")
        method, packed = (8, deflate(data)) if deflated else (0, data)
        checksum, where = zlib.crc32(data), len(body)
        flags = 8 if descriptor else 0
        local = (0, 0, 0) if descriptor else (checksum, len(packed), len(data))
        extra = struct.pack("<2sH", b"FB", 6) + b"Z" * 6 if pad else b""
        if wide:
            extra += struct.pack("<2H2Q", 1, 16, local[2], local[1])
            local = (local[0], ALL, ALL)
        version = 45 if wide else 20
        body += struct.pack("<4s5H3L2H", b"PK\3\4", version, flags, method, 0, 33, *local, len(name),
                            len(extra)) + name + extra + packed
        if descriptor:
            signature, long = descriptor
            body += b"PK\7\x08" if signature else b""
            body += struct.pack("<L2Q" if long else "<3L", checksum, len(packed), len(data))
        extra = struct.pack("<2H4s", 0x5455, 4, b"time") if pad else b""
        sizes = (len(packed), len(data), where)
        if wide:
            extra += struct.pack("<2H3Q", 1, 24, len(data), len(packed), where)
            sizes = (ALL, ALL, ALL)
        directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", version, version, flags, method, 0, 33, checksum,
                                 sizes[0], sizes[1], len(name), len(extra), 0, 0, 0, 0, sizes[2])
        directory += name + extra
    start, count, size = len(body), len(members), len(directory)
    end = b""
    if wide:
        end += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
        end += struct.pack("<4sLQL", b"PK\6\7", 0, start + size, 1)
        count, size, start = 0xFFFF, ALL, ALL
    end += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, size, start, len(comment))
    return body + directory + end + comment


def npz(arrays, deflated=False, **how):
    return archive([(name + ".npy", data, deflated) for name, data in arrays], **how)


# GGUF ---------------------------------------------------------------------------------------------------

F32, F16, Q4_0, Q8_0, IQ4_NL, I8, I16, I32, I64, F64, BF16 = 0, 1, 2, 8, 20, 24, 25, 26, 27, 28, 30
SCALARS = ["B", "b", "H", "h", "I", "i", "f", "?", None, None, "Q", "q", "d"]


class Gguf:
    def __init__(self, order, version):
        self.order, self.version = order, version
        self.keys, self.tensors, self.alignment = [], [], 32

    def pack(self, code, *values):
        return struct.pack(self.order + code, *values)

    def string(self, value):
        value = value if isinstance(value, bytes) else value.encode("utf-8")
        return self.pack("Q", len(value)) + value

    def value(self, kind, value):
        """A value without its type; an array is (type of elements, list)."""
        if kind == 8:
            return self.string(value)
        if kind == 9:
            inner, items = value
            return self.pack("IQ", inner, len(items)) + b"".join(self.value(inner, item) for item in items)
        return self.pack(SCALARS[kind], value)

    def key(self, name, kind, value):
        self.keys.append(self.string(name) + self.pack("I", kind) + self.value(kind, value))
        if name == "general.alignment":
            self.alignment = value

    def tensor(self, name, kind, fastest_first, data):
        self.tensors.append((name, kind, fastest_first, data))

    def file(self):
        infos, data = b"", b""
        for name, kind, shape, values in self.tensors:
            data += bytes(-len(data) % self.alignment)
            infos += self.string(name) + self.pack("I%dQIQ" % len(shape), len(shape), *shape, kind, len(data))
            data += values
        head = b"GGUF" + self.pack("IQQ", self.version, len(self.tensors), len(self.keys))
        head += b"".join(self.keys) + infos
        return head + bytes(-len(head) % self.alignment) + data


def gguf(order="<", version=3, alignment=None):
    g = Gguf(order, version)
    g.key("general.architecture", 8, "mamba")
    if alignment:
        g.key("general.alignment", 4, alignment)
    for kind, value in ((0, 200), (1, -100), (2, 60000), (3, -30000), (4, 4000000000), (5, -2000000000),
                        (6, 0.1), (7, True), (10, 2**64 - 1), (11, -2**63), (12, 0.1)):
        g.key("value.%d" % kind, kind, value)
    g.key("text", 8, "two\nlines")
    g.key("bytes", 8, b"a\xff\0b")
    g.key("short", 9, (5, [1, -2, 3]))
    g.key("strings", 9, (8, ["one", "tw\"o"]))
    g.key("long", 9, (6, [0.5] * 20))
    g.key("tokens", 9, (8, ["<%d>" % i for i in range(17)]))
    g.key("nested", 9, (9, [(9, [(0, [1, 2]), (8, ["x"])]), (4, [])]))
    g.key("none", 9, (4, []))
    g.tensor("blk.0.ssm_a", F32, (2, 3), g.pack("6f", *[i + 0.5 for i in range(6)]))
    g.tensor("half", F16, (3,), g.pack("3e", 1.5, -2, 0.25))
    g.tensor("brain", BF16, (2,), g.pack("2H", 0x3F80, 0xC000))
    g.tensor("double", F64, (2, 1, 1, 2), g.pack("4d", 1, 2, 3, 0.1))
    g.tensor("i8", I8, (3,), g.pack("3b", -2, 0, 100))
    g.tensor("i16", I16, (3,), g.pack("3h", -2, 0, 100))
    g.tensor("i32", I32, (3,), g.pack("3i", -2, 0, 100))
    g.tensor("i64", I64, (3,), g.pack("3q", -2, 0, 100))
    # Two rows of one block each: scale, then 32 signed bytes.
    g.tensor("q8", Q8_0, (32, 2), g.pack("e32b", 0.5, *range(-16, 16)) + g.pack("e32b", -2, *range(32)))
    g.tensor("iq4", IQ4_NL, (32,), bytes(18))
    g.tensor("new", 77, (5,), bytes(7))
    g.tensor("one", F32, (), g.pack("f", 3))
    g.tensor("none", F32, (0, 4), b"")
    return g.file()


def gguf_small():
    g = Gguf("<", 3)
    g.key("general.alignment", 4, 8)
    g.key("k", 9, (8, ["s"]))
    g.tensor("a", F32, (2, 1), g.pack("2f", 1, 2))
    g.tensor("b", F32, (1,), g.pack("f", 3))
    return g.file()


def gguf_part(number):
    g = Gguf("<", 3)
    g.key("split.no", 2, number)
    g.key("split.count", 2, 2)
    g.key("split.tensors.count", 5, 3)
    if number == 0:
        g.key("general.architecture", 8, "mamba")
        g.tensor("first", F32, (2,), g.pack("2f", 1, 2))
    else:
        g.tensor("second", F32, (1,), g.pack("f", 3))
        g.tensor("third", F16, (1,), g.pack("e", 4))
    return g.file()


# --------------------------------------------------------------------------------------------------------


def files():
    six = [i + 0.5 for i in range(6)]
    a = npy("<f4", (2, 3), struct.pack("<6f", *six))
    b = npy(">f8", (3, 2), struct.pack(">6d", *six), fortran=True, version=2)
    c = npy("<i2", (2, 2, 2), struct.pack("<8h", *range(8)), fortran=True, version=3)
    two = [("a", a), ("folder/b", b)]
    text = [("a", b"hello", False), ("b", b"x" * 2000, True), ("folder/", b"", False),
            ("folder/c", b"the end", False)]
    yield "a.npy", a
    yield "b.npy", b
    yield "c.npy", c
    yield "types.npz", npz(types())
    yield "types-deflated.npz", npz(types(), deflated=True, descriptor=(True, False))
    yield "two.npz", npz(two)
    yield "two-deflated.npz", npz(two, deflated=True)
    yield "two-zip64.npz", npz(two, wide=True, comment=b"a comment", pad=True)
    yield "text.zip", archive(text)
    yield "text-zip64.zip", archive(text, wide=True, pad=True)
    for signature in (False, True):
        for wide in (False, True):
            yield ("text-streamed-%s%s.zip" % ("signed" if signature else "bare", "-wide" if wide else ""),
                   archive(text, wide=wide, descriptor=(signature, wide)))
    yield "small.gguf", gguf_small()
    yield "v2.gguf", gguf(version=2)
    yield "v3.gguf", gguf(alignment=64)
    yield "v3-big.gguf", gguf(order=">")
    yield "part-00001-of-00002.gguf", gguf_part(0)
    yield "part-00002-of-00002.gguf", gguf_part(1)


SEEDS = {"a.npy": "small.npy", "b.npy": "fortran.npy", "two.npz": "small.npz",
         "two-deflated.npz": "deflated.npz", "two-zip64.npz": "zip64.npz",
         "small.gguf": "small.gguf", "v3-big.gguf": "big.gguf"}


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    folder = os.path.join(top, "tests", "dump", "data")
    os.makedirs(folder, exist_ok=True)
    for name, data in files():
        places = [os.path.join(folder, name)]
        if name in SEEDS:
            places.append(os.path.join(top, "tests", "fuzz", "seeds", SEEDS[name]))
        for place in places:
            with open(place, "wb") as out:
                out.write(data)


if __name__ == "__main__":
    main()
