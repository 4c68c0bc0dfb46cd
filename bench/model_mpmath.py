"""model_mpmath.py FILE CHANNELS: exp(Delta a) + Delta <= 1 with mpmath's intervals, 53 bits, for the first CHANNELS
channels of the first layer of a file that bench/model.c made. Prints the seconds of processor time for one entry.

The step is computed once for each channel, and everything that is read is read before the clock starts."""

import json
import struct
import sys
import time

from mpmath import iv


def read(path, channels):
    with open(path, "rb") as f:
        (length,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(length))
        numbers = []
        for name in ("A_log", "dt_proj.bias"):
            tensor = header["backbone.layers.0.mixer." + name]
            count = channels * (tensor["shape"] + [1])[1]
            f.seek(8 + length + tensor["data_offsets"][0])
            numbers.append(struct.unpack(f"<{count}f", f.read(4 * count)))
    return numbers


def main():
    channels = int(sys.argv[2])
    a_log, bias = read(sys.argv[1], channels)
    states = len(a_log) // channels
    count = [0, 0, 0]
    start = time.process_time()
    for c in range(channels):
        delta = iv.log(1 + iv.exp(iv.mpf(bias[c])))
        for n in range(states):
            a = -iv.exp(iv.mpf(a_log[c * states + n]))
            holds = iv.exp(delta * a) + delta <= 1
            count[2 if holds is None else int(holds)] += 1
    seconds = time.process_time() - start
    if sum(count) != channels * states:
        sys.exit("not all entries were looked at")
    print(f"{seconds / (channels * states):.3e}")


main()
