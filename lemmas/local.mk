# The bundled claims, installed below $(pkgdatadir)/lemmas, and what stands beside them. `make lists`
# rewrites the lists.

# list nobase_dist_pkgdata_DATA: lemmas *.claim
nobase_dist_pkgdata_DATA += \
  lemmas/hoang2025/definition-cka.claim \
  lemmas/hoang2025/definition-similarity.claim \
  lemmas/hoang2025/definition-smoothness.claim \
  lemmas/hoang2025/definition-stability.claim \
  lemmas/hoang2025/depth-assumptions.claim \
  lemmas/hoang2025/depth-expectation.claim \
  lemmas/hoang2025/depth-ordering.claim \
  lemmas/hoang2025/depth-poincare.claim \
  lemmas/hoang2025/depth-propagation.claim \
  lemmas/hoang2025/proposition-1.claim \
  lemmas/hoang2025/proposition-2.claim \
  lemmas/hoang2025/proposition-3.claim \
  lemmas/hoang2025/table-average.claim \
  lemmas/hoang2025/table-bold.claim \
  lemmas/hoang2025/table-drops.claim \
  lemmas/hoang2025/table-length.claim \
  lemmas/hoang2025/table-peaks.claim \
  lemmas/hoang2025/table-size.claim \
  lemmas/hoang2025/table-smoothness.claim \
  lemmas/hoang2025/theorem-1.claim \
  lemmas/hoang2025/theorem-2-independence.claim \
  lemmas/hoang2025/theorem-2-product.claim \
  lemmas/hoang2025/theorem-2-variance.claim \
  lemmas/hoang2025/theorem-2-weights.claim \
  lemmas/hoang2025/theorem-2.claim \
  lemmas/hoang2025/theorem-3-silu.claim \
  lemmas/hoang2025/theorem-3-unrolled.claim \
  lemmas/hoang2025/theorem-3.claim \
  lemmas/hoang2025/theorem-4-steps.claim \
  lemmas/hoang2025/theorem-4.claim \
  lemmas/hoang2025/theorem-5-bounds.claim \
  lemmas/hoang2025/theorem-5-jensen.claim \
  lemmas/hoang2025/theorem-5-threshold.claim \
  lemmas/hoang2025/theorem-5-transformer.claim \
  lemmas/hoang2025/theorem-5.claim \
  lemmas/wang2025/depth.claim \
  lemmas/wang2025/energy.claim \
  lemmas/wang2025/families-assumption.claim \
  lemmas/wang2025/families-conclusion.claim \
  lemmas/wang2025/figure-6.claim \
  lemmas/wang2025/lemma-d1.claim \
  lemmas/wang2025/lemma-d6.claim \
  lemmas/wang2025/polarization.claim \
  lemmas/wang2025/proposition-4-1.claim \
  lemmas/wang2025/relaxation.claim \
  lemmas/wang2025/section-5.claim \
  lemmas/wang2025/table-1.claim \
  lemmas/wang2025/table-2.claim \
  lemmas/wang2025/theorem-3-1.claim \
  lemmas/wang2025/theorem-4-2.claim
# end of list

# list EXTRA_DIST: lemmas *.v *.md README* *.txt
# end of list
