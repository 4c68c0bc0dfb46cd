#!/bin/sh
# What doc/polarization.txt shows of the two associative-recall models is what assay finds in them.

set -eu
top=$(cd "${top_srcdir:-.}" && pwd -P)
DOCUMENT=doc/polarization.txt exec sh "$top/tests/house/readme.sh"
