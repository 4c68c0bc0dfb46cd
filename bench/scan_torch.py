"""The selective scan as PyTorch references write it, in float64 on one thread: nanoseconds for one token, channel and
state, the best of three."""
import time

import torch

TOKENS, CHANNELS, STATES = 128, 1536, 16
torch.set_num_threads(1)
torch.manual_seed(1)
kind = {"dtype": torch.float64}
step = torch.exp(-6.9 + 4.6 * torch.rand(TOKENS, CHANNELS, **kind))
u = torch.randn(TOKENS, CHANNELS, **kind)
b = torch.randn(TOKENS, STATES, **kind)
c = torch.randn(TOKENS, STATES, **kind)
rate = -torch.arange(1, STATES + 1, **kind) * torch.ones(CHANNELS, 1, **kind)
skip = torch.ones(CHANNELS, **kind)


def scan():
    alpha = torch.exp(torch.einsum("td,dn->tdn", step, rate))
    drive = torch.einsum("td,tn,td->tdn", step, b, u)
    h = torch.zeros(CHANNELS, STATES, **kind)
    y = []
    for t in range(TOKENS):
        h = alpha[t] * h + drive[t]
        y.append(h @ c[t])
    return torch.stack(y) + skip * u


def timed():
    start = time.process_time()
    with torch.no_grad():
        scan()
    return time.process_time() - start


print("%.3g" % (1e9 * min(timed() for _ in range(3)) / TOKENS / CHANNELS / STATES))
