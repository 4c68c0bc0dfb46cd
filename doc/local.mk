# The manual pages.
dist_man_MANS += doc/assay.1 doc/assay-verify.1 doc/assay-claim.5 doc/assay-family.5 doc/assay-results.5

# An example, run by tests/house/polarization.sh.
EXTRA_DIST += doc/polarization.txt
