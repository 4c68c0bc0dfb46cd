#!/usr/bin/python3
"""Trains the two small Mamba-1 models on which assay shows what polarization does.

Task: multi-query associative recall (MQAR) as Arora et al. (arXiv:2312.04927) generate it. A sequence of LENGTH
tokens begins with P pairs: P distinct keys from 1..V/2-1, each followed by its value, P distinct ones from
V/2..V-1. Each key is asked once: key i at place 2P + 2 g_i, where g_1, ..., g_P are drawn without replacement
from 0..(LENGTH-2P)/2-1 with probability proportional to (g+1)^(a-1), a = 0.01. All other places hold the
filler, token 0. At a query the model must name the value; it is not shown afterwards. Training begins with shorter
sequences of fewer pairs (STAGES).

Model: Mamba-1 blocks (RMS norm, in_proj, causal convolution, SiLU, x_proj, dt_proj, scan, gate, out_proj,
residual), a final norm and a separate head, with the usual initialisation. With --polarized each channel has two
more states, as Wang et al. (arXiv:2501.00658), appendix E.5.1, have it: A <- [0; A; -1000]; A_log holds the
learned ones alone, while B and C, and so the rows of x_proj, are two more each. Both variants start from the same
numbers (the default's x_proj is the polarized one without the rows of the two states), see the same sequences
in the same order and are given the same number of steps.

usage: tools/train-mqar-mamba.py [--polarized] [--seed N] [--scale X] [--out FILE]
       tools/train-mqar-mamba.py --evaluate FILE    accuracy of a written file, per number of pairs
       tools/train-mqar-mamba.py --tokens FILE      some sequences, for assay's --tokens
       tools/train-mqar-mamba.py --check            the scan and its gradients against a plain loop in float64

The file is safetensors, F32, with the parameter names of the mamba_ssm package. assay itself needs neither Python
nor PyTorch.
"""

import argparse
import ctypes
import json
import math
import struct
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from safetensors_file import write_safetensors

VOCABULARY, LENGTH, PAIRS, POWER = 32, 64, (4, 8, 12), 0.01
STAGES = ((32, (2, 4, 8), 1500), (LENGTH, PAIRS, 500))  # length, pairs, steps
LAYERS, D_MODEL, EXPAND, D_STATE, DT_RANK, D_CONV = 2, 32, 2, 16, 2, 4
D_INNER = EXPAND * D_MODEL
DT_MIN, DT_MAX = 1e-3, 1e-1
RATE_ONE, RATE_ZERO = 0.0, -1000.0  # of the two states that polarization adds: decay 1, decay near 0
PREFIX = "backbone."


def keep_memory():
    """Asks glibc not to give freed memory back to the system."""
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
        for parameter, value in ((-3, 1 << 25), (-1, 1 << 30), (-2, 1 << 26)):  # mmap and trim threshold, top pad
            mallopt(parameter, value)
    except (OSError, AttributeError):
        pass


class Pool:
    """Large arrays, used again: to have new pages from the system costs more than the sums done on them."""

    def __init__(self):
        self.free = {}

    def take(self, shape, like):
        free = self.free.get((tuple(shape), like.dtype))
        return free.pop() if free else like.new_empty(shape)

    def give(self, *arrays):
        for array in arrays:
            self.free.setdefault((tuple(array.shape), array.dtype), []).append(array)


class Scan(torch.autograd.Function):
    """h_t = exp(dt_t A) h_{t-1} + dt_t B_t x_t, y_t = C_t h_t.

    dt, x [T, batch, D], rate [D, N], b, c [T, batch, N] -> y [T, batch, D]. States are kept as [T, batch, N, D].
    The only loop over time is one fused multiplication and addition, in either direction; all else is done for all
    times at once.
    """

    pool = Pool()

    @staticmethod
    def forward(context, dt, x, rate, b, c):
        shape = (*b.shape, x.shape[-1])
        decay, h, work = (Scan.pool.take(shape, x) for _ in range(3))
        torch.mul(dt.unsqueeze(2), rate.t().contiguous(), out=decay).exp_()
        torch.mul((dt * x).unsqueeze(2), b.unsqueeze(3), out=h)
        for t in range(1, shape[0]):
            h[t].addcmul_(decay[t], h[t - 1])
        y = torch.mul(h, c.unsqueeze(3), out=work).sum(2)
        Scan.pool.give(work)
        if any(context.needs_input_grad):
            context.kept = dt, x, rate, b, c, decay, h
        else:
            Scan.pool.give(decay, h)
        return y

    @staticmethod
    def backward(context, dy):
        dt, x, rate, b, c, decay, h = context.kept
        dh, work = Scan.pool.take(h.shape, h), Scan.pool.take(h.shape, h)
        dc = torch.mul(h, dy.unsqueeze(2), out=work).sum(3)
        torch.mul(dy.unsqueeze(2), c.unsqueeze(3), out=dh)
        for t in range(h.shape[0] - 2, -1, -1):
            dh[t].addcmul_(decay[t + 1], dh[t + 1])
        drive = torch.mul(dh, b.unsqueeze(3), out=work).sum(2)
        db = torch.mul(dh, (dt * x).unsqueeze(2), out=work).sum(3)
        dexponent = dh[1:].mul_(h[:-1]).mul_(decay[1:])
        ddt = drive * x
        ddt[1:] += torch.mul(dexponent, rate.t().contiguous(), out=work[1:]).sum(2)
        drate = dexponent.mul_(dt[1:].unsqueeze(2)).sum((0, 1)).t()
        Scan.pool.give(decay, h, dh, work)
        return ddt, drive * dt, drate, db, dc


def scan_plainly(dt, x, rate, b, c):
    """The same, as it is defined, by operations that PyTorch differentiates itself."""
    h, y = torch.zeros_like(dt[0]).unsqueeze(-1) * rate, []
    for t in range(dt.shape[0]):
        h = torch.exp(dt[t].unsqueeze(-1) * rate) * h + (dt[t] * x[t]).unsqueeze(-1) * b[t].unsqueeze(1)
        y.append((h * c[t].unsqueeze(1)).sum(-1))
    return torch.stack(y)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Mixer(nn.Module):
    def __init__(self, polarized):
        super().__init__()
        self.polarized = polarized
        self.states = D_STATE + 2 if polarized else D_STATE
        self.in_proj = nn.Linear(D_MODEL, 2 * D_INNER, bias=False)
        self.conv1d = nn.Conv1d(D_INNER, D_INNER, D_CONV, groups=D_INNER)
        full = nn.Linear(D_INNER, DT_RANK + 2 * (D_STATE + 2), bias=False).weight.detach()
        if not polarized:
            low, b, c = full.split([DT_RANK, D_STATE + 2, D_STATE + 2])
            full = torch.cat([low, b[1:-1], c[1:-1]])
        self.x_proj = nn.Linear(D_INNER, DT_RANK + 2 * self.states, bias=False)
        self.x_proj.weight = nn.Parameter(full.clone())
        self.dt_proj = nn.Linear(DT_RANK, D_INNER)
        self.out_proj = nn.Linear(D_INNER, D_MODEL, bias=False)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, D_STATE + 1)).repeat(D_INNER, 1))
        self.D = nn.Parameter(torch.ones(D_INNER))
        nn.init.uniform_(self.dt_proj.weight, -(DT_RANK ** -0.5), DT_RANK ** -0.5)
        dt = torch.exp(torch.rand(D_INNER) * math.log(DT_MAX / DT_MIN) + math.log(DT_MIN))
        with torch.no_grad():
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # softplus of this is dt

    def forward(self, u):
        length = u.shape[0]
        x, z = self.in_proj(u).chunk(2, dim=-1)
        past = F.pad(x, (0, 0, 0, 0, D_CONV - 1, 0))
        kernel = self.conv1d.weight.squeeze(1)
        x = F.silu(sum((past[w:w + length] * kernel[:, w] for w in range(D_CONV)), self.conv1d.bias))
        dt, b, c = self.x_proj(x).split([DT_RANK, self.states, self.states], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        rate = -torch.exp(self.A_log)
        if self.polarized:
            one = rate.new_full((D_INNER, 1), RATE_ONE)
            rate = torch.cat([one, rate, torch.full_like(one, RATE_ZERO)], dim=1)
        y = Scan.apply(dt, x, rate, b.contiguous(), c.contiguous()) + self.D * x
        return self.out_proj(y * F.silu(z))


class Block(nn.Module):
    def __init__(self, polarized):
        super().__init__()
        self.norm = RMSNorm(D_MODEL)
        self.mixer = Mixer(polarized)

    def forward(self, x):
        return x + self.mixer(self.norm(x))


class Backbone(nn.Module):
    def __init__(self, polarized):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.layers = nn.ModuleList(Block(polarized) for _ in range(LAYERS))
        self.norm_f = RMSNorm(D_MODEL)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.norm_f(x)


class Model(nn.Module):
    def __init__(self, polarized):
        super().__init__()
        self.backbone = Backbone(polarized)
        self.lm_head = nn.Linear(D_MODEL, VOCABULARY, bias=False)

    def forward(self, tokens, asked):
        """Scores at the places where asked, [LENGTH, batch], is true."""
        return self.lm_head(self.backbone(tokens)[asked])


def draw(batch, pairs, length, generator):
    """Tokens and answers, both [length, batch]; the answer is -1 where nothing is asked."""
    half, context = VOCABULARY // 2, 2 * pairs
    space = (length - context) // 2
    keys = torch.rand(batch, half - 1, generator=generator).argsort(-1)[:, :pairs] + 1
    values = torch.rand(batch, half, generator=generator).argsort(-1)[:, :pairs] + half
    # The order of exponential variables with these rates is that of draws without replacement.
    weight = torch.arange(1, space + 1, dtype=torch.float64) ** (POWER - 1)
    wait = torch.rand(batch, space, generator=generator, dtype=torch.float64)
    gaps = (-torch.log1p(-wait) / weight).argsort(-1)[:, :pairs]
    tokens = torch.zeros(batch, length, dtype=torch.int64)
    answers = torch.full_like(tokens, -1)
    tokens[:, 0:context:2] = keys
    tokens[:, 1:context:2] = values
    tokens.scatter_(1, context + 2 * gaps, keys)
    answers.scatter_(1, context + 2 * gaps, values)
    return tokens.t().contiguous(), answers.t().contiguous()


def accuracy(model, pairs, length, generator, queries=16384, batch=64):
    right = total = 0
    with torch.no_grad():
        while total < queries:
            tokens, answers = draw(batch, pairs, length, generator)
            asked = answers >= 0
            right += (model(tokens, asked).argmax(-1) == answers[asked]).sum().item()
            total += batch * pairs
    return right, total


def evaluate(model, seed, queries=16384):
    found = {}
    for pairs in PAIRS:
        right, total = accuracy(model, pairs, LENGTH, torch.Generator().manual_seed(seed + pairs), queries)
        found[pairs] = "%d of %d" % (right, total)
    return found


def read_model(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    polarized = header.pop("__metadata__")["variant"] == "polarized"
    model = Model(polarized)
    state = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
        state[name] = torch.tensor(values, dtype=torch.float32).reshape(entry["shape"])
    model.load_state_dict(state)
    return model


def check():
    """Largest error of the scan and of its five gradients, relative to the largest element, in float32."""
    torch.manual_seed(1)
    steps, batch, channels, states = 40, 3, 5, 18
    dt = torch.rand(steps, batch, channels, dtype=torch.float64) * 0.2
    x = torch.randn(steps, batch, channels, dtype=torch.float64)
    rate = -torch.rand(channels, states, dtype=torch.float64) * 10
    rate[:, 0], rate[:, -1] = RATE_ONE, RATE_ZERO
    b, c = torch.randn(2, steps, batch, states, dtype=torch.float64)
    toward = torch.randn(steps, batch, channels, dtype=torch.float64)

    def run(scan, kind):
        given = [v.to(kind).requires_grad_() for v in (dt, x, rate, b, c)]
        y = scan(*given)
        y.backward(toward.to(kind))
        return [y.detach()] + [v.grad for v in given]

    errors = [((fast.double() - plain).abs().max() / plain.abs().max()).item()
              for fast, plain in zip(run(Scan.apply, torch.float32), run(scan_plainly, torch.float64))]
    for name, error in zip(("y", "dt", "x", "rate", "b", "c"), errors):
        print("%-4s  %.1e" % (name, error))
    return 0 if max(errors) < 3e-6 else 1


def write_tokens(path, seed, sequences=8, pairs=8):
    tokens, _ = draw(sequences, pairs, LENGTH, torch.Generator().manual_seed(seed))
    with open(path, "w") as file:
        file.write("# %d sequences of %d tokens with %d pairs, by tools/train-mqar-mamba.py\n" % (sequences, LENGTH, pairs))
        for line in tokens.t().tolist():
            file.write(" ".join(map(str, line)) + "\n")


def train(options):
    torch.manual_seed(options.seed)
    training = torch.Generator().manual_seed(options.seed + 1)
    model = Model(options.polarized)
    free = {"A_log", "D", "bias"}
    named = list(model.named_parameters())
    groups = [
        {"params": [p for n, p in named if n.split(".")[-1] not in free], "weight_decay": 0.01},
        {"params": [p for n, p in named if n.split(".")[-1] in free], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=options.rate, betas=(0.9, 0.98))
    plan = [(length, pairs) for length, pairs, steps in STAGES for _ in range(round(steps * options.scale))]
    warm = max(1, len(plan) // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda n: min((n + 1) / warm, 0.5 * (1 + math.cos(math.pi * n / len(plan)))))
    for step, (length, mixture) in enumerate(plan, 1):
        drawn = [draw(options.batch, pairs, length, training) for pairs in mixture]
        tokens, answers = (torch.cat(part, dim=1) for part in zip(*drawn))
        asked = answers >= 0
        loss = F.cross_entropy(model(tokens, asked), answers[asked])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % options.report == 0:
            found = [accuracy(model, pairs, length, torch.Generator().manual_seed(options.seed + 2), 512)
                     for pairs in mixture]
            print("step %5d  loss %.4f  accuracy %s  %.0f s" % (
                step, loss.item(), " ".join("%d:%.3f" % (p, r / n) for p, (r, n) in zip(mixture, found)),
                time.process_time()), flush=True)
    return model, len(plan)


def main():
    parser = argparse.ArgumentParser(description="train a small Mamba-1 on associative recall")
    parser.add_argument("--polarized", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--scale", type=float, default=1, help="times the number of steps")
    parser.add_argument("--batch", type=int, default=16, help="sequences for each number of pairs")
    parser.add_argument("--rate", type=float, default=6e-3)
    parser.add_argument("--seed", type=int, default=20250101)
    parser.add_argument("--report", type=int, default=500)
    parser.add_argument("--evaluate", metavar="FILE")
    parser.add_argument("--tokens", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    keep_memory()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # the decay near 0 would make many
    if options.check:
        return check()
    if options.tokens:
        write_tokens(options.tokens, options.seed + 200)
        return 0
    if options.evaluate:
        for pairs, found in evaluate(read_model(options.evaluate), options.seed + 100).items():
            print("%2d pairs, length %d: %s" % (pairs, LENGTH, found))
        return 0

    model, steps = train(options)
    variant = "polarized" if options.polarized else "default"
    found = evaluate(model, options.seed + 100)
    facts = {
        "format": "pt",
        "made_by": "tools/train-mqar-mamba.py",
        "variant": variant,
        "task": "multi-query associative recall, vocabulary %d, length %d, %s pairs, filler 0, gaps ~ x^(%g-1)"
                % (VOCABULARY, LENGTH, "/".join(map(str, PAIRS)), POWER),
        "model": "Mamba-1, %d layers, d_model %d, d_inner %d, d_state %d, dt_rank %d"
                 % (LAYERS, D_MODEL, D_INNER, D_STATE, DT_RANK),
        "training": "AdamW, %d steps, %d sequences for each number of pairs, length up to %d, seed %d, PyTorch %s, "
                    "one CPU thread" % (steps, options.batch, LENGTH, options.seed, torch.__version__),
        "accuracy": ", ".join("%d pairs: %s" % item for item in found.items()),
    }
    if options.polarized:
        facts["polarized"] = "A = [%g; -exp(A_log); %g], rows of B and C in that order" % (RATE_ONE, RATE_ZERO)
    print("accuracy on fresh sequences: " + facts["accuracy"])
    write_safetensors(options.out or "cases/models/assay-mqar-%s.safetensors" % variant,
                      dict(model.named_parameters()), facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
