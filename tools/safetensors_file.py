"""Writes a safetensors file of F32 tensors, with metadata: for the scripts beside this one that train models."""

import json
import struct

import torch


def write_safetensors(path, tensors, metadata):
    header, data, offset = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        values = tensor.detach().to(torch.float32).contiguous().flatten().tolist()
        raw = struct.pack("<%df" % len(values), *values)
        place = [offset, offset + len(raw)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": place}
        offset += len(raw)
        data.append(raw)
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        file.write(b"".join(data))
