# The argument reduction of exp and expm1: x = k ln 2 + R, and r is what is computed for R.
# source: src/arith/kernel_exp.c
#
# Ln2 stands for the real number ln 2; tests/arith/test_kernels.c checks with balls how close LN2_HI +
# LN2_LO is to it. The first formula: close to 0, k = 0; then both products are 0 and r = x = R exactly.

@rnd = float<ieee_64, ne>;

SHIFT = 0x1.8p52;
INV_LN2 = 0x1.71547652b82fep+0;
LN2_HI = 0x1.62e42fefa38p-1;
LN2_LO = 0x1.ef35793c7673p-45;

x = rnd(x_);
a rnd= x * INV_LN2;
t rnd= a + SHIFT;
k rnd= t - SHIFT;
kh rnd= k * LN2_HI;
d rnd= x - kh;
kl rnd= k * LN2_LO;
r rnd= d - kl;
R = x - k * Ln2;

{ (|x| <= 0.25 -> k in [0, 0]) /\
  (|x| in [0.25, 709.0]                                 # KERNEL_EXP_HI
   /\ Ln2 - (LN2_HI + LN2_LO) in [-1b-102, 1b-102]      # LN2_ERROR
   -> |k| <= 1023
   /\ k - (t - SHIFT) in [0, 0]
   /\ kh - k * LN2_HI in [0, 0]
   /\ d - (x - kh) in [0, 0]
   /\ |R| <= 0x1.63p-2                                  # R_MAX
   /\ |r| <= 0x1.63p-2                                  # R_MAX
   /\ |r - R| <= 0x1.01p-55) }

R -> (x - a * Ln2) + (a - k) * Ln2;
x - a * Ln2 -> x * (1 - INV_LN2 * Ln2) - (a - x * INV_LN2) * Ln2;
Ln2 -> (Ln2 - (LN2_HI + LN2_LO)) + (LN2_HI + LN2_LO);
a - k -> (a + SHIFT - t) - (k - (t - SHIFT));
r - R -> (r - (d - kl)) + (d - (x - kh)) - (kh - k * LN2_HI) - (kl - k * LN2_LO)
         + k * (Ln2 - (LN2_HI + LN2_LO));
x - kh -> R - (kh - k * LN2_HI) + k * (Ln2 - LN2_HI);
d - kl -> R + (d - (x - kh)) - (kh - k * LN2_HI) - (kl - k * LN2_LO) + k * (Ln2 - (LN2_HI + LN2_LO));
