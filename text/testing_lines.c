#include "text/testing_lines.h"

#include <stdio.h>

enum { kLine = 1 << 16, kTokens = 1 << 16 };

static char line[kLine];
static int64_t tokens[kTokens];

static size_t read_line(void) {
  size_t size = 0;
  int c = getchar();
  for (; c != EOF && c != '\n' && size < kLine; c = getchar()) {
    line[size++] = (char)c;
  }
  return c == EOF && size == 0 ? SIZE_MAX : size;
}

void et_testing_print_tokens(et_testing_encode encode) {
  for (size_t size = read_line(); size != SIZE_MAX; size = read_line()) {
    const size_t count = encode(line, size, tokens, kTokens);
    for (size_t i = 0; i < count; ++i) {
      printf(i == 0 ? "%d" : " %d", (int)tokens[i]);
    }
    putchar('\n');
  }
}
