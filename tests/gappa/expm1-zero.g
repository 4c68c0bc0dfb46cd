# expm1 where k = 0: relative error of e against e^x - 1 (r = x, and the result is e).
# source: src/arith/kernel_exp.c
#
# Arguments below 2^-400 are left to kernel_exp.c's comment. Expm1 stands for e^r - 1. Hypothesis, by
# Lagrange: |e^r - (1 + r + ... + r^13/13!)| / |r| <= |r|^13 e^|r| / 14! < 2^-55.7 for |r| <= 0x1.63p-2.

@rnd = float<ieee_64, ne>;

E2 = 0x1p-1;
E3 = 0x1.5555555555555p-3;
E4 = 0x1.5555555555555p-5;
E5 = 0x1.1111111111111p-7;
E6 = 0x1.6c16c16c16c17p-10;
E7 = 0x1.a01a01a01a01ap-13;
E8 = 0x1.a01a01a01a01ap-16;
E9 = 0x1.71de3a556c734p-19;
E10 = 0x1.27e4fb7789f5cp-22;
E11 = 0x1.ae64567f544e4p-26;
E12 = 0x1.1eed8eff8d898p-29;
E13 = 0x1.6124613a86d09p-33;

r = rnd(r_);
z rnd= r * r;
even rnd= E2 + z * (E4 + z * (E6 + z * (E8 + z * (E10 + z * E12))));
odd rnd= E3 + z * (E5 + z * (E7 + z * (E9 + z * (E11 + z * E13))));
p rnd= z * (even + r * odd);
e rnd= r + p;

# The same without rounding, the coefficients being 1/2!, 1/3!, ..., 1/13!.
Z = r * r;
Even = 1/2 + Z * (1/24 + Z * (1/720 + Z * (1/40320 + Z * (1/3628800 + Z * (1/479001600)))));
Odd = 1/6 + Z * (1/120 + Z * (1/5040 + Z * (1/362880 + Z * (1/39916800 + Z * (1/6227020800)))));
P = Z * (Even + r * Odd);

{ |r| in [1b-400, 0x1.63p-2]                            # R_MAX
  /\ |(Expm1 - (r + P))/r| <= 0x1.4p-56
  -> |(e - Expm1)/Expm1| <= 0x1p-52 }

(e - Expm1)/Expm1 -> ((e - Expm1)/r)/(Expm1/r) {r <> 0, Expm1 <> 0};
(e - Expm1)/r -> ((e - (r + p))/(r + p)) * (1 + (p/P) * (r * (Even + r * Odd)))
                 + ((p - P)/P) * (r * (Even + r * Odd)) - (Expm1 - (r + P))/r {r <> 0, P <> 0, r + p <> 0};
Expm1/r -> 1 + r * (Even + r * Odd) + (Expm1 - (r + P))/r {r <> 0};
p/P -> 1 + (p - P)/P {P <> 0};
r + p -> r * (1 + (p/P) * (r * (Even + r * Odd))) {P <> 0, r <> 0};
$ r in (-0.3, -0.2, -0.1, -0.05, -1b-6, 0, 1b-6, 0.05, 0.1, 0.2, 0.3);
