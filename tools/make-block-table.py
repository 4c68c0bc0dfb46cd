#!/usr/bin/env python3
"""Writes tests/dump/data/blocks.txt: quantized blocks in hexadecimal, and the values that they stand for.

usage: make-block-table.py > tests/dump/data/blocks.txt

The way is the opposite of the program's: integers and scales are chosen, the values follow from them in exact
integers, and the block is packed from them. Values are in units of 2^-24, in which every scale (a binary16
number) is whole. A line "TYPE HEX", then a line of values.
"""

import random


def half(bits):
    """A finite binary16 number in units of 2^-24."""
    exponent, fraction = bits >> 10 & 31, bits & 1023
    assert exponent < 31
    size = fraction if exponent == 0 else (1024 + fraction) << (exponent - 1)
    return -size if bits >> 15 else size


def word(bits):
    return bits.to_bytes(2, "little")


class Block:
    """Bytes that bits are put into, one field at a time."""

    def __init__(self, size):
        self.data = bytearray(size)

    def put(self, byte, low, width, value):
        assert 0 <= value < 1 << width and low + width <= 8
        assert self.data[byte] >> low & ((1 << width) - 1) == 0
        self.data[byte] |= value << low

    def put_half(self, byte, bits):
        self.data[byte : byte + 2] = word(bits)


def small(kind, draw):
    d, m = draw.scale(), draw.scale()
    bits = {"Q4_0": 4, "Q4_1": 4, "Q5_0": 5, "Q5_1": 5, "Q8_0": 8}[kind]
    q = [draw.below(1 << bits) for _ in range(32)]
    has_minimum = kind.endswith("_1")
    head = 4 if has_minimum else 2
    fifth = 4 if bits == 5 else 0
    block = Block(head + fifth + (32 if bits == 8 else 16))
    block.put_half(0, d)
    if has_minimum:
        block.put_half(2, m)
    for i, value in enumerate(q):
        if bits == 8:
            block.put(head + i, 0, 8, value)
            continue
        block.put(head + fifth + i % 16, 4 * (i // 16), 4, value % 16)
        if fifth:
            block.put(head + i // 8, i % 8, 1, value // 16)
    if has_minimum:
        values = [half(d) * x + half(m) for x in q]
    elif bits == 8:
        values = [half(d) * (x - 256 if x > 127 else x) for x in q]
    else:
        values = [half(d) * (x - (1 << (bits - 1))) for x in q]
    return block.data, values


def q2(draw):
    d, m = draw.scale(), draw.scale()
    scales, minima = [draw.below(16) for _ in range(16)], [draw.below(16) for _ in range(16)]
    q = [draw.below(4) for _ in range(256)]
    block = Block(84)
    for g in range(16):
        block.put(g, 0, 4, scales[g])
        block.put(g, 4, 4, minima[g])
    place(block, 16, q, 2)
    block.put_half(80, d)
    block.put_half(82, m)
    return block.data, [half(d) * scales[i // 16] * x - half(m) * minima[i // 16] for i, x in enumerate(q)]


def place(block, start, q, width):
    """Runs of 32 values, as many on top of one another in 32 bytes as go into them."""
    planes = 8 // width
    for i, x in enumerate(q):
        run = i // 32
        block.put(start + 32 * (run // planes) + i % 32, width * (run % planes), width, x)


def q3(draw):
    d = draw.scale()
    scales = [draw.below(64) for _ in range(16)]
    q = [draw.below(8) for _ in range(256)]
    block = Block(110)
    place(block, 0, [x // 4 for x in q], 1)
    place(block, 32, [x % 4 for x in q], 2)
    for g in range(16):
        block.put(96 + g % 8, 4 * (g // 8), 4, scales[g] % 16)
        block.put(104 + g % 4, 2 * (g // 4), 2, scales[g] // 16)
    block.put_half(108, d)
    return block.data, [half(d) * (scales[i // 16] - 32) * (x - 4) for i, x in enumerate(q)]


def q4_q5(width, draw):
    d, m = draw.scale(), draw.scale()
    scales, minima = [draw.below(64) for _ in range(8)], [draw.below(64) for _ in range(8)]
    q = [draw.below(1 << width) for _ in range(256)]
    block = Block(144 if width == 4 else 176)
    block.put_half(0, d)
    block.put_half(2, m)
    for g in range(4):
        block.put(4 + g, 0, 6, scales[g])
        block.put(8 + g, 0, 6, minima[g])
        block.put(12 + g, 0, 4, scales[4 + g] % 16)
        block.put(4 + g, 6, 2, scales[4 + g] // 16)
        block.put(12 + g, 4, 4, minima[4 + g] % 16)
        block.put(8 + g, 6, 2, minima[4 + g] // 16)
    if width == 5:
        place(block, 16, [x // 16 for x in q], 1)
    place(block, 16 if width == 4 else 48, [x % 16 for x in q], 4)
    return block.data, [half(d) * scales[i // 32] * x - half(m) * minima[i // 32] for i, x in enumerate(q)]


def q6(draw):
    d = draw.scale()
    scales = [draw.below(256) for _ in range(16)]
    q = [draw.below(64) for _ in range(256)]
    block = Block(210)
    for i, x in enumerate(q):
        side, run, j = i // 128, i // 32 % 4, i % 32
        block.put(64 * side + 32 * (run % 2) + j, 4 * (run // 2), 4, x % 16)
        block.put(128 + 32 * side + j, 2 * run, 2, x // 16)
    for g in range(16):
        block.put(192 + g, 0, 8, scales[g])
    block.put_half(208, d)
    signed = [s - 256 if s > 127 else s for s in scales]
    return block.data, [half(d) * signed[i // 16] * (x - 32) for i, x in enumerate(q)]


class Draw:
    """Scales of every size, subnormal and negative ones too; integers often at their ends."""

    def __init__(self):
        self.source = random.Random(20250101)

    def scale(self):
        a, b = self.source.randrange(0x7C00), 0x8000 | self.source.randrange(0x7C00)
        return self.source.choice([a, b, 1, 0x7BFF])

    def below(self, n):
        return self.source.choice([0, n - 1, self.source.randrange(n), self.source.randrange(n)])


def main():
    draw = Draw()
    makers = [(k, lambda d, k=k: small(k, d)) for k in ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0")]
    makers += [("Q2_K", q2), ("Q3_K", q3), ("Q4_K", lambda d: q4_q5(4, d)), ("Q5_K", lambda d: q4_q5(5, d))]
    makers += [("Q6_K", q6)]
    for kind, make in makers:
        for _ in range(2 if kind.endswith("_K") else 4):
            data, values = make(draw)
            print(kind, data.hex())
            print(*values)


main()
