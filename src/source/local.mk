noinst_LIBRARIES += libassay-source.a
libassay_source_a_SOURCES = \
  src/source/case_file.c src/source/case_file.h \
  src/source/draw.c src/source/draw.h \
  src/source/draw_fill.c src/source/draw_fill.h \
  src/source/draw_fill_wide.c \
  src/source/draw_lanes.c src/source/draw_lanes.h \
  src/source/grid.c src/source/grid.h \
  src/source/simplest.c src/source/simplest.h
# The loops over lanes draw as fast as `bounded` checks; vectors are never passed between files.
libassay_source_a_CFLAGS = $(AM_CFLAGS) -O3 -Wno-psabi
