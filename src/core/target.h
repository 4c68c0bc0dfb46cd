/* Run-time dispatch of hot loops to the instruction set at hand.
 *
 * A function marked TARGET_VECTOR is compiled twice, with and without AVX2, and the right one is taken when the program
 * starts. Contraction is off everywhere, so both give the same bits. It must be static and called in its own file: clang
 * exports the dispatched symbol under another name. Sanitized builds (ASSAY_ONE_TARGET) use one version: dispatch runs
 * before the sanitizer is ready. */
#ifndef ASSAY_CORE_TARGET_H
#define ASSAY_CORE_TARGET_H

#if defined(__x86_64__) && defined(__has_attribute) && !defined(__SANITIZE_ADDRESS__) && !defined(ASSAY_ONE_TARGET)
#if __has_attribute(target_clones)
#define TARGET_VECTOR __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef TARGET_VECTOR
#define TARGET_VECTOR
#endif

#endif
