/* Prints the tokens of each line of standard input.
 *
 *   tokens < LINES
 *
 * The macros VOCABULARY and VOCABULARY_HEADER select a byte-pair vocabulary. By
 * default, the vocabulary is that of //models/search (WordPiece). */
#include <stdio.h>

#ifdef VOCABULARY
#include VOCABULARY_HEADER

#include "executorch/text/bpe.h"
#else
#include "executorch/text/wordpiece.h"
#include "models/search/search_vocabulary.h"
#endif

enum { kLine = 1 << 16, kTokens = 1 << 16 };

static char line[kLine];
static int64_t tokens[kTokens];

#ifdef VOCABULARY
enum { kWork = 1 << 16 };

static et_bpe_symbol work[kWork];

/* Writes the tokens of text, at most kTokens, and returns their number. */
static size_t encode(const char *text, size_t size) {
  return et_bpe_encode(&VOCABULARY, text, size, tokens, kTokens, work, kWork);
}
#else
static size_t encode(const char *text, size_t size) {
  return et_wordpiece_encode(&search_vocabulary, text, size, tokens, kTokens);
}
#endif

static size_t read_line(void) {
  size_t size = 0;
  int c = getchar();
  for (; c != EOF && c != '\n' && size < kLine; c = getchar()) {
    line[size++] = (char)c;
  }
  return c == EOF && size == 0 ? SIZE_MAX : size;
}

int main(void) {
  for (size_t size = read_line(); size != SIZE_MAX; size = read_line()) {
    const size_t count = encode(line, size);
    for (size_t i = 0; i < count; ++i) {
      printf(i == 0 ? "%d" : " %d", (int)tokens[i]);
    }
    putchar('\n');
  }
  return 0;
}
