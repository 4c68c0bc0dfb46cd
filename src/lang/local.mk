noinst_LIBRARIES += libassay-lang.a
libassay_lang_a_SOURCES = \
  src/lang/claim.h \
  src/lang/comment.c src/lang/comment.h \
  src/lang/encoding.c \
  src/lang/flat.h src/lang/flatten.c \
  src/lang/hash.c \
  src/lang/latex.c src/lang/latex.h src/lang/latex_claim.c \
  src/lang/lexer.l \
  src/lang/library.c \
  src/lang/literal.c src/lang/literal.h \
  src/lang/names.c src/lang/names.h \
  src/lang/parser.y \
  src/lang/print.c \
  src/lang/resolve.c src/lang/resolve.h src/lang/resolve_claim.c \
  src/lang/syntax.c src/lang/syntax.h \
  src/lang/table.c src/lang/table.h src/lang/table_given.c src/lang/table_usage.c \
  src/lang/tree.c src/lang/tree.h \
  src/lang/tree_memory.c src/lang/tree_memory.h \
  src/lang/types.c src/lang/types.h \
  src/lang/variant.c src/lang/variant.h \
  src/lang/words.c src/lang/words.h

# The lexer and words.c include the header that comes with the parser.
BUILT_SOURCES += src/lang/parser.h
src/lang/lexer.$(OBJEXT) src/lang/words.$(OBJEXT): src/lang/parser.h
MAINTAINERCLEANFILES += src/lang/parser.c src/lang/parser.h src/lang/lexer.c

# Apart from the language, because the judge must not be able to use it.
noinst_LIBRARIES += libassay-lower.a
libassay_lower_a_SOURCES = \
  src/lang/lower.c src/lang/lower.h src/lang/lowering.h \
  src/lang/lower_fold.c \
  src/lang/lower_integral.c src/lang/lower_node.c src/lang/lower_reference.c
