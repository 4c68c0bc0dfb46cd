# What to run and what is expected, and the families of models, installed below $(pkgdatadir)/cases, and what it
# was made with. `make lists` rewrites the lists.

# list nobase_dist_pkgdata_DATA: cases *.case *.family *.json *.safetensors *.csv
nobase_dist_pkgdata_DATA += \
  cases/families/gla.family \
  cases/families/hgrn2.family \
  cases/families/lru.family \
  cases/families/mamba-1.family \
  cases/families/mamba-2.family \
  cases/families/mamba-falcon.family \
  cases/families/mingru.family \
  cases/families/retnet.family \
  cases/families/rg-lru.family \
  cases/families/rwkv.family \
  cases/families/s4d.family \
  cases/families/s5.family \
  cases/families/selective-diagonal.family \
  cases/hoang2025.case \
  cases/hoang2025/kvpr.csv \
  cases/hoang2025/main.csv \
  cases/hoang2025/mdqa.csv \
  cases/models/assay-mqar-default.safetensors \
  cases/models/assay-mqar-polarized.safetensors \
  cases/models/assay-recall-mamba.safetensors \
  cases/wang2025.case \
  cases/wang2025/table-1.csv \
  cases/wang2025/table-2.csv
# end of list

# list EXTRA_DIST: cases *.py *.sh *.md README* *.txt
EXTRA_DIST += \
  cases/models/README \
  cases/models/assay-mqar-tokens.txt
# end of list

# The script that trained the model.
# list EXTRA_DIST: tools *.py
EXTRA_DIST += \
  tools/make-block-table.py \
  tools/make-dump-fixtures.py \
  tools/make-safetensors-fixtures.py \
  tools/make-torch-fixtures.py \
  tools/safetensors_file.py \
  tools/train-mqar-mamba.py \
  tools/train-recall-mamba.py
# end of list
