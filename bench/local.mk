# `make bench`: ratios measured side by side in one run, one line each, NAME RATIO BAR ok|short, and the
# same in bench/results.json of the build tree. Being short of a bar is a finding, not a failure of the
# build.
bench_tools =
EXTRA_PROGRAMS += $(bench_tools)
CLEANFILES += $(bench_tools) bench/results.json

bench: all $(bench_tools)
	@$(MKDIR_P) bench
	-@if test -f $(srcdir)/bench/run.sh; then top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	  $(SHELL) $(srcdir)/bench/run.sh; fi
.PHONY: bench
