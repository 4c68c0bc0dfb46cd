# The decay of the AVX-512 scan: the power T 2^f of 2, before it is scaled by 2^floor(k).
# source: src/sim/scan_table.h
#
# F stands for X - k, Exp_F for 2^F, Exp_f for 2^f, Power for 2^(j/16). Hypotheses:
# - the polynomial without rounding and the table are as close to the powers as stated (tests/sim/test_scan_exp.c);
# - |f - F| <= 0x1p-58 (scan-table-reduce.g), and |2^f - 2^F| <= 0.71 2^F |f - F| for |f - F| < 1/100.

@rnd = float<ieee_64, ne>;

F1 = 0x1.62e42fefa39fdp-1;
F2 = 0x1.ebfbdff82c553p-3;
F3 = 0x1.c6b08d6e8ba08p-5;
F4 = 0x1.3b2ab6fe272c3p-7;
F5 = 0x1.5d89bdcd027dap-10;
F6 = 0x1.430818ad73dddp-13;

f = rnd(f_);
q5 = rnd(F6 * f + F5);
q4 = rnd(q5 * f + F4);
q3 = rnd(q4 * f + F3);
q2 = rnd(q3 * f + F2);
q1 = rnd(q2 * f + F1);
p rnd= f * q1;
t = rnd(t_);
y = rnd(t * (1 + p)); # t p + t, fused

# The same without rounding.
P5 = F6 * f + F5;
P4 = P5 * f + F4;
P3 = P4 * f + F3;
P2 = P3 * f + F2;
P1 = P2 * f + F1;
Poly = f * P1;

{ |f| <= 0x1.001p-5                                       # TABLE_F_MAX
  /\ t in [1, 2]
  /\ Exp_F in [0.978, 1.022] /\ Power in [0.9, 2.1]
  /\ |(1 + Poly) - Exp_f| <= 0x1.4p-57                      # tested
  /\ |Exp_f - Exp_F| <= 0x1p-58                             # TABLE_F_ERROR
  /\ |(t - Power)/Power| <= 0x1p-53                         # tested
  -> |(y - Power * Exp_F)/(Power * Exp_F)| <= 0x1.2p-51 }  # SCAN_EXP_REL

(1 + p) - Exp_F -> (p - Poly) + ((1 + Poly) - Exp_f) + (Exp_f - Exp_F);
