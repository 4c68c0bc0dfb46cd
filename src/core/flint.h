/* The one place that knows which FLINT is installed: FLINT 2.9 with Arb as a library of its own (Debian 12), or FLINT 3,
 * where Arb is a part of FLINT. */
#ifndef ASSAY_CORE_FLINT_H
#define ASSAY_CORE_FLINT_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gmp.h>
#include <mpfr.h>

#ifdef HAVE_FLINT3
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <flint/fmpq_mpoly.h>
#include <flint/arf.h>
#include <flint/mag.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#else
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <flint/fmpq_mpoly.h>
#include <arf.h>
#include <mag.h>
#include <arb.h>
#include <arb_hypgeom.h>
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>
#endif

#endif
