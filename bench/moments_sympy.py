"""moments_sympy.py: the expectation that bench/moments.claim states, expanded by SymPy with the same symbols. Prints the seconds of
processor time, the median of five times.

For a variable of variance v the expectation of the power 2k is (2k - 1)!! v^k, of an odd power 0. Polynomials are elements of a SymPy
ring in the random elements and the symbols together, which is much faster than its expand()."""

import time

from sympy import QQ, factorial2, ring

N, D = 4, 2


def expand():
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


def main():
    seconds, terms = sorted(expand() for _ in range(5))[2]
    print(f"{seconds:.4g} {terms}")


if __name__ == "__main__":
    main()
