# The argument reduction of the scans without a table: X = k + F with an integer k, and f is what is computed for F.
# source: src/sim/scan_exp.h
#
# X stands for the product of Delta and A LOG2E: the exact one with fused operations, which round once, and the rounded
# one without. Here it is any real number.

@rnd = float<ieee_64, ne>;

SHIFT = 0x1.8p52;

shifted = rnd(X + SHIFT);
k rnd= shifted - SHIFT;
F = X - k;
f = rnd(F);

{ |X| <= 1101
  -> k - (shifted - SHIFT) in [0, 0]
  /\ |F| <= 0x1.001p-1                                     # EXP2_F_MAX
  /\ |f| <= 0x1.001p-1                                     # EXP2_F_MAX
  /\ |f - F| <= 0x1p-54 }                                  # supposed in scan-exp.g

X - k -> -(shifted - (X + SHIFT)) - (k - (shifted - SHIFT));
