# What holds of the tree as a whole.
dist_check_SCRIPTS += tests/rooms.sh tests/house/lists.sh tests/house/judge.sh \
  tests/house/manual.sh tests/house/readme.sh tests/house/polarization.sh
TESTS += tests/rooms.sh tests/house/lists.sh tests/house/judge.sh \
  tests/house/manual.sh tests/house/readme.sh tests/house/polarization.sh
