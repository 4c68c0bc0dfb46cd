# The schema of results.json, which is installed, and golden samples. `make lists` rewrites the lists.

# list nobase_dist_pkgdata_DATA: reports schema.json
nobase_dist_pkgdata_DATA += \
  reports/schema.json
# end of list
