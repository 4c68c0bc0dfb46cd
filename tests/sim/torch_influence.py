"""Jacobians by PyTorch's automatic differentiation in float64, and the adjoints of the simulator, must agree.

usage: torch_influence.py RUN_INFLUENCE FOLDER

The blocks are those of torch_agree.py. For every pair of tokens s <= t the Frobenius norm of dy_t/dx_s is compared, of the
whole model and, where a layer adds its mixer and nothing else, of each mixer: relative error below 1e-10 wherever it is above
1e-100."""

import json
import os
import struct
import subprocess
import sys

import torch
from torch_agree import (draw, gelu, layer_norm, lru_scan, make_lru, make_mamba1, make_mamba2, make_rwkv4, make_s4d, mamba1,
                         mamba2, matrix, rms, rwkv4, s4d, write_safetensors)

LIMIT = 1e-10


def jacobian_norms(function, x):
    """[T, T] of |dy_t/dx_s|, and 0 for s > t."""
    j = torch.autograd.functional.jacobian(function, x)
    return torch.sqrt((j * j).sum((1, 3)))


def compare(program, name, path, x, layers, final, mixers=True):
    vectors = os.path.join(os.path.dirname(path) if os.path.isfile(path) else path, "vectors")
    with open(vectors, "wb") as f:
        f.write(struct.pack("=%dd" % x.numel(), *x.flatten().tolist()))
    done = subprocess.run([program, path, vectors], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit("torch_influence: %s: %s" % (name, done.stderr))
    found = {}
    for line in done.stdout.splitlines():
        what, t, s, norm = line.split()
        found.setdefault(what, {})[int(t), int(s)] = float.fromhex(norm)

    def whole(y):
        for layer in layers:
            y = layer(y)
        return final(y)

    expected, y = {"model": jacobian_norms(whole, x)}, x
    for i, layer in enumerate(layers):
        if mixers:
            expected[str(i)] = jacobian_norms(lambda z, layer=layer: layer(z) - z, y)
        y = layer(y).detach()
    worst, pairs = 0.0, 0
    for what, norms in expected.items():
        if len(found[what]) != x.shape[0] * (x.shape[0] + 1) // 2:
            sys.exit("torch_influence: %s: %d pairs" % (name, len(found[what])))
        for (t, s), norm in found[what].items():
            e = norms[t, s].item()
            # a difference of two doubles of size 1 (layer(x) - x at s = t) is not good to more
            error = abs(norm - e) / e if e > 1e-100 else 0.0
            if not error < LIMIT:
                sys.exit("torch_influence: %s: %s at t = %d, s = %d: %.17g, not %.17g" % (name, what, t, s, norm, e))
            worst, pairs = max(worst, error), pairs + 1
    print("%-28s %.2g over %d pairs" % (name, worst, pairs))
    return worst


def main():
    torch.manual_seed(2)
    program, folder = sys.argv[1], sys.argv[2]
    at = lambda name: os.path.join(folder, name)
    worst = []

    m, d, n, r = 6, 10, 3, 2
    t = {"backbone.embedding.weight": draw(5, m), "backbone.norm_f.weight": 1 + draw(m, scale=0.1)}
    for i in range(2):
        t.update(make_mamba1("backbone.layers.%d." % i, m, d, n, r, biases=True))
    write_safetensors(at("mamba1.safetensors"), t)
    worst.append(compare(program, "Mamba-1", at("mamba1.safetensors"), draw(18, m),
                         [lambda x, i=i: mamba1(t, "backbone.layers.%d." % i, x) for i in range(2)],
                         lambda x: rms(x, t["backbone.norm_f.weight"])))

    l = make_mamba1("layers.0.", m, d, n, r, w=2, norm_bias=True)
    write_safetensors(at("layernorm.safetensors"), l)
    worst.append(compare(program, "Mamba-1, LayerNorm", at("layernorm.safetensors"), draw(12, m),
                         [lambda x: mamba1(l, "layers.0.", x)], lambda x: x))

    t2 = {"backbone.norm_f.weight": 1 + draw(m, scale=0.1)}
    for i in range(2):
        t2.update(make_mamba2("backbone.layers.%d." % i, m, 4, 2, 3, 2))
    os.mkdir(at("mamba2"))
    write_safetensors(at("mamba2/model.safetensors"), t2)
    with open(at("mamba2/config.json"), "w") as f:
        json.dump({"n_groups": 2}, f)
    worst.append(compare(program, "Mamba-2", at("mamba2"), draw(14, m),
                         [lambda x, i=i: mamba2(t2, "backbone.layers.%d." % i, x, 2) for i in range(2)],
                         lambda x: rms(x, t2["backbone.norm_f.weight"])))

    s = {}
    for i in range(2):
        s.update(make_s4d("s4_layers.%d." % i, m, n))
        s["norms.%d.weight" % i] = 1 + draw(m, scale=0.1)
        s["norms.%d.bias" % i] = draw(m, scale=0.1)
    write_safetensors(at("s4d.safetensors"), s)
    norm = lambda x, i: layer_norm(x, s["norms.%d.weight" % i], s["norms.%d.bias" % i])
    worst.append(compare(program, "S4D", at("s4d.safetensors"), draw(14, m),
                         [lambda x, i=i: norm(x + s4d(s, "s4_layers.%d." % i, x), i) for i in range(2)], lambda x: x, False))

    u = make_lru("blocks.0.lru.", m, n)
    u.update({"blocks.0.lru.B": torch.complex(draw(n, m), draw(n, m)), "blocks.0.lru.C": torch.complex(draw(m, n), draw(m, n)),
              "blocks.0.lru.D": matrix(m, m), "blocks.0.ff.output_linear.0.weight": matrix(2 * m, m),
              "blocks.0.ff.output_linear.0.bias": draw(2 * m), "blocks.0.ln.weight": torch.ones(m)})

    def delayed(x):
        p = "blocks.0.lru."
        y = gelu(lru_scan(u, p, x, u[p + "B"], u[p + "C"], delayed=True) + x @ u[p + "D"].T)
        y = y @ u["blocks.0.ff.output_linear.0.weight"].T + u["blocks.0.ff.output_linear.0.bias"]
        return x + y[:, :m] * torch.sigmoid(y[:, m:])

    torch.save(u, at("lru-delayed.pt"))
    worst.append(compare(program, "LRU, read before its update", at("lru-delayed.pt"), draw(14, m), [delayed], lambda x: x))

    w = {"ln_out.weight": 1 + draw(m, scale=0.1), "ln_out.bias": draw(m, scale=0.1)}
    for i in range(2):
        w.update(make_rwkv4("blocks.%d." % i, m, 8, 7, i == 0))
    write_safetensors(at("rwkv4.safetensors"), w)
    worst.append(compare(program, "RWKV-4", at("rwkv4.safetensors"), draw(14, m),
                         [lambda x, i=i: rwkv4(w, "blocks.%d." % i, x) for i in range(2)],
                         lambda x: layer_norm(x, w["ln_out.weight"], w["ln_out.bias"]), False))
    print("torch_influence: %d models, the largest error %.2g" % (len(worst), max(worst)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
