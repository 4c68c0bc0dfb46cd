# The decay of the portable scan: the polynomial for 2^(f/2), by what rounding does to it.
# source: src/sim/scan_exp.h
#
# |f - F| <= 0x1p-54 (scan-exp-reduce.g), F being X - k, and so |f| <= 0x1.001p-1.

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

# The same without rounding.
P8 = C9 * f + C8;
P7 = P8 * f + C7;
P6 = P7 * f + C6;
P5 = P6 * f + C5;
P4 = P5 * f + C4;
P3 = P4 * f + C3;
P2 = P3 * f + C2;
P1 = P2 * f + C1;
Poly = P1 * f + 1;

# What rounding does, by where f lies. From there scan-exp-root.g goes on.
{ (f in [-0x1.001p-1, 0]
   -> |root - Poly| <= 0x1.9p-54) /\                       # EXP2_ROUND_LOW
  (f in [0, 0.25]
   -> |root - Poly| <= 0x1.23p-53) /\                      # EXP2_ROUND_MIDDLE
  (f in [0.25, 0x1.001p-1]                                 # EXP2_F_MAX
   -> |root - Poly| <= 0x1.49p-53) }                       # EXP2_ROUND_HIGH
