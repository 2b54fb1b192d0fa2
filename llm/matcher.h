/* Matching of bytes with a grammar, in memory of a fixed size. */
#ifndef ET_LLM_MATCHER_H_
#define ET_LLM_MATCHER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/llm/grammar.h"

enum {
  LLM_MATCHER_NODES = 1024,
  LLM_MATCHER_TOPS = 4096,
  LLM_MATCHER_MOST_TOPS = 128, /* after one byte */
};

/* A frame of a stack, and the node below it. */
typedef struct llm_frame {
  uint16_t state;
  uint16_t count; /* finished repetitions of a loop */
  uint16_t below; /* index of a node, or LLM_NO_NODE */
} llm_frame;

#define LLM_NO_NODE UINT16_MAX

/* The stacks after a number of bytes. */
typedef struct llm_level {
  uint16_t first_top;
  uint16_t top_count;
  uint16_t node_count;
  bool can_end; /* the text can end here */
} llm_level;

/* The stacks after some text, and after each byte of text that may follow it.
 *
 * Ambiguous text has several stacks. They share their lower frames, which are nodes of a tree, and no
 * two nodes are equal. A level uses the nodes and tops of the levels before it, and adds its own at
 * the ends of the arrays. Going back to a level therefore only forgets what later ones added. */
typedef struct llm_matcher {
  const et_grammar *grammar;
  llm_level *
      levels; /* of the caller: one, and one for each byte of the longest token */
  size_t depth;    /* the current level */
  bool is_limited; /* some byte was refused because the arrays are full */
  llm_frame nodes[LLM_MATCHER_NODES];
  llm_frame tops[LLM_MATCHER_TOPS];
} llm_matcher;

/* Starts at the start of the text. */
void llm_matcher_start(llm_matcher *matcher, const et_grammar *grammar);

/* Adds a level with a byte. Returns false, and adds none, if the byte cannot follow. */
bool llm_matcher_push(llm_matcher *matcher, uint8_t byte);

/* Goes back to a level. */
void llm_matcher_back(llm_matcher *matcher, size_t depth);

/* Makes the current level the first one, with its nodes alone. */
void llm_matcher_commit(llm_matcher *matcher);

/* Returns whether the text can end at the current level, and whether a byte can follow it. */
bool llm_matcher_can_end(const llm_matcher *matcher);
bool llm_matcher_can_continue(const llm_matcher *matcher);

#endif /* ET_LLM_MATCHER_H_ */
