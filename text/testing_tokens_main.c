/* Prints the tokens of each line of standard input.
 *
 *   tokens < LINES
 *
 * The macros VOCABULARY and VOCABULARY_HEADER select a byte-pair vocabulary; with UNIGRAM, a
 * Unigram vocabulary, or, with WORDPIECE, a WordPiece vocabulary. By default, the vocabulary is that
 * of //models/search (WordPiece). */
#include <stdio.h>
#include <stdlib.h>

#if defined(UNIGRAM)
#include VOCABULARY_HEADER

#include "executorch/text/unigram.h"
#elif defined(WORDPIECE)
#include VOCABULARY_HEADER

#include "executorch/text/wordpiece.h"
#elif defined(VOCABULARY)
#include VOCABULARY_HEADER

#include "executorch/text/bpe.h"
#else
#include "executorch/text/wordpiece.h"
#include "models/search/search_vocabulary.h"
#define WORDPIECE
#define VOCABULARY search_vocabulary
#endif

enum { kLine = 1 << 21, kTokens = 1 << 21 };

static char line[kLine];
static int64_t tokens[kTokens];

#if defined(UNIGRAM)
/* Writes the tokens of text, at most kTokens, and returns their number. */
static size_t encode(const char *text, size_t size) {
  const size_t work_count = et_unigram_work_count(&VOCABULARY, text, size);
  et_unigram_node *work = malloc(work_count * sizeof *work);
  if (work == NULL) {
    abort();
  }
  const size_t count = et_unigram_encode(&VOCABULARY, text, size, tokens,
                                         kTokens, work, work_count);
  free(work);
  return count;
}
#elif defined(WORDPIECE)
static size_t encode(const char *text, size_t size) {
  return et_wordpiece_encode(&VOCABULARY, text, size, tokens, kTokens);
}
#else
enum { kWork = 1 << 16 };

static et_bpe_symbol work[kWork];

/* Writes the tokens of text, at most kTokens, and returns their number. */
static size_t encode(const char *text, size_t size) {
  return et_bpe_encode(&VOCABULARY, text, size, tokens, kTokens, work, kWork);
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
