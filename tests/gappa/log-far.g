# log and log1p where k <> 0: relative error against k ln 2 + log(1 + f) + log(1 + C).
# source: src/arith/kernel_log.c
#
# log1p takes the logarithm of (1 + x) rounded, u = 2^k (1 + f), and C = c/u stands for what the rounding
# lost; its double is cu. For log, both are 0. |c| is at most half an ulp of u, so |C| <= 2^-53, and |log(1
# + C) - C| <= 2^-106. T = f - (H - S (H + Q)) is 2 S + S Q = 2 (S + S^3/3 + ... + S^21/21), and log(1 + f)
# = 2 artanh S, so |log(1 + f) - T| <= 2 |S|^23 / (23 (1 - S^2)), with |S| < 0.17158: that is below |S|
# 2^-59.4 and below 2^-61.9. Log stands for the exact result; |Log - (k ln 2 + T + C)| <= 2^-61.9 + 2^-106
# is a hypothesis.
# cases: k in [1, 1] ; k in [-1, -1] ; k in [2, 1024] ; k in [-1022, -2]

@rnd = float<ieee_64, ne>;

L1 = 0x1.5555555555555p-1;
L2 = 0x1.999999999999ap-2;
L3 = 0x1.2492492492492p-2;
L4 = 0x1.c71c71c71c71cp-3;
L5 = 0x1.745d1745d1746p-3;
L6 = 0x1.3b13b13b13b14p-3;
L7 = 0x1.1111111111111p-3;
L8 = 0x1.e1e1e1e1e1e1ep-4;
L9 = 0x1.af286bca1af28p-4;
L10 = 0x1.8618618618618p-4;

f = rnd(f_);
h rnd= 0.5 * f * f;
g rnd= 2 + f;
s rnd= f / g;
z rnd= s * s;
w rnd= z * z;
odd rnd= z * (L1 + w * (L3 + w * (L5 + w * (L7 + w * L9))));
even rnd= w * (L2 + w * (L4 + w * (L6 + w * (L8 + w * L10))));
q rnd= odd + even;
a rnd= h + q;

LN2_HI = 0x1.62e42fefa38p-1;
LN2_LO = 0x1.ef35793c7673p-45;

k = fixed<0, ne>(k_);
cu = rnd(cu_);
kh rnd= k * LN2_HI;
kl rnd= k * LN2_LO;
low rnd= kl + cu;
v rnd= s * a + low;
b rnd= h - v;
y rnd= f - b;
result rnd= kh + y;

# The same without rounding, the coefficients being 2/3, 2/5, ..., 2/21.
H = 1/2 * f * f;
S = f / (2 + f);
Z = S * S;
W = Z * Z;
Odd = Z * (2/3 + W * (2/7 + W * (2/11 + W * (2/15 + W * (2/19)))));
Even = W * (2/5 + W * (2/9 + W * (2/13 + W * (2/17 + W * (2/21)))));
Q = Odd + Even;
A = H + Q;
V = S * A;
T = f - (H - V);
Sum = k * Ln2 + T + C;

{ k in [1, 1]
  /\ f in [-0x1.2bec4p-2, 0x1.a8278p-2]                 # F_MAX
  /\ |cu| <= 1b-53
  /\ |cu - C| <= 1b-106
  /\ |Log - Sum| <= 1b-61
  /\ Ln2 - (LN2_HI + LN2_LO) in [-1b-102, 1b-102]       # LN2_ERROR
  -> kh - k * LN2_HI in [0, 0]
  /\ |(result - Log)/Log| <= 0x1.2p-52 }                # KERNEL_LOG_REL

(result - Log)/Log -> ((result - (kh + y))/(kh + y)) * (1 + ((kh + y) - Log)/Log) + ((kh + y) - Log)/Log
  {kh + y <> 0, Log <> 0};
kh + y - Log -> (kh - k * LN2_HI) + (kl - k * LN2_LO) - k * (Ln2 - (LN2_HI + LN2_LO)) + (y - (f - b))
                - (b - (h - v)) - (h - H) + (v - (s*a + low)) + (s*a - V)
                + (low - (kl + cu)) + (cu - C) - (Log - Sum);
Ln2 -> (Ln2 - (LN2_HI + LN2_LO)) + (LN2_HI + LN2_LO);
T -> (2 * f)/(2 + f) + S * Q {2 + f <> 0};
$ f in 16;
