#!/usr/bin/env python3
"""Measures of the shipped model, computed once more by numpy from what assay simulate records: smoothness over all pairs,
alignment by centred kernel matrices, spreads of decays, the effect of noise drawn by another Philox, recall of sequences
drawn by numpy.

usage: measures.py ASSAY MODEL        in a scratch folder; exit 0: all agree; 1: a line for each that does not"""
import json
import math
import subprocess
import sys

import numpy as np

ASSAY, MODEL = sys.argv[1:3]
PREFIX, LAYERS, VOCABULARY = "backbone.layers.%d.mixer.", 2, 17
failed = 0


def fail(*words):
    global failed
    failed += 1
    print("FAIL:", *words)


def near(what, found, wanted, tolerance=1e-11):
    if found is None or not abs(found - wanted) <= tolerance * max(1e-300, abs(wanted)):
        fail("%s: %r, numpy has %r" % (what, found, wanted))


def run(*words):
    subprocess.run([ASSAY, *words], check=True, stdout=subprocess.DEVNULL)


def measure(*words):
    run("measure", "--json", "measures.json", "-q", *words, MODEL)
    with open("measures.json", encoding="utf-8") as file:
        return json.load(file)


def simulate(record, *words):
    run("simulate", "-q", "--record", record, "--out", "run.npz", *words, MODEL)
    return np.load("run.npz")


def batch(a):
    return a if a.shape[0] != a.size and a.ndim > 2 else a[None]


# ---- smoothness ----

def pairs(n):
    return np.triu_indices(n, 1)


def cosine(a, b):
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def kept(x, count):
    return x[[i * len(x) // count for i in range(count)]] if count < len(x) else x


def cka(x, y, debiased):
    n = len(x)
    if not debiased:
        center = np.eye(n) - 1 / n
        k, l = (center @ (z @ z.T) @ center for z in (x, y))
        return (k * l).sum() / math.sqrt((k * k).sum() * (l * l).sum())
    k, l = ((z - z.mean(0)) @ (z - z.mean(0)).T for z in (x, y))
    for m in (k, l):
        np.fill_diagonal(m, 0)

    def hsic(a, b):
        return (a * b).sum() + a.sum() * b.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * (a.sum(0) @ b.sum(0))
    return hsic(k, l) / math.sqrt(hsic(k, k) * hsic(l, l))


def check_place(name, place, sequences, before, normalizer, count):
    mean = {key: [] for key in ("distance", "square", "energy", "cosine", "neighbour", "layerwise")}
    for s, x in enumerate(sequences):
        i, j = pairs(len(x))
        some = kept(x, count)
        a, b = pairs(len(some))
        square = ((x[i] - x[j]) ** 2).sum(-1)
        divisor = {"sum": 1, "tokens": len(x), "pairs": len(i), "norm": len(x) * (x ** 2).sum()}[normalizer]
        mean["distance"].append(np.linalg.norm(some[a] - some[b], axis=-1).mean())
        mean["square"].append(square.mean())
        mean["energy"].append(square.sum() / divisor)
        mean["cosine"].append(cosine(x[i], x[j]).mean())
        mean["neighbour"].append(cosine(x[:-1], x[1:]).mean())
        if before is not None:
            mean["layerwise"].append(cosine(before[s], x).mean())
    for key, values in mean.items():
        if values:
            near(name + " " + key, place[key]["mean"], float(np.mean(values)))
        elif place[key]["mean"] is not None:
            fail(name, key, "should not be there")


def check_smoothness(sequences, length, normalizer, count, way):
    words = ["--random", str(length), "--sequences", str(sequences), "--seed", "11"]
    found = measure("--normalizer", normalizer, *words, "smoothness")["smoothness"]
    arrays = simulate("input,mixer,output", *words)
    block = [batch(arrays[PREFIX % 0 + "input"])] + [batch(arrays[PREFIX % l + "output"]) for l in range(LAYERS)]
    mixer = [batch(arrays[PREFIX % l + "mixer"]) for l in range(LAYERS)]
    for p, h in enumerate(block):
        place = found["input"] if p == 0 else found["layers"][p - 1]["block"]
        check_place("block %d of %d tokens" % (p, length), place, h, block[p - 1] if p else None, normalizer, count)
    for p, m in enumerate(mixer):
        check_place("mixer %d" % p, found["layers"][p]["mixer"], m, mixer[p - 1] if p else None, normalizer, count)
    h = np.stack(block)
    bends = np.abs(h[1:-1] - (h[:-2] + h[2:]) / 2)
    near("Sm", found["sm"]["mean"], float(bends.mean()))
    near("St", found["st"]["mean"], float(h[1:].std(0).mean()))
    near("St_L^2", found["st_depth_squared"]["mean"], float(h.var(0).mean()))
    if found["cka"]["tokens"] != way:
        fail("alignment by", found["cka"]["tokens"])
    for key, places in (("block", block), ("mixer", mixer)):
        for i, x in enumerate(places):
            for j, y in enumerate(places):
                near("CKA %s %d %d" % (key, i, j), found["cka"][key][i][j],
                     float(np.mean([cka(x[s], y[s], False) for s in range(sequences)])), 1e-10)
                if way == "all tokens":
                    near("debiased CKA %s %d %d" % (key, i, j), found["cka"][key + "_debiased"][i][j],
                         float(np.mean([cka(x[s], y[s], True) for s in range(sequences)])), 1e-10)


# ---- spread ----

def check_histogram(name, found, values):
    values = np.asarray(values).ravel()
    near(name + " mean", found["mean"], float(values.mean()))
    wanted = [int((values < (k + 1) / 20).sum()) for k in range(20)]
    if found["below"] != wanted or found["count"] != values.size:
        fail(name, "histogram", found["below"], "numpy has", wanted)
    if found["least"] != values.min() or found["greatest"] != values.max():
        fail(name, "ends", found["least"], found["greatest"], "numpy has", values.min(), values.max())


def check_spread(*more):
    words = ["--random", "150", "--sequences", "2", *more]
    found = measure(*words, "spread")["spread"]
    arrays = simulate("alpha", *words)
    all_states = []
    for l in range(LAYERS):
        a = arrays[PREFIX % l + "alpha"]
        a = a.reshape(-1, *a.shape[-2:])
        states, layer = a.max(-1) - a.min(-1), found["layers"][l]
        check_histogram("states", layer["by_state"], states)
        near("mean of states", layer["by_state_mean"]["mean"], float(states.mean(0).mean()))
        check_histogram("most", layer["by_state_most"], states.max(0))
        check_histogram("tokens", layer["by_token"], a.max(0) - a.min(0))
        check_histogram("whole", layer["whole"], a.max((0, 2)) - a.min((0, 2)))
        all_states.append(states)
    check_histogram("total", found["total"]["by_state"], np.stack(all_states))
    return found


# ---- noise: Philox 4x32-10 (Salmon et al. 2011), as core/philox.h keys it ----

def philox(key, counter):
    k, c, mask = list(key), list(counter), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def noise(seed, sequence, position):
    tag = 2166136261
    for letter in b"noise":
        tag = ((tag ^ letter) * 16777619) & 0xFFFFFFFF
    tag ^= (sequence * 0x85EBCA6B) & 0xFFFFFFFF
    word = philox((seed & 0xFFFFFFFF, seed >> 32), (0, position & 0xFFFFFFFF, position >> 32, tag))
    return ((word[0] | word[1] << 32) * VOCABULARY) >> 64


def write_tokens(path, sequences):
    with open(path, "w", encoding="ascii") as file:
        for tokens in sequences:
            file.write(" ".join(str(int(t)) for t in tokens) + "\n")


def log_softmax(x):
    return x - x.max(-1, keepdims=True) - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True))


def check_robustness():
    rng, length, seed = np.random.default_rng(1), 100, 77
    clean = rng.integers(0, VOCABULARY, (2, length))
    write_tokens("clean.txt", clean)
    found = measure("--tokens", "clean.txt", "--seed", str(seed), "--window", "first:20,last:20,middle:7,30:33", "robustness")
    before = simulate("hidden,logits", "--tokens", "clean.txt")
    h, p = before["hidden"].copy(), log_softmax(before["logits"])
    for row, (start, end) in zip(found["robustness"]["windows"], ((0, 20), (80, 100), (46, 53), (30, 33))):
        noisy = clean.copy()
        for s in range(2):
            for t in range(start, end):
                noisy[s, t] = noise(seed, s, t)
        write_tokens("noisy.txt", noisy)
        after = simulate("hidden,logits", "--tokens", "noisy.txt")
        g, q = after["hidden"], log_softmax(after["logits"])
        change = np.linalg.norm(g - h, axis=-1) / np.linalg.norm(h, axis=-1)
        divergence, same = (np.exp(p) * (p - q)).sum(-1), (p.argmax(-1) == q.argmax(-1))
        name = row["window"] + " "
        if row["replaced"] != 2 * (end - start):
            fail(name, "replaced", row["replaced"])
        for place, part in (("last", slice(length - 1, length)), ("behind", slice(end, length))):
            if end == length and place == "behind":
                if row[place]["change"]["mean"] is not None:
                    fail(name, "something behind the end")
                continue
            near(name + place, row[place]["change"]["mean"], float(change[:, part].mean()))
            near(name + place + " KL", row[place]["divergence"]["mean"], float(divergence[:, part].mean()), 1e-9)
            near(name + place + " same", row[place]["agreement"]["mean"], float(same[:, part].mean()))
        pooled = np.linalg.norm(g.mean(1) - h.mean(1), axis=-1) / np.linalg.norm(h.mean(1), axis=-1)
        near(name + "pooled", row["pooled"]["mean"], float(pooled.mean()))


# ---- recall ----

def check_recall():
    rng, count, length, half = np.random.default_rng(2), 300, 64, VOCABULARY // 2
    found = {r["pairs"]: r for r in measure("--pairs", "2,4", "--sequences", str(count), "recall")["recall"]}
    for pairs_asked in (2, 4):
        space = (length - 2 * pairs_asked) // 2
        weight = 0.01 * np.arange(1, space + 1) ** (0.01 - 1)
        tokens, queries = np.zeros((count, length), int), []
        for s in range(count):
            keys = rng.choice(np.arange(1, half), pairs_asked, replace=False)
            values = rng.choice(np.arange(half, VOCABULARY), pairs_asked, replace=False)
            gaps = rng.choice(space, pairs_asked, replace=False, p=weight / weight.sum())
            tokens[s, 0:2 * pairs_asked:2], tokens[s, 1:2 * pairs_asked:2] = keys, values
            tokens[s, 2 * pairs_asked + 2 * gaps] = keys
            queries += [(s, 2 * pairs_asked + 2 * g, v) for g, v in zip(gaps, values)]
        write_tokens("recall.txt", tokens)
        logits = simulate("logits", "--tokens", "recall.txt")["logits"]
        right = np.mean([logits[s, t].argmax() == v for s, t, v in queries])
        all_ = found[pairs_asked]["all"]
        if all_["asked"] != count * pairs_asked or sum(b["asked"] for b in found[pairs_asked]["by_distance"]) != all_["asked"]:
            fail("recall asks", all_["asked"])
        # Answers of one sequence hang together: sequences are what is independent.
        if abs(all_["accuracy"] - right) > 5 * math.sqrt(2 * 0.25 / count):
            fail("recall with %d pairs: %g, numpy's sequences %g" % (pairs_asked, all_["accuracy"], right))
        if not 0.3 < right < 1:
            fail("the model recalls", right)


check_smoothness(2, 70, "norm", 70, "all tokens")
check_smoothness(1, 5, "sum", 5, "all tokens")
check_smoothness(1, 20, "pairs", 20, "all tokens")
check_smoothness(1, 530, "tokens", 512, "all tokens by matrices")
check_spread()
whole = check_spread("--polarized")
if [layer["states"] for layer in whole["layers"]] != [18, 18] or whole["total"]["by_state"]["greatest"] != 1:
    fail("polarized: no decays of 1 and 0", whole["total"]["by_state"]["greatest"])
check_robustness()
check_recall()
sys.exit(1 if failed else 0)
