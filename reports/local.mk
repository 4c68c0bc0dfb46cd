# The schemas of what is written as JSON, which are installed, and golden samples. `make lists` rewrites the lists.

# list nobase_dist_pkgdata_DATA: reports *schema.json
nobase_dist_pkgdata_DATA += \
  reports/measure-schema.json \
  reports/schema.json \
  reports/table-schema.json \
  reports/tensors-schema.json
# end of list
