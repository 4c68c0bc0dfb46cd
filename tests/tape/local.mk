# tests/tape: nothing yet.
