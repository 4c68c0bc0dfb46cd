"""Models with random weights, run by PyTorch in float64 and by the simulator, must agree.

usage: torch_agree.py RUN_NET FOLDER
       torch_agree.py --fixtures FOLDER     writes the small models of tests/sim/data, and what torch makes of an input

Each kind of block is written out here once more, from the equations of its paper, a token at a time where it recurs. The
files are written to FOLDER (safetensors F64, or torch.save). Of every array that run_net prints (the residual stream behind
each layer, the hidden states, the logits) the error is max |ours - torch's| / max |torch's|, and must be below 1e-12."""

import json
import math
import os
import struct
import subprocess
import sys

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
LIMIT = 1e-12


# ---- files ----

def write_safetensors(path, tensors):
    header, data, at = {}, [], 0
    for name, x in tensors.items():
        raw = struct.pack("<%dd" % x.numel(), *x.flatten().tolist())
        header[name] = {"dtype": "F64", "shape": list(x.shape), "data_offsets": [at, at + len(raw)]}
        at += len(raw)
        data.append(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def run(program, path, tokens=None, vectors=None):
    """What run_net prints: {"layer 0": [T, M], ..., "hidden": ..., "logits": ...}, pieces put together."""
    if vectors is None:
        words = [program, path, "tokens"] + [str(int(t)) for t in tokens]
    else:
        with open(path + ".input" if os.path.isfile(path) else os.path.join(path, "input"), "wb") as f:
            f.write(struct.pack("=%dd" % vectors.numel(), *vectors.flatten().tolist()))
        words = [program, path, "vectors", f.name]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit("torch_agree: %s: %s" % (path, done.stderr))
    out, name, width = {}, None, 0
    for line in done.stdout.splitlines():
        word = line.split()
        if word[0] in ("layer", "hidden", "logits"):
            name = " ".join(word[:-2])
            width = int(word[-1])
            out.setdefault(name, (width, []))
        else:
            out[name][1].append(float.fromhex(word[0]))
    return {name: torch.tensor(x).reshape(-1, width) for name, (width, x) in out.items()}


# ---- parts ----

def draw(*shape, scale=1.0):
    return torch.randn(*shape) * scale


def matrix(rows, columns):
    return draw(rows, columns, scale=columns ** -0.5)


def rms(x, weight, epsilon=1e-5):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * weight


def layer_norm(x, weight, bias, epsilon=1e-5):
    m = x.mean(-1, keepdim=True)
    v = ((x - m) ** 2).mean(-1, keepdim=True)
    return (x - m) / torch.sqrt(v + epsilon) * weight + bias


def silu(x):
    return x * torch.sigmoid(x)


def softplus(x):
    return torch.log1p(torch.exp(-x.abs())) + x.clamp(min=0)


def conv(x, weight, bias):
    """x [T, C], weight [C, W]: y_t = bias + sum over k of weight[:, W-1-k] x_{t-k}."""
    y = bias.expand_as(x).clone()
    width = weight.shape[1]
    for k in range(width):
        y[k:] += weight[:, width - 1 - k] * x[:x.shape[0] - k]
    return y


# ---- Mamba-1 ----

def make_mamba1(p, m, d, n, r, w=4, norm_bias=False, biases=False, extra=0):
    t = {
        "norm.weight": 1 + draw(m, scale=0.1),
        "mixer.A_log": torch.log(torch.arange(1.0, n + 1)).repeat(d, 1) + draw(d, n, scale=0.3),
        "mixer.D": draw(d),
        "mixer.in_proj.weight": matrix(2 * d, m),
        "mixer.conv1d.weight": draw(d, 1, w, scale=0.5),
        "mixer.conv1d.bias": draw(d, scale=0.2),
        "mixer.x_proj.weight": matrix(r + 2 * (n + extra), d),
        "mixer.dt_proj.weight": matrix(d, r),
        "mixer.dt_proj.bias": draw(d) - 2,
        "mixer.out_proj.weight": matrix(m, d),
    }
    if norm_bias:
        t["norm.bias"] = draw(m, scale=0.1)
    if biases:
        t["mixer.in_proj.bias"] = draw(2 * d, scale=0.1)
        t["mixer.out_proj.bias"] = draw(m, scale=0.1)
    return {p + k: v for k, v in t.items()}


def mamba1(t, p, x, polar=False):
    g = lambda name: t.get(p + name)
    d, w = g("mixer.conv1d.weight").shape[0], g("mixer.conv1d.weight").shape[-1]
    r = g("mixer.dt_proj.weight").shape[1]
    u = rms(x, g("norm.weight")) if g("norm.bias") is None else layer_norm(x, g("norm.weight"), g("norm.bias"))
    uz = u @ g("mixer.in_proj.weight").reshape(2 * d, -1).T
    if g("mixer.in_proj.bias") is not None:
        uz = uz + g("mixer.in_proj.bias")
    u, z = uz[:, :d], uz[:, d:]
    u = silu(conv(u, g("mixer.conv1d.weight").reshape(d, w), g("mixer.conv1d.bias")))
    s = u @ g("mixer.x_proj.weight").T
    a = -torch.exp(g("mixer.A_log"))
    if polar:
        a = torch.cat([torch.zeros(d, 1), a, torch.full((d, 1), -1000.0)], 1)
    n = a.shape[1]
    step = softplus(s[:, :r] @ g("mixer.dt_proj.weight").T + g("mixer.dt_proj.bias"))
    h, ys = torch.zeros(d, n), []
    for i in range(x.shape[0]):
        h = torch.exp(step[i][:, None] * a) * h + step[i][:, None] * s[i, r:r + n][None, :] * u[i][:, None]
        ys.append(h @ s[i, r + n:])
    y = (torch.stack(ys) + g("mixer.D") * u) * silu(z)
    out = y @ g("mixer.out_proj.weight").reshape(-1, d).T
    if g("mixer.out_proj.bias") is not None:
        out = out + g("mixer.out_proj.bias")
    return x + out


# ---- Mamba-2 ----

def make_mamba2(p, m, heads, each, n, groups, w=4):
    e, c = heads * each, heads * each + 2 * groups * n
    t = {
        "norm.weight": 1 + draw(m, scale=0.1),
        "mixer.A_log": draw(heads, scale=0.7),
        "mixer.dt_bias": draw(heads) - 1,
        "mixer.D": draw(heads),
        "mixer.in_proj.weight": matrix(e + c + heads, m),
        "mixer.conv1d.weight": draw(c, 1, w, scale=0.5),
        "mixer.conv1d.bias": draw(c, scale=0.2),
        "mixer.norm.weight": 1 + draw(e, scale=0.1),
        "mixer.out_proj.weight": matrix(m, e),
    }
    return {p + k: v for k, v in t.items()}


def mamba2(t, p, x, groups=1, epsilon=1e-5):
    g = lambda name: t[p + name]
    heads, e = g("mixer.A_log").shape[0], g("mixer.norm.weight").shape[0]
    each, c = e // heads, g("mixer.conv1d.weight").shape[0]
    n = (c - e) // (2 * groups)
    q = rms(x, g("norm.weight"), epsilon) @ g("mixer.in_proj.weight").T
    z, q, dt = q[:, :e], q[:, e:e + c], q[:, e + c:]
    q = silu(conv(q, g("mixer.conv1d.weight").reshape(c, -1), g("mixer.conv1d.bias")))
    u = q[:, :e].reshape(-1, heads, each)
    b, cc = q[:, e:e + groups * n].reshape(-1, groups, n), q[:, e + groups * n:].reshape(-1, groups, n)
    b, cc = b.repeat_interleave(heads // groups, 1), cc.repeat_interleave(heads // groups, 1)
    step, a = softplus(dt + g("mixer.dt_bias")), -torch.exp(g("mixer.A_log"))
    h, ys = torch.zeros(heads, each, n), []
    for i in range(x.shape[0]):
        h = torch.exp(step[i] * a)[:, None, None] * h + torch.einsum("h,hn,hp->hpn", step[i], b[i], u[i])
        ys.append(torch.einsum("hpn,hn->hp", h, cc[i]) + g("mixer.D")[:, None] * u[i])
    y = torch.stack(ys).reshape(-1, e) * silu(z)
    y = rms(y.reshape(-1, groups, e // groups), torch.ones(e // groups), epsilon).reshape(-1, e) * g("mixer.norm.weight")
    return x + y @ g("mixer.out_proj.weight").T


# ---- S4D ----

def make_s4d(p, m, n, gate=True, real=False):
    t = {
        "kernel.log_A_real": draw(m, n, scale=0.5) - 0.7,
        "kernel.log_dt": draw(m, scale=0.5) - 3,
        "D": draw(m),
    }
    if real:
        t["kernel.C"] = draw(m, n)
    else:
        t["kernel.A_imag"] = math.pi * torch.arange(n).repeat(m, 1) + draw(m, n, scale=0.1)
        t["kernel.C"] = draw(m, n, 2)
    if gate:
        t["output_linear.0.weight"] = matrix(2 * m, m).reshape(2 * m, m, 1)
        t["output_linear.0.bias"] = draw(2 * m, scale=0.1)
    else:
        t["output_linear.weight"] = matrix(m, m)
        t["output_linear.bias"] = draw(m, scale=0.1)
    return {p + k: v for k, v in t.items()}


def s4d(t, p, u):
    """The convolution with the kernel sum over n of C (exp(dt A) - 1)/A exp(dt A l), no recurrence."""
    g = lambda name: t.get(p + name)
    step, c = torch.exp(g("kernel.log_dt"))[:, None], g("kernel.C")
    a = -torch.exp(g("kernel.log_A_real"))
    real = g("kernel.A_imag") is None
    if not real:
        a = torch.complex(a, g("kernel.A_imag"))
        c = torch.view_as_complex(c)
    length = u.shape[0]
    times = torch.arange(length)[:, None, None]
    kernel = (c * (torch.exp(step * a) - 1) / a * torch.exp(times * (step * a))).sum(-1)
    kernel = kernel if real else 2 * kernel.real
    y = torch.stack([(kernel[:i + 1].flip(0) * u[:i + 1]).sum(0) for i in range(length)]) + g("D") * u
    y = 0.5 * y * (1 + torch.erf(y / math.sqrt(2)))
    if g("output_linear.weight") is not None:
        return y @ g("output_linear.weight").T + g("output_linear.bias")
    m = u.shape[1]
    y = y @ g("output_linear.0.weight").reshape(2 * m, m).T + g("output_linear.0.bias")
    return y[:, :m] * torch.sigmoid(y[:, m:])


# ---- LRU ----

def lru_scan(t, p, u, b, c, delayed=False):
    lam = torch.exp(torch.complex(-torch.exp(t[p + "nu_log"]), torch.exp(t[p + "theta_log"])))
    drive = u.to(torch.complex128) @ (torch.exp(t[p + "gamma_log"])[:, None] * b).T
    h, ys = torch.zeros(lam.shape[0], dtype=torch.complex128), []
    for i in range(u.shape[0]):
        before, h = h, lam * h + drive[i]
        ys.append((c @ (before if delayed else h)).real)
    return torch.stack(ys)


def make_lru(p, m, n):
    t = {"nu_log": draw(n, scale=0.5) - 2, "theta_log": draw(n), "gamma_log": draw(n, scale=0.3) - 1}
    return {p + k: v for k, v in t.items()}


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


# ---- RWKV-4 ----

def make_rwkv4(p, m, d, f, first):
    t = {
        "ln1.weight": 1 + draw(m, scale=0.1), "ln1.bias": draw(m, scale=0.1),
        "ln2.weight": 1 + draw(m, scale=0.1), "ln2.bias": draw(m, scale=0.1),
        "att.time_decay": draw(d), "att.time_first": draw(d),
        "att.time_mix_k": torch.rand(1, 1, m), "att.time_mix_v": torch.rand(1, 1, m),
        "att.time_mix_r": torch.rand(1, 1, m),
        "att.key.weight": 2 * matrix(d, m), "att.value.weight": matrix(d, m), "att.receptance.weight": matrix(d, m),
        "att.output.weight": matrix(m, d),
        "ffn.time_mix_k": torch.rand(1, 1, m), "ffn.time_mix_r": torch.rand(1, 1, m),
        "ffn.key.weight": matrix(f, m), "ffn.value.weight": matrix(m, f), "ffn.receptance.weight": matrix(m, m),
    }
    if first:
        t["ln0.weight"] = 1 + draw(m, scale=0.1)
        t["ln0.bias"] = draw(m, scale=0.1)
    return {p + k: v for k, v in t.items()}


def rwkv4(t, p, x):
    """wkv as the quotient of two sums, whose terms are all there: no running maximum."""
    g = lambda name: t[p + name].flatten() if "mix" in name else t[p + name]
    behind = lambda u: torch.cat([torch.zeros(1, u.shape[1]), u[:-1]])
    mixed = lambda u, mix: u * mix + behind(u) * (1 - mix)
    u = layer_norm(x, g("ln1.weight"), g("ln1.bias"))
    k = mixed(u, g("att.time_mix_k")) @ g("att.key.weight").T
    v = mixed(u, g("att.time_mix_v")) @ g("att.value.weight").T
    r = mixed(u, g("att.time_mix_r")) @ g("att.receptance.weight").T
    w, bonus, ys = -torch.exp(g("att.time_decay")), g("att.time_first"), []
    for i in range(x.shape[0]):
        past = torch.arange(i - 1, -1, -1)[:, None] * w + k[:i]
        weight = torch.exp(torch.cat([past, (bonus + k[i])[None]]))
        ys.append((weight * v[:i + 1]).sum(0) / weight.sum(0))
    x = x + (torch.sigmoid(r) * torch.stack(ys)) @ g("att.output.weight").T
    u = layer_norm(x, g("ln2.weight"), g("ln2.bias"))
    k = torch.relu(mixed(u, g("ffn.time_mix_k")) @ g("ffn.key.weight").T) ** 2
    r = torch.sigmoid(mixed(u, g("ffn.time_mix_r")) @ g("ffn.receptance.weight").T)
    return x + r * (k @ g("ffn.value.weight").T)


# ---- whole models ----

class Trial:
    def __init__(self, program, folder):
        self.program, self.folder, self.worst, self.count = program, folder, 0.0, 0

    def compare(self, name, path, x, layers, final, head, tokens=None):
        """`layers`: functions of the residual stream; x: what enters the first."""
        expected, vectors = {}, x
        for i, layer in enumerate(layers):
            x = layer(x)
            expected["layer %d" % i] = x
        expected["hidden"] = final(x)
        if head is not None:
            expected["logits"] = expected["hidden"] @ head.T
        found = run(self.program, path, tokens, None if tokens is not None else vectors)
        if sorted(found) != sorted(expected):
            sys.exit("torch_agree: %s: arrays %s, expected %s" % (name, sorted(found), sorted(expected)))
        worst = 0.0
        for key, y in expected.items():
            if found[key].shape != y.shape:
                sys.exit("torch_agree: %s: %s has the shape %s" % (name, key, tuple(found[key].shape)))
            error = ((found[key] - y).abs().max() / y.abs().max()).item()
            if not error < LIMIT:
                sys.exit("torch_agree: %s: %s is off by %.3g" % (name, key, error))
            worst = max(worst, error)
        print("%-28s %.2g" % (name, worst))
        self.worst, self.count = max(self.worst, worst), self.count + 1

    def path(self, name):
        return os.path.join(self.folder, name)


def mamba1_models(trial):
    m, d, n, r, v = 24, 40, 7, 3, 19
    tokens = torch.randint(v, (150,))
    t = {"backbone.embedding.weight": draw(v, m), "backbone.norm_f.weight": 1 + draw(m, scale=0.1)}
    for i in range(3):
        t.update(make_mamba1("backbone.layers.%d." % i, m, d, n, r))
    layers = [lambda x, i=i: mamba1(t, "backbone.layers.%d." % i, x) for i in range(3)]
    path = trial.path("mamba1.safetensors")
    write_safetensors(path, t)
    embedding, final = t["backbone.embedding.weight"], lambda x: rms(x, t["backbone.norm_f.weight"])
    trial.compare("Mamba-1, tied head", path, embedding[tokens], layers, final, embedding, tokens)
    t["lm_head.weight"] = matrix(v, m)
    path = trial.path("mamba1-head.pt")
    torch.save(t, path)
    trial.compare("Mamba-1, own head", path, embedding[tokens], layers, final, t["lm_head.weight"], tokens)

    t = make_mamba1("layers.0.", m, d, n, r, norm_bias=True, biases=True)
    t.update(make_mamba1("layers.1.", m, d, n, r, w=2, norm_bias=True))
    path = trial.path("mamba1-layernorm.safetensors")
    write_safetensors(path, t)
    layers = [lambda x, i=i: mamba1(t, "layers.%d." % i, x) for i in range(2)]
    trial.compare("Mamba-1, LayerNorm, biases", path, draw(70, m), layers, lambda x: x, None)

    t = make_mamba1("layers.0.", m, d, n, r)
    stored = {k.replace("_proj.weight", "_proj.conv.weight"): v for k, v in t.items() if "_proj.weight" in k}
    stored = {k: v[:, :, None] for k, v in stored.items()}
    stored.update({k: v for k, v in t.items() if "_proj.weight" not in k})
    path = trial.path("mamba1-conv.safetensors")
    write_safetensors(path, stored)
    trial.compare("Mamba-1, 1x1 convolutions", path, draw(9, m), [lambda x: mamba1(t, "layers.0.", x)], lambda x: x, None)

    t = make_mamba1("layers.0.", m, d, n, r, extra=2)
    path = trial.path("mamba1-polarized.safetensors")
    write_safetensors(path, t)
    trial.compare("Mamba-1, polarized", path, draw(80, m), [lambda x: mamba1(t, "layers.0.", x, polar=True)],
                  lambda x: x, None)

    t = make_mamba1("blk.0.", m, d, n, r)
    names = {"norm.weight": "attn_norm.weight", "mixer.A_log": "ssm_a", "mixer.D": "ssm_d",
             "mixer.in_proj.weight": "ssm_in.weight", "mixer.conv1d.weight": "ssm_conv1d.weight",
             "mixer.conv1d.bias": "ssm_conv1d.bias", "mixer.x_proj.weight": "ssm_x.weight",
             "mixer.dt_proj.weight": "ssm_dt.weight", "mixer.dt_proj.bias": "ssm_dt.bias",
             "mixer.out_proj.weight": "ssm_out.weight"}
    stored = {"blk.0." + names[k[6:]]: -torch.exp(v) if "A_log" in k else v for k, v in t.items()}
    stored.update({"token_embd.weight": draw(v, m), "output_norm.weight": 1 + draw(m, scale=0.1),
                   "output.weight": matrix(v, m)})
    path = trial.path("mamba1-gguf-names.safetensors")
    write_safetensors(path, stored)
    trial.compare("Mamba-1, names of llama.cpp", path, stored["token_embd.weight"][tokens],
                  [lambda x: mamba1(t, "blk.0.", x)], lambda x: rms(x, stored["output_norm.weight"]),
                  stored["output.weight"], tokens)


def mamba2_models(trial):
    m, heads, each, n, v = 20, 4, 6, 5, 11
    tokens = torch.randint(v, (130,))
    for groups, epsilon in ((1, 1e-5), (2, 1e-6)):
        t = {"backbone.embeddings.weight": draw(v, m), "backbone.norm_f.weight": 1 + draw(m, scale=0.1),
             "lm_head.weight": matrix(v, m)}
        for i in range(2):
            t.update(make_mamba2("backbone.layers.%d." % i, m, heads, each, n, groups))
        layers = [lambda x, i=i: mamba2(t, "backbone.layers.%d." % i, x, groups, epsilon) for i in range(2)]
        folder = trial.path("mamba2-%d" % groups)
        os.mkdir(folder)
        write_safetensors(os.path.join(folder, "model.safetensors"), t)
        if groups > 1:
            with open(os.path.join(folder, "config.json"), "w") as f:
                json.dump({"n_groups": groups, "layer_norm_epsilon": epsilon}, f)
        trial.compare("Mamba-2, groups %d" % groups, folder, t["backbone.embeddings.weight"][tokens], layers,
                      lambda x: rms(x, t["backbone.norm_f.weight"], epsilon), t["lm_head.weight"], tokens)


def s4d_models(trial):
    m, n = 14, 6
    t = {}
    for i in range(2):
        t.update(make_s4d("s4_layers.%d." % i, m, n))
        t["norms.%d.weight" % i] = 1 + draw(m, scale=0.1)
        t["norms.%d.bias" % i] = draw(m, scale=0.1)
    path = trial.path("s4d.safetensors")
    write_safetensors(path, t)
    layers = [lambda x, i=i: layer_norm(x + s4d(t, "s4_layers.%d." % i, x), t["norms.%d.weight" % i], t["norms.%d.bias" % i])
              for i in range(2)]
    trial.compare("S4D, gate, norm behind", path, draw(100, m), layers, lambda x: x, None)
    t = {}
    for i in range(2):
        t.update(make_s4d("layers.%d.ssm." % i, m, n, gate=False, real=True))
        t["layers.%d.norm.weight" % i] = 1 + draw(m, scale=0.1)
        t["layers.%d.norm.bias" % i] = draw(m, scale=0.1)
    path = trial.path("s4d-real.safetensors")
    write_safetensors(path, t)
    layers = [lambda x, i=i: x + s4d(t, "layers.%d.ssm." % i, layer_norm(x, t["layers.%d.norm.weight" % i],
                                                                      t["layers.%d.norm.bias" % i])) for i in range(2)]
    trial.compare("S4D, real, norm before", path, draw(100, m), layers, lambda x: x, None)


def lru_models(trial):
    m, n = 10, 8
    t = {}
    for i in range(2):
        p = "layers.%d." % i
        t.update(make_lru(p + "seq.", m, n))
        t.update({p + "seq.B_re": draw(n, m), p + "seq.B_im": draw(n, m), p + "seq.C_re": draw(m, n),
                  p + "seq.C_im": draw(m, n), p + "seq.D": draw(m), p + "out1.weight": matrix(m, m), p + "out1.bias": draw(m),
                  p + "out2.weight": matrix(m, m), p + "out2.bias": draw(m), p + "norm.weight": 1 + draw(m, scale=0.1),
                  p + "norm.bias": draw(m, scale=0.1)})

    def layer(x, p):
        g = lambda name: t[p + name]
        u = layer_norm(x, g("norm.weight"), g("norm.bias"))
        y = lru_scan(t, p + "seq.", u, torch.complex(g("seq.B_re"), g("seq.B_im")),
                     torch.complex(g("seq.C_re"), g("seq.C_im"))) + g("seq.D") * u
        y = gelu(y)
        return x + (y @ g("out1.weight").T + g("out1.bias")) * torch.sigmoid(y @ g("out2.weight").T + g("out2.bias"))

    path = trial.path("lru.safetensors")
    write_safetensors(path, t)
    trial.compare("LRU", path, draw(90, m), [lambda x, i=i: layer(x, "layers.%d." % i) for i in range(2)], lambda x: x, None)

    s = make_lru("blocks.0.lru.", m, n)
    s.update({"blocks.0.lru.B": torch.complex(draw(n, m), draw(n, m)), "blocks.0.lru.C": torch.complex(draw(m, n), draw(m, n)),
              "blocks.0.lru.D": matrix(m, m), "blocks.0.ff.output_linear.0.weight": matrix(2 * m, m),
              "blocks.0.ff.output_linear.0.bias": draw(2 * m), "blocks.0.ln.weight": torch.ones(m)})

    def delayed(x):
        p = "blocks.0.lru."
        y = gelu(lru_scan(s, p, x, s[p + "B"], s[p + "C"], delayed=True) + x @ s[p + "D"].T)
        y = y @ s["blocks.0.ff.output_linear.0.weight"].T + s["blocks.0.ff.output_linear.0.bias"]
        return x + y[:, :m] * torch.sigmoid(y[:, m:])

    path = trial.path("lru-delayed.pt")
    torch.save(s, path)
    trial.compare("LRU, read before its update", path, draw(90, m), [delayed], lambda x: x, None)


def rwkv4_models(trial):
    m, d, f, v = 12, 16, 30, 13
    tokens = torch.randint(v, (100,))
    t = {"emb.weight": draw(v, m), "ln_out.weight": 1 + draw(m, scale=0.1), "ln_out.bias": draw(m, scale=0.1),
         "head.weight": matrix(v, m)}
    for i in range(2):
        t.update(make_rwkv4("blocks.%d." % i, m, d, f, i == 0))
    path = trial.path("rwkv4.safetensors")
    write_safetensors(path, t)
    x = layer_norm(t["emb.weight"][tokens], t["blocks.0.ln0.weight"], t["blocks.0.ln0.bias"])
    trial.compare("RWKV-4", path, x, [lambda x, i=i: rwkv4(t, "blocks.%d." % i, x) for i in range(2)],
                  lambda x: layer_norm(x, t["ln_out.weight"], t["ln_out.bias"]), t["head.weight"], tokens)


# ---- small models for tests without torch ----

def fixtures(folder):
    """KIND.safetensors and KIND-out.safetensors: an input [70, M] and the residual stream behind the layers."""
    m, made = 6, {}
    t = {}
    for i in range(2):
        t.update(make_mamba1("layers.%d." % i, m, 8, 3, 2))
    made["mamba1"] = t, lambda x, i, t=t: mamba1(t, "layers.%d." % i, x), 2
    t = make_mamba2("layers.0.", m, 2, 4, 3, 1)
    made["mamba2"] = t, lambda x, i, t=t: mamba2(t, "layers.0.", x), 1
    t = make_s4d("layers.0.", m, 3)
    made["s4d"] = t, lambda x, i, t=t: x + s4d(t, "layers.0.", x), 1
    t = make_lru("lru.", m, 4)
    t.update({"lru.B_re": draw(4, m), "lru.B_im": draw(4, m), "lru.C_re": draw(m, 4), "lru.C_im": draw(m, 4), "lru.D": draw(m)})
    made["lru"] = t, lambda x, i, t=t: x + lru_scan(t, "lru.", x, torch.complex(t["lru.B_re"], t["lru.B_im"]), torch.complex(
        t["lru.C_re"], t["lru.C_im"])) + t["lru.D"] * x, 1
    t = make_rwkv4("blocks.0.", m, m, 9, False)
    made["rwkv4"] = t, lambda x, i, t=t: rwkv4(t, "blocks.0.", x), 1
    for name, (tensors, layer, count) in made.items():
        x = y = draw(70, m)
        for i in range(count):
            y = layer(y, i)
        write_safetensors(os.path.join(folder, name + ".safetensors"), tensors)
        write_safetensors(os.path.join(folder, name + "-out.safetensors"), {"input": x, "output": y})
    return 0


def main():
    torch.manual_seed(1)
    if sys.argv[1] == "--fixtures":
        with torch.no_grad():
            return fixtures(sys.argv[2])
    trial = Trial(sys.argv[1], sys.argv[2])
    with torch.no_grad():
        mamba1_models(trial)
        mamba2_models(trial)
        s4d_models(trial)
        lru_models(trial)
        rwkv4_models(trial)
    print("torch_agree: %d models, the largest error %.2g" % (trial.count, trial.worst))
    return 0


if __name__ == "__main__":
    sys.exit(main())
