#!/bin/sh
# Influence through models of every kind of block that has an adjoint, against automatic differentiation by PyTorch in float64.
WHAT=influence PROGRAM=run_influence exec sh "${top_srcdir:?}/tests/sim/torch-agree.sh"
