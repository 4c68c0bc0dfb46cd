/* GGML's types of tensors by number: name, block, and what is read here. Numbers that are missing were given
 * up long ago, or are new. Source: enum ggml_type and the block structures of GGML. */
#include <stddef.h>

#include "dump/gguf.h"

static const gguf_type types[] = {
    [0] = {"F32", DUMP_F32, 1, 4},
    [1] = {"F16", DUMP_F16, 1, 2},
    [2] = {"Q4_0", DUMP_Q4_0, 32, 18},
    [3] = {"Q4_1", DUMP_Q4_1, 32, 20},
    [6] = {"Q5_0", DUMP_Q5_0, 32, 22},
    [7] = {"Q5_1", DUMP_Q5_1, 32, 24},
    [8] = {"Q8_0", DUMP_Q8_0, 32, 34},
    [9] = {"Q8_1", DUMP_OTHER, 32, 36},
    [10] = {"Q2_K", DUMP_Q2_K, 256, 84},
    [11] = {"Q3_K", DUMP_Q3_K, 256, 110},
    [12] = {"Q4_K", DUMP_Q4_K, 256, 144},
    [13] = {"Q5_K", DUMP_Q5_K, 256, 176},
    [14] = {"Q6_K", DUMP_Q6_K, 256, 210},
    [15] = {"Q8_K", DUMP_OTHER, 256, 292},
    [16] = {"IQ2_XXS", DUMP_OTHER, 256, 66},
    [17] = {"IQ2_XS", DUMP_OTHER, 256, 74},
    [18] = {"IQ3_XXS", DUMP_OTHER, 256, 98},
    [19] = {"IQ1_S", DUMP_OTHER, 256, 50},
    [20] = {"IQ4_NL", DUMP_OTHER, 32, 18},
    [21] = {"IQ3_S", DUMP_OTHER, 256, 110},
    [22] = {"IQ2_S", DUMP_OTHER, 256, 82},
    [23] = {"IQ4_XS", DUMP_OTHER, 256, 136},
    [24] = {"I8", DUMP_I8, 1, 1},
    [25] = {"I16", DUMP_I16, 1, 2},
    [26] = {"I32", DUMP_I32, 1, 4},
    [27] = {"I64", DUMP_I64, 1, 8},
    [28] = {"F64", DUMP_F64, 1, 8},
    [29] = {"IQ1_M", DUMP_OTHER, 256, 56},
    [30] = {"BF16", DUMP_BF16, 1, 2},
    [31] = {"Q4_0_4_4", DUMP_OTHER, 32, 18},
    [32] = {"Q4_0_4_8", DUMP_OTHER, 32, 18},
    [33] = {"Q4_0_8_8", DUMP_OTHER, 32, 18},
    [34] = {"TQ1_0", DUMP_OTHER, 256, 54},
    [35] = {"TQ2_0", DUMP_OTHER, 256, 66},
    [39] = {"MXFP4", DUMP_OTHER, 32, 17},
};

const gguf_type *gguf_find_type(uint64_t number)
{
  return number < sizeof types / sizeof *types && types[number].name != NULL ? &types[number] : NULL;
}
