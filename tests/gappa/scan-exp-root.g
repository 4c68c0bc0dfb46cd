# The decay of the scans without a table: the polynomial for 2^(f/2) as a relative error against 2^(F/2), F being X - k.
# source: src/sim/scan_exp.h
# cases: Root_F in [0.8408, 1.0001] /\ |Root - Poly_f| <= 0x1.9p-54 ; Root_F in [0.9999, 1.1893] /\ |Root - Poly_f| <= 0x1.23p-53 ; Root_F in [1.09, 1.1893] /\ |Root - Poly_f| <= 0x1.49p-53
#
# Root is the polynomial as computed, Poly_f the same without rounding, Root_f and Root_F stand for 2^(f/2) and 2^(F/2).
# Hypotheses:
# - what rounding does, by where f lies (scan-exp.g with fused operations, scan-exp-generic.g without): the cases are f <= 0,
#   0 <= f <= 1/4, and f >= 1/4, where Root_F is at least 1.09;
# - the polynomial without rounding is as close to Root_f as stated (tests/sim/test_scan_exp.c, with balls);
# - |f - F| <= 0x1p-54 (scan-exp-reduce.g), and |2^(f/2) - 2^(F/2)| <= 0.42 |f - F| next to |F| <= 1/2.

{ Root_F in [0.8408, 1.0001] /\ |Root - Poly_f| <= 0x1.9p-54
  /\ |Poly_f - Root_f| <= 0x1.2p-55                        # tested
  /\ |Root_f - Root_F| <= 0x1p-55                          # as said above
  -> |(Root - Root_F)/Root_F| <= 0x1.cp-53 }               # EXP2_ROOT_REL

Root - Root_F -> (Root - Poly_f) + (Poly_f - Root_f) + (Root_f - Root_F);
