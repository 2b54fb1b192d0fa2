/* Prints the WordPiece tokens of each line of standard input.
 *
 *   tokens < LINES */
#include "executorch/text/wordpiece.h"
#include "models/search/search_vocabulary.h"
#include "text/testing_lines.h"

static size_t encode(const char *text, size_t size, int64_t *tokens,
                     size_t capacity) {
  return et_wordpiece_encode(&search_vocabulary, text, size, tokens, capacity);
}

int main(void) {
  et_testing_print_tokens(encode);
  return 0;
}
