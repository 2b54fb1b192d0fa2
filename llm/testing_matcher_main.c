/* Matches texts with a grammar, for comparison with Python.
 *
 * Reads the numbers of a grammar's tables, then texts: their size and their bytes as numbers. Prints a
 * line for each text, with a letter for its start and after each byte: E if the text can end there, C if
 * it can continue, B for both; then L if a limit was reached. */
#include <stdio.h>
#include <stdlib.h>

#include "llm/matcher.h"

static uint32_t read_number(void) {
  unsigned value = 0;
  if (scanf("%u", &value) != 1) {
    exit(2);
  }
  return value;
}

/* Reads an array with its size before it. The items have `size` bytes. */
static void *read_array(size_t size, uint32_t *out_count) {
  *out_count = read_number();
  uint8_t *items = malloc((*out_count + 1) * size);
  if (items == NULL) {
    exit(2);
  }
  for (size_t i = 0; i < *out_count; ++i) {
    const uint32_t value = read_number();
    if (size == sizeof(uint32_t)) {
      ((uint32_t *)(void *)items)[i] = value;
    } else if (size == sizeof(uint16_t)) {
      ((uint16_t *)(void *)items)[i] = (uint16_t)value;
    } else {
      items[i] = (uint8_t)value;
    }
  }
  return items;
}

static et_grammar_edge *read_edges(void) {
  const uint32_t count = read_number();
  et_grammar_edge *edges = malloc((count + 1) * sizeof *edges);
  for (size_t i = 0; edges != NULL && i < count; ++i) {
    edges[i].first = (uint8_t)read_number();
    edges[i].last = (uint8_t)read_number();
    edges[i].target = (uint16_t)read_number();
    edges[i].pushed = (uint16_t)read_number();
    edges[i].pushed_count = (uint16_t)read_number();
  }
  return edges;
}

static char letter(const llm_matcher *matcher) {
  const bool can_end = llm_matcher_can_end(matcher);
  return !llm_matcher_can_continue(matcher) ? 'E' : can_end ? 'B' : 'C';
}

int main(void) {
  static llm_matcher matcher;
  et_grammar grammar = {0};
  uint32_t count = 0;
  grammar.start = (uint16_t)read_number();
  uint32_t *starts = read_array(sizeof *starts, &count);
  et_grammar_edge *edges = read_edges();
  uint16_t *pushed = read_array(sizeof *pushed, &count);
  bool *can_end = read_array(sizeof *can_end, &grammar.state_count);
  uint16_t *least = read_array(sizeof *least, &grammar.loop_count);
  uint16_t *most = read_array(sizeof *most, &grammar.loop_count);
  grammar.edge_starts = starts;
  grammar.edges = edges;
  grammar.pushed = pushed;
  grammar.can_end = can_end;
  grammar.least = least;
  grammar.most = most;
  matcher.levels = malloc(2 * sizeof *matcher.levels);
  for (unsigned size = 0; matcher.levels != NULL && scanf("%u", &size) == 1;) {
    llm_matcher_start(&matcher, &grammar);
    putchar(letter(&matcher));
    bool matches = true;
    for (unsigned i = 0; i < size; ++i) {
      const uint8_t byte = (uint8_t)read_number();
      matches = matches && llm_matcher_push(&matcher, byte);
      if (matches) {
        llm_matcher_commit(&matcher);
        putchar(letter(&matcher));
      }
    }
    puts(matcher.is_limited ? "L" : "");
  }
  free(matcher.levels);
  free(most);
  free(least);
  free(can_end);
  free(pushed);
  free(edges);
  free(starts);
  return 0;
}
