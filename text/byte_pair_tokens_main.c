/* Prints the byte-pair tokens of each line of standard input.
 *
 *   byte_pair_tokens < LINES
 *
 * The macros VOCABULARY and VOCABULARY_HEADER name the vocabulary. */
#include VOCABULARY_HEADER

#include "executorch/text/byte_pairs.h"
#include "text/testing_lines.h"

enum { kWork = 1 << 16 };

static et_byte_pair_symbol work[kWork];

static size_t encode(const char *text, size_t size, int64_t *tokens,
                     size_t capacity) {
  return et_byte_pairs_encode(&VOCABULARY, text, size, tokens, capacity, work,
                              kWork);
}

int main(void) {
  et_testing_print_tokens(encode);
  return 0;
}
