dnl ASSAY_PKG(VARIABLE, MODULES, DEBIAN-PACKAGE): PKG_CHECK_MODULES with an error that names the Debian
dnl package.
AC_DEFUN([ASSAY_PKG], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 not found; on Debian: apt install $3])])
])

dnl ASSAY_REQUIRE_FLEX_BISON: any lex and any yacc will not do.
AC_DEFUN([ASSAY_REQUIRE_FLEX_BISON], [
  AC_CACHE_CHECK([whether ${LEX:-lex} is flex], [assay_cv_lex_is_flex], [
    AS_IF([$LEX --version 2>/dev/null | grep flex >/dev/null],
      [assay_cv_lex_is_flex=yes], [assay_cv_lex_is_flex=no])
  ])
  AS_IF([test "x$assay_cv_lex_is_flex" != xyes],
    [AC_MSG_ERROR([flex not found; on Debian: apt install flex])])
  AC_CACHE_CHECK([whether ${YACC:-yacc} is bison 3], [assay_cv_yacc_is_bison], [
    AS_IF([$YACC --version 2>/dev/null | grep 'bison.* 3\.' >/dev/null],
      [assay_cv_yacc_is_bison=yes], [assay_cv_yacc_is_bison=no])
  ])
  AS_IF([test "x$assay_cv_yacc_is_bison" != xyes],
    [AC_MSG_ERROR([bison 3 not found; on Debian: apt install bison])])
])

dnl ASSAY_GLPK: sets GLPK_LIBS. GLPK has no file for pkg-config.
AC_DEFUN([ASSAY_GLPK], [
  AC_CHECK_HEADER([glpk.h], [], [AC_MSG_ERROR([glpk.h not found; on Debian: apt install libglpk-dev])])
  AC_CHECK_LIB([glpk], [glp_simplex], [GLPK_LIBS=-lglpk],
    [AC_MSG_ERROR([libglpk not found; on Debian: apt install libglpk-dev])])
  AC_SUBST([GLPK_LIBS])
])

dnl ASSAY_CBLAS: sets CBLAS_CFLAGS and CBLAS_LIBS, and defines ASSAY_BLAS_NAME and, where the library has it,
dnl HAVE_OPENBLAS_SET_NUM_THREADS. The user's own CBLAS_LIBS come first; then OpenBLAS, BLIS, and whatever
dnl the system's libblas is (the reference implementation is right, and ten times slower).
AC_DEFUN([ASSAY_CBLAS], [
  AC_ARG_VAR([CBLAS_CFLAGS], [where cblas.h is])
  AC_ARG_VAR([CBLAS_LIBS], [how to link with a BLAS that has the C interface])
  assay_saved_CPPFLAGS=$CPPFLAGS
  assay_saved_LIBS=$LIBS
  AC_CACHE_CHECK([for a CBLAS], [assay_cv_cblas], [
    assay_cv_cblas=none
    for assay_blas in ${CBLAS_LIBS:+user} openblas blis blas cblas; do
      AS_CASE([$assay_blas],
        [user], [
          assay_cv_cblas_cflags=$CBLAS_CFLAGS
          assay_cv_cblas_libs=$CBLAS_LIBS],
        [cblas], [
          assay_cv_cblas_cflags=
          assay_cv_cblas_libs="-lcblas -lblas"],
        [
          assay_cv_cblas_cflags=`$PKG_CONFIG --cflags $assay_blas 2>/dev/null`
          assay_cv_cblas_libs=`$PKG_CONFIG --libs $assay_blas 2>/dev/null`
          test -n "$assay_cv_cblas_libs" || assay_cv_cblas_libs=-l$assay_blas])
      CPPFLAGS="$assay_cv_cblas_cflags $assay_saved_CPPFLAGS"
      LIBS="$assay_cv_cblas_libs $assay_saved_LIBS -lm"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]], [[
  double x = 2, y = 3, z = 0;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1, 1, 1, 1, &x, 1, &y, 1, 0, &z, 1);
  return z != 6;
]])], [assay_cv_cblas=$assay_blas; break])
    done
  ])
  AS_IF([test "x$assay_cv_cblas" = xnone],
    [AC_MSG_ERROR([no BLAS with cblas.h found; on Debian: apt install libopenblas-pthread-dev])])
  CBLAS_CFLAGS=$assay_cv_cblas_cflags
  CBLAS_LIBS=$assay_cv_cblas_libs
  assay_blas_words=`echo $CBLAS_LIBS`
  AC_DEFINE_UNQUOTED([ASSAY_BLAS_NAME], ["$assay_blas_words"], [How the BLAS in use is linked])
  CPPFLAGS="$CBLAS_CFLAGS $assay_saved_CPPFLAGS"
  LIBS="$CBLAS_LIBS $assay_saved_LIBS -lm"
  AC_CHECK_FUNCS([openblas_set_num_threads])
  LIBS=$assay_saved_LIBS
  CPPFLAGS=$assay_saved_CPPFLAGS
])

dnl ASSAY_FLINT: sets FLINT_LIBS and FLINT_CFLAGS and defines HAVE_FLINT3, or finds FLINT 2.9 with Arb
dnl 2.23 as a library of its own, called flint-arb by Debian and arb by its authors. Both need GMP and
dnl MPFR.
AC_DEFUN([ASSAY_FLINT], [
  AC_ARG_VAR([FLINT_CFLAGS], [where the headers of GMP, MPFR, FLINT and Arb are])
  AC_ARG_VAR([FLINT_LIBS], [how to link with GMP, MPFR, FLINT and Arb])
  AC_CHECK_HEADERS([gmp.h mpfr.h], [],
    [AC_MSG_ERROR([GMP or MPFR not found; on Debian: apt install libgmp-dev libmpfr-dev])])
  assay_saved_CPPFLAGS=$CPPFLAGS
  assay_saved_LIBS=$LIBS
  CPPFLAGS="$FLINT_CFLAGS $CPPFLAGS"
  AC_CACHE_CHECK([which FLINT is installed], [assay_cv_flint], [
    assay_cv_flint=none
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <flint/flint.h>
#if __FLINT_RELEASE < 20900
#error "too old"
#endif
#include <arb.h>
#include <arb_hypgeom.h>
]])], [assay_cv_flint=2])
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <flint/flint.h>
#if __FLINT_RELEASE < 30000
#error "no Arb inside"
#endif
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
]])], [assay_cv_flint=3])
  ])
  AS_CASE([$assay_cv_flint],
    [3], [
      assay_flint_name="3 (with Arb)"
      AC_DEFINE([HAVE_FLINT3], [1], [Define to 1 if Arb is a part of FLINT (3.0 and later)])
      assay_flint_try="-lflint"],
    [2], [
      assay_flint_name="2.9 and Arb"
      assay_flint_try="-lflint-arb -larb"],
    [AC_MSG_ERROR([FLINT with Arb not found; on Debian: apt install libflint-dev (on 12: and libflint-arb-dev)])])
  AC_CACHE_CHECK([how to link with FLINT and Arb], [assay_cv_flint_libs], [
    assay_cv_flint_libs=none
    for assay_arb in ${FLINT_LIBS:+user} $assay_flint_try; do
      AS_CASE([$assay_arb],
        [user], [assay_one=$FLINT_LIBS],
        [-lflint], [assay_one="-lflint -lmpfr -lgmp -lm"],
        [assay_one="$assay_arb -lflint -lmpfr -lgmp -lm"])
      LIBS="$assay_one $assay_saved_LIBS"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#ifdef HAVE_FLINT3
#include <flint/fmpq.h>
#include <flint/arb_hypgeom.h>
#else
#include <flint/fmpq.h>
#include <arb_hypgeom.h>
#endif
#include <mpfr.h>
]], [[
  arb_t x;
  mpfr_t y;
  arb_init(x);
  mpfr_init2(y, 53);
  arb_hypgeom_erf(x, x, 64);
  mpfr_clear(y);
  arb_clear(x);
]])], [assay_cv_flint_libs=$assay_one; break])
    done
  ])
  AS_IF([test "x$assay_cv_flint_libs" = xnone],
    [AC_MSG_ERROR([the headers of FLINT are there, but linking with it fails])])
  FLINT_LIBS=$assay_cv_flint_libs
  LIBS=$assay_saved_LIBS
  CPPFLAGS=$assay_saved_CPPFLAGS
])
