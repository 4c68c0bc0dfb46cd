"""moments_sympy.py: the expectation that bench/moments.claim states, by SymPy with the same symbols, in two ways: expand(), which is what
one writes, and its ring of polynomials, which is much faster. Prints the seconds of processor time of both, the median of five
times, and the number of terms.

For a variable of variance v the expectation of the power 2k is (2k - 1)!! v^k, of an odd power 0."""

import time

from sympy import QQ, Poly, Rational, expand, factorial2, ring, symbols

N, D = 4, 2


def by_ring():
    """The seconds that it took, and the number of terms."""
    tokens = range(N)
    channels = range(D)
    x_names = [f"x{t}_{a}" for t in tokens for a in channels]
    m_names = [f"m{t}_{j}_{a}_{b}" for t in tokens for j in tokens for a in channels for b in channels]
    w_names = [f"w{a}_{b}" for a in channels for b in channels]
    begin = time.process_time()
    space, *generators = ring(x_names + m_names + w_names + ["v"], QQ)
    named = dict(zip(x_names + m_names + w_names + ["v"], generators))
    v = named["v"]

    def mean(p):
        total = space.zero
        for monomial, coefficient in p.terms():
            powers = monomial[: len(x_names)]
            if any(k % 2 for k in powers):
                continue
            for k in powers:
                if k:
                    coefficient *= QQ(int(factorial2(k - 1)))
            rest = (0,) * len(x_names) + monomial[len(x_names) : -1] + (monomial[-1] + sum(powers) // 2,)
            total += space({rest: coefficient})
        return total

    trace = space.zero
    for t in tokens:
        for a in channels:
            h = space.zero
            for j in range(t + 1):
                for b in channels:
                    h += named[f"m{t}_{j}_{a}_{b}"] * named[f"x{j}_{b}"]
            z = sum((named[f"w{a}_{b}"] * named[f"x{t}_{b}"] for b in channels), space.zero) * QQ(1, 2)
            y = h * z
            trace += mean(y**2) - mean(y) ** 2
    return time.process_time() - begin, len(trace.terms())


def by_expand():
    begin = time.process_time()
    x = {(t, a): symbols(f"x{t}_{a}") for t in range(N) for a in range(D)}
    m = {(t, j, a, b): symbols(f"m{t}_{j}_{a}_{b}") for t in range(N) for j in range(N) for a in range(D) for b in range(D)}
    w = {(a, b): symbols(f"w{a}_{b}") for a in range(D) for b in range(D)}
    v = symbols("v")

    def mean(e):
        total = 0
        for powers, coefficient in Poly(e, *x.values()).terms():
            if not any(k % 2 for k in powers):
                for k in powers:
                    coefficient *= factorial2(k - 1) * v ** (k // 2) if k else 1
                total += coefficient
        return total

    trace = 0
    for t in range(N):
        for a in range(D):
            h = sum(m[t, j, a, b] * x[j, b] for j in range(t + 1) for b in range(D))
            z = sum(w[a, b] * x[t, b] for b in range(D)) * Rational(1, 2)
            y = expand(h * z)
            trace += mean(expand(y**2)) - mean(y) ** 2
    trace = expand(trace)
    return time.process_time() - begin, len(trace.args)


def median(f):
    return sorted(f() for _ in range(5))[2]


def main():
    plain, terms = median(by_expand)
    fast, same = median(by_ring)
    if terms != same:
        raise SystemExit("the two ways differ")
    print(f"{plain:.4g} {fast:.4g} {terms}")


if __name__ == "__main__":
    main()
