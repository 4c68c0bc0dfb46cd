# tests/claims: nothing yet.
