# log1p where k = 0 and f <> 0: relative error of y against log(1 + f) + log(1 + C).
# source: src/arith/kernel_log.c
#
# u = 1 + f is 1 + x rounded, c = 1 + x - u, C = c/u = rho f. Where f = 0, the result is x itself; see
# kernel_log.c. |c| is at most half an ulp of u and |f| at least an ulp, 2^-52 above 1 and 2^-53 below: |c|
# <= |f|/2. For |f| < 2^-40, u ~ 1, and rho may pass 1/2 by one part in 2^40; hence 0x1.01p-1. For larger f,
# |C| <= 2^-53 gives |rho| <= 2^-13.
# cases: |rho| <= 0x1.01p-1 /\ |f| in [1b-53, 1b-40] ; |rho| <= 1b-12 /\ |f| in [1b-40, 0x1.a8278p-2]
#
# The four operations that c enters have their errors written as factors 1 + e_..., since their results may
# be 0: sums of doubles never suffer from underflow, and c is 0 or at least 2^-110, far from it too.
#
# T = f - (H - S (H + Q)) is 2 S + S Q = 2 (S + S^3/3 + ... + S^21/21), and log(1 + f) = 2 artanh S, so
# |log(1 + f) - T| <= 2 |S|^23 / (23 (1 - S^2)), with |S| < 0.17158: that is below |S| 2^-59.4 and below
# 2^-61.9. And |log(1 + C) - C| <= 0x1.01p-1 C^2, which is below |f| 2^-55 * 0x1.02p0: |C| <= 2^-53 with |f|
# >= 2^-52 where f > 0, |C| <= 2^-53.5 with |f| >= 2^-53 where f < 0. The sum of both, over |f|, is a
# hypothesis.

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
sa rnd= s * a;
cu = (rho * f) * (1 + e_cu);
v = (sa + cu) * (1 + e_v);
b = (h - v) * (1 + e_b);
y = (f - b) * (1 + e_y);

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
Sum = T + rho * f;

{ |rho| <= 0x1.01p-1 /\ |f| in [1b-53, 1b-40]
  /\ |f| in [1b-53, 0x1.a8278p-2]                       # F_MAX
  /\ f in [-0x1.2bec4p-2, 0x1.a8278p-2]                 # F_MAX
  /\ |e_cu| <= 1b-53
  /\ |e_v| <= 1b-53
  /\ |e_b| <= 1b-53
  /\ |e_y| <= 1b-53
  /\ |(Log - Sum)/f| <= 0x1.1p-55
  -> |(y - Log)/Log| <= 0x1.4p-51 }                     # KERNEL_LOG1P_REL

(y - Log)/Log -> ((y - Log)/f)/(Log/f) {f <> 0, Log <> 0};
(y - Log)/f -> e_y * (1 - b/f) - e_b * (h/f - v/f) - ((h - H)/H) * (f/2) + (v - V - rho*f)/f - (Log - Sum)/f
  {f <> 0};
(v - V - rho*f)/f -> e_v * (sa/f + (1 + e_cu) * rho) + (sa - V)/f + e_cu * rho {f <> 0};
b/f -> (1 + e_b) * (h/f - v/f) {f <> 0};
h/f -> (1 + (h - H)/H) * (f/2) {f <> 0};
v/f -> (1 + e_v) * (sa/f + (1 + e_cu) * rho) {f <> 0};
sa/f -> (1 + (sa - s*a)/(s*a)) * (1 + (s - S)/S) * a/(2 + f) {f <> 0, s*a <> 0, S <> 0};
(sa - V)/f -> ((sa - s*a)/(s*a)) * (1 + (s - S)/S) * a/(2 + f) + ((s - S)/S) * a/(2 + f) + (a - A)/(2 + f)
  {f <> 0, s*a <> 0, S <> 0};
Log/f -> (2 + Q)/(2 + f) + rho + (Log - Sum)/f {f <> 0};
$ f in (0), rho in 8;
