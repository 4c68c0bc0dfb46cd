# exp: the polynomial, as a relative error against e^R. Multiplication by 2^k afterwards is exact.
# source: src/arith/kernel_exp.c
#
# Exp_r and Exp_R stand for e^r and e^R. Two facts about them are hypotheses:
# - Lagrange: |e^r - (1 + r + ... + r^13/13!)| <= |r|^14 e^|r| / 14! < 2^-57.2 for |r| <= 0x1.63p-2.
# - |R - r| <= 0x1.01p-55 (exp-reduce.g), and |e^d - 1| <= |d| + d^2 for |d| <= 1: so |e^R - e^r|/e^r, which
#   is |e^(R - r) - 1|, is at most 0x1.02p-55.

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

Taylor = 1 + (r + P);
y rnd= 1 + e;

{ |r| <= 0x1.63p-2                                    # R_MAX
  /\ |Exp_r - Taylor| <= 1b-57                          # EXP_TAIL
  /\ |(Exp_R - Exp_r)/Exp_r| <= 0x1.02p-55              # EXP_MOVED
  -> |(y - Exp_R)/Exp_R| <= 0x1.bp-53 }                 # KERNEL_EXP_REL

(y - Exp_R)/Exp_R -> ((y - Exp_r)/Exp_r - (Exp_R - Exp_r)/Exp_r)/(1 + (Exp_R - Exp_r)/Exp_r)
  {Exp_r <> 0, Exp_R <> 0};
Exp_R -> Exp_r * (1 + (Exp_R - Exp_r)/Exp_r) {Exp_r <> 0};
(y - Exp_R)/Exp_R $ r in 32;
