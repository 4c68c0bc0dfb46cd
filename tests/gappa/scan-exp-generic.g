# The decay of the portable scan: 2^f as the square of a polynomial. Adding k to the exponent is exact.
# source: src/sim/scan_exp.h
#
# Root_f and Root_F stand for 2^(f/2) and 2^(F/2), F for X - k. Hypotheses:
# - the polynomial without rounding is as close to Root_f as stated (tests/sim/test_scan_exp.c, with balls);
# - |f - F| <= 0x1p-54 (scan-exp-reduce.g), and |2^(f/2) - 2^(F/2)| <= 0.42 |f - F| next to |F| <= 1/2.

@rnd = float<ieee_64, ne>;

C1 = 0x1.62e42fefa39efp-2;
C2 = 0x1.ebfbdff82c482p-5;
C3 = 0x1.c6b08d704a8b1p-8;
C4 = 0x1.3b2ab6fc489a1p-11;
C5 = 0x1.5d87fe750e4aap-15;
C6 = 0x1.43090b3b31558p-19;
C7 = 0x1.ffcc1fab1334bp-24;
C8 = 0x1.6309ecdbfa971p-28;
C9 = 0x1.b4d3350c838f3p-33;

f = rnd(f_);
q8 rnd= C9 * f + C8;
q7 rnd= q8 * f + C7;
q6 rnd= q7 * f + C6;
q5 rnd= q6 * f + C5;
q4 rnd= q5 * f + C4;
q3 rnd= q4 * f + C3;
q2 rnd= q3 * f + C2;
q1 rnd= q2 * f + C1;
root rnd= q1 * f + 1;

# The square, of any double w that is as close to W as root is to Root_F.
w = rnd(w_);
y rnd= w * w;

Poly = 1 + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * (C5 + f * (C6 + f * (C7 + f * (C8 + f * C9))))))));

{ (|f| <= 0x1.001p-1                                      # EXP2_F_MAX
   /\ Root_F in [0.8408, 1.1893]
   /\ |Poly - Root_f| <= 0x1.2p-55                          # EXP2_TAIL
   /\ |Root_f - Root_F| <= 0x1p-55                          # EXP2_MOVED
   -> |(root - Root_F)/Root_F| <= 0x1.cp-53) /\              # EXP2_ROOT_REL
  (W in [0.8408, 1.1893] /\ w in [0.84, 1.19]
   /\ |(w - W)/W| <= 0x1.cp-53                              # EXP2_ROOT_REL
   -> |(y - W * W)/(W * W)| <= 0x1.2p-51) }                 # SCAN_EXP_REL

root - Root_F -> (root - Poly) + (Poly - Root_f) + (Root_f - Root_F);
