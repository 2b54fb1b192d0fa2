/* Prints the tokens of each line of standard input, for tests that compare them.
 *
 *   tokens < LINES */
#include <stdio.h>

#include "executorch/text/wordpiece.h"
#include "models/search/search_vocabulary.h"

enum { kLine = 1 << 16, kTokens = 1 << 16 };

static char line[kLine];
static int64_t tokens[kTokens];

static size_t read_line(void) {
  size_t size = 0;
  int c = getchar();
  for (; c != EOF && c != '\n' && size < kLine; c = getchar()) {
    line[size++] = (char)c;
  }
  return c == EOF && size == 0 ? (size_t)-1 : size;
}

int main(void) {
  for (size_t size = read_line(); size != (size_t)-1; size = read_line()) {
    const size_t count =
        et_wordpiece_encode(&search_vocabulary, line, size, tokens, kTokens);
    for (size_t i = 0; i < count; ++i) {
      printf(i == 0 ? "%d" : " %d", (int)tokens[i]);
    }
    putchar('\n');
  }
  return 0;
}
