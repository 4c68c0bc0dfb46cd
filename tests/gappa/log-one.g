# log where k = 0: relative error of y against log(1 + f).
# source: src/arith/kernel_log.c
#
# 1 + f runs from 0x1.6a09ep-1 to 0x1.6a09ep+0, and f is 0 (y is 0 then) or at least 2^-53. Log stands for
# log(1 + f). T = f - (H - S (H + Q)) is 2 S + S Q = 2 (S + S^3/3 + ... + S^21/21), and log(1 + f) = 2
# artanh S, so |log(1 + f) - T| <= 2 |S|^23 / (23 (1 - S^2)), with |S| < 0.17158: that is below |S| 2^-59.4
# and below 2^-61.9. The first of these is a hypothesis.

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
v rnd= s * a;
b rnd= h - v;
y rnd= f - b;

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
B = H - V;
Q_Z = (2/3 + W * (2/7 + W * (2/11 + W * (2/15 + W * (2/19)))))
      + Z * (2/5 + W * (2/9 + W * (2/13 + W * (2/17 + W * (2/21)))));

{ |f| in [1b-53, 0x1.a8278p-2]                          # F_MAX
  /\ f in [-0x1.2bec4p-2, 0x1.a8278p-2]                 # F_MAX
  /\ |(Log - T)/S| <= 1b-59
  -> |(y - Log)/Log| <= 0x1.2p-52 }                     # KERNEL_LOG_REL

(y - Log)/Log -> ((y - Log)/f)/(Log/f) {f <> 0, Log <> 0};
(y - Log)/f -> ((y - (f - b))/(f - b)) * (1 - b/f) - (b - B)/f - ((Log - T)/S)/(2 + f)
  {f <> 0, f - b <> 0, S <> 0};
Log/f -> (2 + Q)/(2 + f) + ((Log - T)/S)/(2 + f) {f <> 0, S <> 0};
b/f -> (1 + (b - (h - v))/(h - v)) * ((h/f) * (1 - v/h)) {f <> 0, h - v <> 0, h <> 0};
h/f -> (1 + (h - H)/H) * (f/2) {f <> 0};
v/h -> (1 + (v - s*a)/(s*a)) * (1 + (s - S)/S) * (f/(2 + f)) * (a/h) {f <> 0, s*a <> 0, S <> 0, h <> 0};
a/h -> (1 + (a - (h + q))/(h + q)) * (1 + q/h) {h <> 0, h + q <> 0};
q/h -> (1 + (q - Q)/Q) * (2 * Q_Z / ((2 + f)*(2 + f))) / (1 + (h - H)/H) {h <> 0, H <> 0, Q <> 0};
(b - B)/f -> ((b - (h - v))/(h - v)) * ((h/f) * (1 - v/h)) + ((h - H)/H) * (f/2) - (v - V)/f
  {f <> 0, h - v <> 0, h <> 0};
(v - V)/f -> ((v - s*a)/(s*a)) * (1 + (s - S)/S) * a/(2 + f) + ((s - S)/S) * a/(2 + f) + (a - A)/(2 + f)
  {f <> 0, s*a <> 0, S <> 0};
h - v -> h * (1 - v/h) {h <> 0};
f - b -> f * (1 - b/f) {f <> 0};
$ f in (0);
