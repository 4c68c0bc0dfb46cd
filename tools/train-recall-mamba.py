#!/usr/bin/python3
"""Trains the small Mamba-1 that assay ships as its example of a really trained model.

The task is toy associative recall: PAIRS distinct keys, each followed by a value, then the same keys once more
in another order, each followed by its value again; the model must name the value when it reads a repeated key.
The model is a stack of ordinary Mamba-1 blocks (RMS norm, gated selective scan, residual) with the usual
initialisation: A_log = log(1..N) in every channel, step sizes log-uniform in [0.001, 0.1] through the inverse
softplus. Everything is plain PyTorch on one CPU thread; the scan is a loop over time. The same seed on the same
PyTorch gives the same file.

usage: tools/train-recall-mamba.py [--out FILE] [--steps N] [--seed N]

The file is written by the few lines at the end: safetensors, F32, with the parameter names of the mamba_ssm
package. assay itself needs neither Python nor PyTorch.
"""

import argparse
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from safetensors_file import write_safetensors

KEYS, VALUES, PAIRS = 8, 8, 4
VOCABULARY = 1 + KEYS + VALUES  # token 0 is never drawn; keys 1..KEYS; values after them
LAYERS, D_MODEL, EXPAND, D_STATE, DT_RANK, D_CONV = 2, 32, 2, 16, 2, 4
D_INNER = EXPAND * D_MODEL
DT_MIN, DT_MAX = 1e-3, 1e-1


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Mixer(nn.Module):
    """h_t = exp(dt_t A) h_{t-1} + dt_t B_t x_t, y_t = C_t h_t + D x_t, gated by silu(z)."""

    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(D_MODEL, 2 * D_INNER, bias=False)
        self.conv1d = nn.Conv1d(D_INNER, D_INNER, D_CONV, groups=D_INNER, padding=D_CONV - 1)
        self.x_proj = nn.Linear(D_INNER, DT_RANK + 2 * D_STATE, bias=False)
        self.dt_proj = nn.Linear(DT_RANK, D_INNER)
        self.out_proj = nn.Linear(D_INNER, D_MODEL, bias=False)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, D_STATE + 1)).repeat(D_INNER, 1))
        self.D = nn.Parameter(torch.ones(D_INNER))
        nn.init.uniform_(self.dt_proj.weight, -(DT_RANK ** -0.5), DT_RANK ** -0.5)
        dt = torch.exp(torch.rand(D_INNER) * math.log(DT_MAX / DT_MIN) + math.log(DT_MIN))
        with torch.no_grad():
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # softplus of this is dt

    def forward(self, u):
        batch, length, _ = u.shape
        x, z = self.in_proj(u).chunk(2, dim=-1)
        x = F.silu(self.conv1d(x.transpose(1, 2))[..., :length].transpose(1, 2))
        dt, b, c = self.x_proj(x).split([DT_RANK, D_STATE, D_STATE], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        decay = torch.exp(dt.unsqueeze(-1) * -torch.exp(self.A_log))
        drive = (dt * x).unsqueeze(-1) * b.unsqueeze(2)
        h = x.new_zeros(batch, D_INNER, D_STATE)
        y = []
        for a_t, u_t, c_t in zip(decay.unbind(1), drive.unbind(1), c.unbind(1)):
            h = a_t * h + u_t
            y.append((h * c_t.unsqueeze(1)).sum(-1))
        y = torch.stack(y, dim=1) + self.D * x
        return self.out_proj(y * F.silu(z))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = RMSNorm(D_MODEL)
        self.mixer = Mixer()

    def forward(self, x):
        return x + self.mixer(self.norm(x))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm_f = RMSNorm(D_MODEL)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.norm_f(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.lm_head = nn.Linear(D_MODEL, VOCABULARY, bias=False)

    def forward(self, tokens):
        return self.lm_head(self.backbone(tokens))


def draw(batch, generator):
    """Token sequences (batch, 4 PAIRS), and the positions and targets of the repeated keys."""
    order = torch.rand(batch, KEYS, generator=generator).argsort(-1)[:, :PAIRS]
    values = torch.randint(VALUES, (batch, PAIRS), generator=generator)
    again = torch.rand(batch, PAIRS, generator=generator).argsort(-1)
    shown = torch.stack([order + 1, values + 1 + KEYS], dim=-1).flatten(1)
    keys, answers = order.gather(1, again) + 1, values.gather(1, again) + 1 + KEYS
    asked = torch.stack([keys, answers], dim=-1).flatten(1)
    return torch.cat([shown, asked], dim=1), asked[:, 1::2]


def accuracy(model, generator, batches=16, batch=256):
    right = total = 0
    with torch.no_grad():
        for _ in range(batches):
            tokens, target = draw(batch, generator)
            guess = model(tokens)[:, 2 * PAIRS::2].argmax(-1)
            right += (guess == target).sum().item()
            total += target.numel()
    return right, total


def main():
    parser = argparse.ArgumentParser(description="train the small recall model")
    parser.add_argument("--out", default="cases/models/assay-recall-mamba.safetensors")
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=20250101)
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    training = torch.Generator().manual_seed(options.seed + 1)
    model = Model()
    free = {"A_log", "D", "bias"}
    named = list(model.named_parameters())
    groups = [
        {"params": [p for n, p in named if n.split(".")[-1] not in free], "weight_decay": 0.01},
        {"params": [p for n, p in named if n.split(".")[-1] in free], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=4e-3, betas=(0.9, 0.98))
    warm = max(1, options.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda n: min((n + 1) / warm, 0.5 * (1 + math.cos(math.pi * n / options.steps))))
    begun = time.monotonic()
    for step in range(1, options.steps + 1):
        tokens, target = draw(options.batch, training)
        scores = model(tokens)[:, 2 * PAIRS::2]
        loss = F.cross_entropy(scores.reshape(-1, VOCABULARY), target.reshape(-1))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % 500 == 0:
            right, total = accuracy(model, torch.Generator().manual_seed(options.seed + 2), 4)
            print("step %5d  loss %.4f  accuracy %.4f  %.0f s"
                  % (step, loss.item(), right / total, time.monotonic() - begun), flush=True)
    right, total = accuracy(model, torch.Generator().manual_seed(options.seed + 3))
    print("accuracy on fresh sequences: %d of %d = %.4f (chance %.4f)"
          % (right, total, right / total, 1 / VALUES))
    write_safetensors(options.out, dict(model.named_parameters()), {
        "format": "pt",
        "made_by": "tools/train-recall-mamba.py",
        "task": "associative recall, %d of %d keys, %d values, length %d" % (PAIRS, KEYS, VALUES, 4 * PAIRS),
        "model": "Mamba-1, %d layers, d_model %d, d_inner %d, d_state %d, dt_rank %d"
                 % (LAYERS, D_MODEL, D_INNER, D_STATE, DT_RANK),
        "training": "AdamW, %d steps of %d sequences, seed %d, PyTorch %s, one CPU thread"
                    % (options.steps, options.batch, options.seed, torch.__version__),
        "accuracy": "%d of %d fresh queries" % (right, total),
    })
    return 0


if __name__ == "__main__":
    sys.exit(main())
