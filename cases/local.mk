# What to run and what is expected, installed below $(pkgdatadir)/cases, and what it was made with. `make
# lists` rewrites the lists.

# list nobase_dist_pkgdata_DATA: cases *.case *.json *.safetensors
nobase_dist_pkgdata_DATA += \
  cases/models/assay-recall-mamba.safetensors \
  cases/wang2025.case
# end of list

# list EXTRA_DIST: cases *.py *.sh *.md README* *.txt
EXTRA_DIST += \
  cases/models/README
# end of list

# The script that trained the model.
# list EXTRA_DIST: tools *.py
EXTRA_DIST += \
  tools/train-recall-mamba.py
# end of list
