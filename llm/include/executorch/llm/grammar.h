/* Grammars that restrict the text of an answer.
 *
 * executorch_grammar (//llm:defs.bzl) compiles a grammar or a JSON schema, and defines its
 * et_grammar. et_llm_generation.grammar selects it.
 *
 * A grammar is a pushdown automaton that reads bytes. A frame of its stack is a state, and a count if
 * the state is a loop. An edge consumes a byte, and replaces the frame on top: by frames that wait for
 * the rules that it calls, and by a new frame on top. */
#ifndef EXECUTORCH_LLM_GRAMMAR_H_
#define EXECUTORCH_LLM_GRAMMAR_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An edge of a state. It consumes one of the bytes `first` to `last`. */
typedef struct et_grammar_edge {
  uint8_t first;
  uint8_t last;
  uint16_t target; /* state of the new frame on top */
  uint16_t pushed; /* index of the first waiting state in et_grammar.pushed */
  uint16_t pushed_count; /* waiting states, from the lowest frame up */
} et_grammar_edge;

/* A compiled grammar. The states of loops come first: each of their edges begins a repetition. */
typedef struct et_grammar {
  /* state_count + 1 entries: state i has edges[edge_starts[i] .. edge_starts[i + 1]), sorted by
   * `first`. Several of them may consume the same byte. */
  const uint32_t *edge_starts;
  const et_grammar_edge *edges;
  const uint16_t *pushed;
  const bool
      *can_end; /* by state: whether its rule can end there; loops: unused */
  const uint16_t *least; /* by loop: fewest repetitions */
  const uint16_t *most;  /* by loop: most repetitions; 0: no limit */
  uint32_t state_count;  /* at most 65535 */
  uint32_t loop_count;
  uint16_t start;
} et_grammar;

/* The tokens of a vocabulary that are text, in the order of their bytes. */
typedef struct et_grammar_tokens {
  const uint32_t *tokens;
  /* Number of bytes at the start that a token shares with the token before it; 255 also means more. */
  const uint8_t *shared;
  uint32_t count;
  const uint8_t
      *is_text; /* bit t % 8 of is_text[t / 8]: whether token t is text */
} et_grammar_tokens;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_LLM_GRAMMAR_H_ */
