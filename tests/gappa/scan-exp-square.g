# The decay of the scans without a table: the square of any double w that is as close to W as the polynomial is to 2^(F/2)
# (scan-exp-root.g). Adding k to the exponent is exact.
# source: src/sim/scan_exp.h

@rnd = float<ieee_64, ne>;

w = rnd(w_);
y rnd= w * w;

{ W in [0.8408, 1.1893] /\ w in [0.84, 1.19]
  /\ |(w - W)/W| <= 0x1.cp-53                              # EXP2_ROOT_REL
  -> |(y - W * W)/(W * W)| <= 0x1.2p-51 }                  # SCAN_EXP_REL
