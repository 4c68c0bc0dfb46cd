#!/bin/sh
# Feeds every fuzz target its seeds and, unless it is libFuzzer's, spoilt copies of them.
set -eu
seeds=${top_srcdir:?}/tests/fuzz/seeds
cd "${top_builddir:?}/tests/fuzz"
./fuzz_claim "$seeds"/*.claim < /dev/null
./fuzz_certificate "$seeds"/*.json < /dev/null
./fuzz_case "$seeds"/*.case < /dev/null
./fuzz_safetensors "$seeds"/*.safetensors < /dev/null
./fuzz_npy "$seeds"/*.npy < /dev/null
./fuzz_npz "$seeds"/*.npz < /dev/null
./fuzz_gguf "$seeds"/*.gguf < /dev/null
./fuzz_table "$seeds"/*.csv < /dev/null
./fuzz_tokens "$seeds"/*.tokens < /dev/null
./fuzz_torch "$seeds"/*.pt "$seeds"/*.pickle < /dev/null
