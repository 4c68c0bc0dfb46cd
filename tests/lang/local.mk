lang_tests = tests/lang/test_parse tests/lang/test_print tests/lang/test_hostile tests/lang/test_lower
check_PROGRAMS += $(lang_tests) tests/lang/parse_only
TESTS += $(lang_tests) tests/lang/errors.sh tests/lang/manual-examples.sh tests/lang/manual-words.sh
dist_check_SCRIPTS += tests/lang/errors.sh tests/lang/manual-examples.sh tests/lang/manual-words.sh

lang_libraries = libassay-lang.a libassay-core.a

tests_lang_test_parse_SOURCES = tests/lang/test_parse.c tests/lang/tree_dump.h
tests_lang_test_parse_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lang_test_parse_LDADD = $(lang_libraries) $(CHECK_LIBS) $(FLINT_LIBS) $(NETTLE_LIBS)
tests_lang_test_print_SOURCES = tests/lang/test_print.c tests/lang/tree_dump.h
tests_lang_test_print_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lang_test_print_LDADD = $(lang_libraries) $(CHECK_LIBS) $(FLINT_LIBS) $(NETTLE_LIBS)
tests_lang_test_hostile_SOURCES = tests/lang/test_hostile.c
tests_lang_test_hostile_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lang_test_hostile_LDADD = $(lang_libraries) $(CHECK_LIBS) $(FLINT_LIBS) $(NETTLE_LIBS)

tests_lang_test_lower_SOURCES = tests/lang/test_lower.c
tests_lang_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_lang_test_lower_LDADD = libassay-lower.a libassay-lang.a libassay-tape.a libassay-core.a $(CHECK_LIBS) \
  $(NETTLE_LIBS) $(FLINT_LIBS) -lpthread

tests_lang_parse_only_SOURCES = tests/lang/parse_only.c
tests_lang_parse_only_LDADD = libassay-lower.a $(lang_libraries) libassay-tape.a libassay-core.a \
  $(FLINT_LIBS) $(NETTLE_LIBS) -lpthread

# list EXTRA_DIST: tests/lang/errors *.in *.out
EXTRA_DIST += \
  tests/lang/errors/after-end.in \
  tests/lang/errors/after-end.out \
  tests/lang/errors/ampersands.in \
  tests/lang/errors/ampersands.out \
  tests/lang/errors/bad-escape.in \
  tests/lang/errors/bad-escape.out \
  tests/lang/errors/branches-differ.in \
  tests/lang/errors/branches-differ.out \
  tests/lang/errors/claim-named-by-number.in \
  tests/lang/errors/claim-named-by-number.out \
  tests/lang/errors/claim-twice.in \
  tests/lang/errors/claim-twice.out \
  tests/lang/errors/claim-without-name.in \
  tests/lang/errors/claim-without-name.out \
  tests/lang/errors/control-character.in \
  tests/lang/errors/control-character.out \
  tests/lang/errors/crlf-unknown-name.in \
  tests/lang/errors/crlf-unknown-name.out \
  tests/lang/errors/cycle-scalars.in \
  tests/lang/errors/cycle-scalars.out \
  tests/lang/errors/cycle.in \
  tests/lang/errors/cycle.out \
  tests/lang/errors/dangling-operator.in \
  tests/lang/errors/dangling-operator.out \
  tests/lang/errors/derivative-by-expression.in \
  tests/lang/errors/derivative-by-expression.out \
  tests/lang/errors/derivative-by-index.in \
  tests/lang/errors/derivative-by-index.out \
  tests/lang/errors/derivative-by-let.in \
  tests/lang/errors/derivative-by-let.out \
  tests/lang/errors/derivative-of-truth.in \
  tests/lang/errors/derivative-of-truth.out \
  tests/lang/errors/derivative-one-argument.in \
  tests/lang/errors/derivative-one-argument.out \
  tests/lang/errors/drop-twice.in \
  tests/lang/errors/drop-twice.out \
  tests/lang/errors/drop-unknown-label.in \
  tests/lang/errors/drop-unknown-label.out \
  tests/lang/errors/element-of-itself.in \
  tests/lang/errors/element-of-itself.out \
  tests/lang/errors/element-twice-at-once.in \
  tests/lang/errors/element-twice-at-once.out \
  tests/lang/errors/element-twice.in \
  tests/lang/errors/element-twice.out \
  tests/lang/errors/empty-file.in \
  tests/lang/errors/empty-file.out \
  tests/lang/errors/equals-twice.in \
  tests/lang/errors/equals-twice.out \
  tests/lang/errors/exponent-fraction.in \
  tests/lang/errors/exponent-fraction.out \
  tests/lang/errors/exponent-given.in \
  tests/lang/errors/exponent-given.out \
  tests/lang/errors/family-without-index.in \
  tests/lang/errors/family-without-index.out \
  tests/lang/errors/fine-crlf.in \
  tests/lang/errors/fine-crlf.out \
  tests/lang/errors/fine-dots.in \
  tests/lang/errors/fine-dots.out \
  tests/lang/errors/fine-greek.in \
  tests/lang/errors/fine-greek.out \
  tests/lang/errors/fine-later-let.in \
  tests/lang/errors/fine-later-let.out \
  tests/lang/errors/fine-names.in \
  tests/lang/errors/fine-names.out \
  tests/lang/errors/fine-no-last-newline.in \
  tests/lang/errors/fine-no-last-newline.out \
  tests/lang/errors/fine-replaced-by-let.in \
  tests/lang/errors/fine-replaced-by-let.out \
  tests/lang/errors/fine-size-below.in \
  tests/lang/errors/fine-size-below.out \
  tests/lang/errors/fine-two-claims.in \
  tests/lang/errors/fine-two-claims.out \
  tests/lang/errors/fold-without-colon.in \
  tests/lang/errors/fold-without-colon.out \
  tests/lang/errors/from-cycle.in \
  tests/lang/errors/from-cycle.out \
  tests/lang/errors/from-itself.in \
  tests/lang/errors/from-itself.out \
  tests/lang/errors/from-missing-file.in \
  tests/lang/errors/from-missing-file.out \
  tests/lang/errors/from-unknown.in \
  tests/lang/errors/from-unknown.out \
  tests/lang/errors/function-no-argument.in \
  tests/lang/errors/function-no-argument.out \
  tests/lang/errors/function-two-arguments.in \
  tests/lang/errors/function-two-arguments.out \
  tests/lang/errors/given-as-index.in \
  tests/lang/errors/given-as-index.out \
  tests/lang/errors/given-element-twice.in \
  tests/lang/errors/given-element-twice.out \
  tests/lang/errors/given-without-range.in \
  tests/lang/errors/given-without-range.out \
  tests/lang/errors/if-without-else.in \
  tests/lang/errors/if-without-else.out \
  tests/lang/errors/index-not-closed.in \
  tests/lang/errors/index-not-closed.out \
  tests/lang/errors/index-out-of-scope.in \
  tests/lang/errors/index-out-of-scope.out \
  tests/lang/errors/index-shadows-given.in \
  tests/lang/errors/index-shadows-given.out \
  tests/lang/errors/index-shadows-index.in \
  tests/lang/errors/index-shadows-index.out \
  tests/lang/errors/interval-closed-at-infinity.in \
  tests/lang/errors/interval-closed-at-infinity.out \
  tests/lang/errors/interval-closed-at-minus-infinity.in \
  tests/lang/errors/interval-closed-at-minus-infinity.out \
  tests/lang/errors/interval-one-end.in \
  tests/lang/errors/interval-one-end.out \
  tests/lang/errors/keyword-as-name.in \
  tests/lang/errors/keyword-as-name.out \
  tests/lang/errors/label-inherited.in \
  tests/lang/errors/label-inherited.out \
  tests/lang/errors/label-twice.in \
  tests/lang/errors/label-twice.out \
  tests/lang/errors/less-turned.in \
  tests/lang/errors/less-turned.out \
  tests/lang/errors/let-as-index.in \
  tests/lang/errors/let-as-index.out \
  tests/lang/errors/let-both-kinds.in \
  tests/lang/errors/let-both-kinds.out \
  tests/lang/errors/lines-disagree.in \
  tests/lang/errors/lines-disagree.out \
  tests/lang/errors/missing-bracket.in \
  tests/lang/errors/missing-bracket.out \
  tests/lang/errors/missing-colon.in \
  tests/lang/errors/missing-colon.out \
  tests/lang/errors/missing-element-above.in \
  tests/lang/errors/missing-element-above.out \
  tests/lang/errors/missing-element-backward.in \
  tests/lang/errors/missing-element-backward.out \
  tests/lang/errors/missing-element.in \
  tests/lang/errors/missing-element.out \
  tests/lang/errors/missing-end.in \
  tests/lang/errors/missing-end.out \
  tests/lang/errors/missing-given-element.in \
  tests/lang/errors/missing-given-element.out \
  tests/lang/errors/missing-label.in \
  tests/lang/errors/missing-label.out \
  tests/lang/errors/misspelt-declaration.in \
  tests/lang/errors/misspelt-declaration.out \
  tests/lang/errors/name-twice.in \
  tests/lang/errors/name-twice.out \
  tests/lang/errors/not-utf8.in \
  tests/lang/errors/not-utf8.out \
  tests/lang/errors/not-yet-mean.in \
  tests/lang/errors/not-yet-mean.out \
  tests/lang/errors/not-yet-random.in \
  tests/lang/errors/not-yet-random.out \
  tests/lang/errors/nothing-shown.in \
  tests/lang/errors/nothing-shown.out \
  tests/lang/errors/nul-byte.in \
  tests/lang/errors/nul-byte.out \
  tests/lang/errors/number-after-not.in \
  tests/lang/errors/number-after-not.out \
  tests/lang/errors/number-as-condition.in \
  tests/lang/errors/number-as-condition.out \
  tests/lang/errors/number-as-truth.in \
  tests/lang/errors/number-as-truth.out \
  tests/lang/errors/number-in-and.in \
  tests/lang/errors/number-in-and.out \
  tests/lang/errors/number-then-name.in \
  tests/lang/errors/number-then-name.out \
  tests/lang/errors/number-too-large.in \
  tests/lang/errors/number-too-large.out \
  tests/lang/errors/only-comments.in \
  tests/lang/errors/only-comments.out \
  tests/lang/errors/point-first.in \
  tests/lang/errors/point-first.out \
  tests/lang/errors/point-last.in \
  tests/lang/errors/point-last.out \
  tests/lang/errors/power-stars.in \
  tests/lang/errors/power-stars.out \
  tests/lang/errors/range-end-declared-below.in \
  tests/lang/errors/range-end-declared-below.out \
  tests/lang/errors/range-fraction.in \
  tests/lang/errors/range-fraction.out \
  tests/lang/errors/range-given.in \
  tests/lang/errors/range-given.out \
  tests/lang/errors/range-of-itself.in \
  tests/lang/errors/range-of-itself.out \
  tests/lang/errors/range-through-let.in \
  tests/lang/errors/range-through-let.out \
  tests/lang/errors/range-with-comma.in \
  tests/lang/errors/range-with-comma.out \
  tests/lang/errors/reordering-character.in \
  tests/lang/errors/reordering-character.out \
  tests/lang/errors/replace-own-label.in \
  tests/lang/errors/replace-own-label.out \
  tests/lang/errors/replace-unknown-label.in \
  tests/lang/errors/replace-unknown-label.out \
  tests/lang/errors/replace-without-from.in \
  tests/lang/errors/replace-without-from.out \
  tests/lang/errors/replaced-given-breaks-use.in \
  tests/lang/errors/replaced-given-breaks-use.out \
  tests/lang/errors/role-missing.in \
  tests/lang/errors/role-missing.out \
  tests/lang/errors/scalar-twice.in \
  tests/lang/errors/scalar-twice.out \
  tests/lang/errors/scalar-with-index.in \
  tests/lang/errors/scalar-with-index.out \
  tests/lang/errors/show-and-possible.in \
  tests/lang/errors/show-and-possible.out \
  tests/lang/errors/size-becomes-given.in \
  tests/lang/errors/size-becomes-given.out \
  tests/lang/errors/size-bound-before-declared.in \
  tests/lang/errors/size-bound-before-declared.out \
  tests/lang/errors/size-bound-given.in \
  tests/lang/errors/size-bound-given.out \
  tests/lang/errors/size-name-twice.in \
  tests/lang/errors/size-name-twice.out \
  tests/lang/errors/size-without-bound.in \
  tests/lang/errors/size-without-bound.out \
  tests/lang/errors/size-without-values.in \
  tests/lang/errors/size-without-values.out \
  tests/lang/errors/stray-character.in \
  tests/lang/errors/stray-character.out \
  tests/lang/errors/string-as-value.in \
  tests/lang/errors/string-as-value.out \
  tests/lang/errors/string-unterminated.in \
  tests/lang/errors/string-unterminated.out \
  tests/lang/errors/sum-of-list.in \
  tests/lang/errors/sum-of-list.out \
  tests/lang/errors/surplus-bracket.in \
  tests/lang/errors/surplus-bracket.out \
  tests/lang/errors/title-not-a-string.in \
  tests/lang/errors/title-not-a-string.out \
  tests/lang/errors/title-twice.in \
  tests/lang/errors/title-twice.out \
  tests/lang/errors/too-few-indices.in \
  tests/lang/errors/too-few-indices.out \
  tests/lang/errors/too-many-indices-in-force.in \
  tests/lang/errors/too-many-indices-in-force.out \
  tests/lang/errors/too-many-indices.in \
  tests/lang/errors/too-many-indices.out \
  tests/lang/errors/trivial-truth.in \
  tests/lang/errors/trivial-truth.out \
  tests/lang/errors/truth-as-number.in \
  tests/lang/errors/truth-as-number.out \
  tests/lang/errors/truth-compared.in \
  tests/lang/errors/truth-compared.out \
  tests/lang/errors/truth-in-function.in \
  tests/lang/errors/truth-in-function.out \
  tests/lang/errors/truth-in-sum.in \
  tests/lang/errors/truth-in-sum.out \
  tests/lang/errors/try-given.in \
  tests/lang/errors/try-given.out \
  tests/lang/errors/try-twice.in \
  tests/lang/errors/try-twice.out \
  tests/lang/errors/try-unknown-size.in \
  tests/lang/errors/try-unknown-size.out \
  tests/lang/errors/two-mistakes.in \
  tests/lang/errors/two-mistakes.out \
  tests/lang/errors/two-roles.in \
  tests/lang/errors/two-roles.out \
  tests/lang/errors/unknown-function-far.in \
  tests/lang/errors/unknown-function-far.out \
  tests/lang/errors/unknown-function.in \
  tests/lang/errors/unknown-function.out \
  tests/lang/errors/unknown-index.in \
  tests/lang/errors/unknown-index.out \
  tests/lang/errors/unknown-name-after-tabs.in \
  tests/lang/errors/unknown-name-after-tabs.out \
  tests/lang/errors/unknown-name-far.in \
  tests/lang/errors/unknown-name-far.out \
  tests/lang/errors/unknown-name-greek.in \
  tests/lang/errors/unknown-name-greek.out \
  tests/lang/errors/unknown-name-second-line.in \
  tests/lang/errors/unknown-name-second-line.out \
  tests/lang/errors/unknown-name.in \
  tests/lang/errors/unknown-name.out \
  tests/lang/errors/utf8-cut-off.in \
  tests/lang/errors/utf8-cut-off.out \
  tests/lang/errors/utf8-overlong.in \
  tests/lang/errors/utf8-overlong.out \
  tests/lang/errors/wrong-parent-once.in \
  tests/lang/errors/wrong-parent-once.out
# end of list
