# tests/check: nothing yet.
