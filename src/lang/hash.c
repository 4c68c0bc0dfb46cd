/* The fingerprint of a claim. */
#include <nettle/base16.h>
#include <nettle/sha2.h>

#include "lang/claim.h"

void claim_hash(char hex[65], const claim *c)
{
  text t;
  text_init(&t);
  claim_print(&t, c);
  struct sha256_ctx context;
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  sha256_update(&context, t.length, (const uint8_t *)text_string(&t));
  sha256_digest(&context, sizeof digest, digest);
  base16_encode_update(hex, sizeof digest, digest);
  hex[64] = 0;
  text_clear(&t);
}
