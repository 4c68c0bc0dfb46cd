noinst_LIBRARIES += libassay-tape.a
libassay_tape_a_SOURCES = \
	src/tape/tape.h src/tape/tape_internal.h src/tape/tape.c src/tape/signs.c src/tape/simplify.c src/tape/compile.c \
	src/tape/copy.h src/tape/copy.c \
	src/tape/derivative.h src/tape/derivative.c \
	src/tape/integral.c \
	src/tape/linear.h src/tape/linear.c \
	src/tape/moments.h src/tape/moments.c src/tape/moments_terms.h src/tape/moments_terms.c \
	src/tape/solve.h src/tape/solve.c
