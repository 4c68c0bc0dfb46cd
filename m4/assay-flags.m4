dnl Compiler flags, probed one by one. They go into AM_CFLAGS, AM_CPPFLAGS and AM_LDFLAGS: the user's
dnl CFLAGS are never touched, and, standing last on the command line, may add to ours.

dnl ASSAY_TRY_CFLAG(VARIABLE, FLAG, [IF-NOT]): adds FLAG to VARIABLE where the compiler takes it without a
dnl murmur.
AC_DEFUN([ASSAY_TRY_CFLAG], [
  AS_VAR_PUSHDEF([cache], [assay_cv_cflag_$2])
  AC_CACHE_CHECK([whether $CC accepts $2], [cache], [
    assay_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$assay_saved_CFLAGS
  ])
  AS_VAR_IF([cache], [yes], [AS_VAR_APPEND([$1], [" $2"])], [m4_default([$3], [:])])
  AS_VAR_POPDEF([cache])
])

dnl ASSAY_FLOATING_POINT: sets FP_CFLAGS, and stops where rounding to nearest, operation by operation,
dnl cannot be had. Every error bound in src/arith rests on it.
AC_DEFUN([ASSAY_FLOATING_POINT], [
  FP_CFLAGS=
  for assay_flag in $CC $CFLAGS $CPPFLAGS; do
    AS_CASE([$assay_flag],
      [-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|dnl
-ffinite-math-only|-fno-signed-zeros|-ffp-contract=fast|-ffp-contract=on|-ffp-model=fast|-mdaz-ftz|dnl
-fexcess-precision=fast],
        [AC_MSG_ERROR([$assay_flag changes what is computed, and every certificate rests on plain IEEE arithmetic])])
  done
  ASSAY_TRY_CFLAG([FP_CFLAGS], [-ffp-contract=off],
    [AC_MSG_ERROR([$CC does not accept -ffp-contract=off, without which no error bound holds])])
  ASSAY_TRY_CFLAG([FP_CFLAGS], [-fno-math-errno])
  AC_CACHE_CHECK([whether double arithmetic is rounded operation by operation], [assay_cv_plain_double], [
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <float.h>
#ifdef __FAST_MATH__
#error "fast-math is on"
#endif
#if FLT_EVAL_METHOD != 0 || FLT_RADIX != 2 || DBL_MANT_DIG != 53
#error "not IEEE 754 binary64, operation by operation"
#endif
int dummy;
]])], [assay_cv_plain_double=yes], [assay_cv_plain_double=no])
  ])
  AS_IF([test "x$assay_cv_plain_double" != xyes],
    [AC_MSG_ERROR([double arithmetic is not plain IEEE 754 binary64 (on i386: -msse2 -mfpmath=sse)])])
  AC_SUBST([FP_CFLAGS])
])

dnl ASSAY_WARNINGS: sets WARN_CFLAGS, for what is written by hand, and GENERATED_CFLAGS, for what flex and
dnl bison write.
AC_DEFUN([ASSAY_WARNINGS], [
  WARN_CFLAGS=
  GENERATED_CFLAGS=
  m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
      -Wpointer-arith -Wwrite-strings -Wundef -Wvla], [ASSAY_TRY_CFLAG([WARN_CFLAGS], flag)])
  dnl clang warns of loops that it leaves scalar, as it does without optimisation.
  ASSAY_TRY_CFLAG([WARN_CFLAGS], [-Wno-pass-failed])
  AS_IF([test -z "$OPENMP_CFLAGS"], [ASSAY_TRY_CFLAG([WARN_CFLAGS], [-Wno-unknown-pragmas])])
  m4_foreach_w([flag], [-Wno-sign-compare -Wno-unused-function -Wno-unused-but-set-variable
      -Wno-unused-parameter -Wno-missing-prototypes -Wno-shadow -Wno-undef], [ASSAY_TRY_CFLAG([GENERATED_CFLAGS], flag)])
  AS_IF([test "x$enable_werror" = xyes],
    [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
  AC_SUBST([WARN_CFLAGS])
  AC_SUBST([GENERATED_CFLAGS])
])

dnl ASSAY_REQUIRE_INSTRUMENT(VARIABLE, FLAG, OPTION): FLAG, or an error that names the option that needs it.
AC_DEFUN([ASSAY_REQUIRE_INSTRUMENT], [
  ASSAY_TRY_CFLAG([$1], [$2], 
    [AC_MSG_ERROR([$3 needs a compiler that accepts $2, and its run-time library])])
])

dnl ASSAY_INSTRUMENTATION: sets INSTRUMENT_CFLAGS (compiling and linking), FUZZ_LDFLAGS and
dnl assay_instrumented.
AC_DEFUN([ASSAY_INSTRUMENTATION], [
  INSTRUMENT_CFLAGS=
  INSTRUMENT_CPPFLAGS=
  FUZZ_LDFLAGS=
  assay_instrumented=no
  AS_IF([test "x$enable_sanitizers" = xyes || test "x$enable_fuzzing" = xyes], [
    assay_instrumented=yes
    ASSAY_REQUIRE_INSTRUMENT([INSTRUMENT_CFLAGS], [-fsanitize=address], [--enable-sanitizers])
    ASSAY_REQUIRE_INSTRUMENT([INSTRUMENT_CFLAGS], [-fsanitize=undefined], [--enable-sanitizers])
    ASSAY_TRY_CFLAG([INSTRUMENT_CFLAGS], [-fno-sanitize-recover=all])
    ASSAY_TRY_CFLAG([INSTRUMENT_CFLAGS], [-fno-omit-frame-pointer])
    dnl The dynamic linker picks a version of a function before the sanitizer's run time is ready: build
    dnl one version.
    INSTRUMENT_CPPFLAGS="-DASSAY_ONE_TARGET"
  ])
  AS_IF([test "x$enable_fuzzing" = xyes], [
    ASSAY_REQUIRE_INSTRUMENT([INSTRUMENT_CFLAGS], [-fsanitize=fuzzer-no-link], [--enable-fuzzing])
    FUZZ_LDFLAGS=-fsanitize=fuzzer
  ])
  AS_IF([test "x$enable_coverage" = xyes], [
    ASSAY_REQUIRE_INSTRUMENT([INSTRUMENT_CFLAGS], [--coverage], [--enable-coverage])
    ASSAY_TRY_CFLAG([INSTRUMENT_CFLAGS], [-fprofile-update=atomic])
    INSTRUMENT_CPPFLAGS="-DASSAY_ONE_TARGET"
    dnl The one place where CFLAGS is set: only autoconf's own default is replaced, never what the user gave.
    AS_IF([test "x$assay_user_CFLAGS" = xno], [CFLAGS="-g -O0"])
  ])
  AC_SUBST([INSTRUMENT_CFLAGS])
  AC_SUBST([INSTRUMENT_CPPFLAGS])
  AC_SUBST([FUZZ_LDFLAGS])
])
