# The argument reduction of the AVX-512 scan: X = k + F with k a multiple of 1/16, and f is what is computed for F.
# source: src/sim/scan_table.h
#
# X stands for the exact product of Delta and A LOG2E: both come out of a fused operation, which rounds once.

@rnd = float<ieee_64, ne>;

SHIFT_SIXTEENTHS = 0x1.8p48;

shifted = rnd(X + SHIFT_SIXTEENTHS);
k rnd= shifted - SHIFT_SIXTEENTHS;
F = X - k;
f = rnd(F);

{ |X| <= 1b20
  -> k - (shifted - SHIFT_SIXTEENTHS) in [0, 0]
  /\ |F| <= 0x1.001p-5                                     # TABLE_F_MAX
  /\ |f| <= 0x1.001p-5                                     # TABLE_F_MAX
  /\ |f - F| <= 0x1p-58 }                                 # TABLE_F_ERROR

X - k -> -(shifted - (X + SHIFT_SIXTEENTHS)) - (k - (shifted - SHIFT_SIXTEENTHS));
