noinst_LIBRARIES += libassay-arith.a
libassay_arith_a_SOURCES = \
  src/arith/arith.h \
  src/arith/ball.c \
  src/arith/ball_complex.c src/arith/ball_complex.h \
  src/arith/ball_functions.c src/arith/ball_functions.h \
  src/arith/ball_integral.c src/arith/ball_integral.h \
  src/arith/bounded.c src/arith/bounded_internal.h \
  src/arith/bounded_draft.c src/arith/bounded_draft.h \
  src/arith/bounded_execute.c \
  src/arith/bounded_functions.c \
  src/arith/bounded_fusion.c src/arith/bounded_fusion.h \
  src/arith/bounded_general.c src/arith/bounded_general.h \
  src/arith/bounded_nodes.c src/arith/bounded_nodes.h \
  src/arith/bounded_plan.c \
  src/arith/bounded_truths.h \
  src/arith/bounded_values.h \
  src/arith/exact.c src/arith/exact_internal.h \
  src/arith/exact_dyadic.c \
  src/arith/exact_filter.c \
  src/arith/exact_rational.c \
  src/arith/kernel_exp.c \
  src/arith/kernel_log.c \
  src/arith/kernel_loop.h \
  src/arith/kernels.h \
  src/arith/real.c src/arith/real_internal.h \
  src/arith/real_functions.c \
  src/arith/real_gradient.c \
  src/arith/real_integral.c \
  src/arith/self_test.c src/arith/self_test.h \
  src/arith/special.c src/arith/special.h \
  src/arith/truths.h \
  src/arith/twofold.h \
  src/arith/vector.h
# The loops over lanes are what the program spends its time in; vectors are never passed between files.
libassay_arith_a_CFLAGS = $(AM_CFLAGS) -O3 -Wno-psabi
