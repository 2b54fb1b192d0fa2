/* The tokens that a grammar permits. */
#ifndef ET_LLM_TOKEN_MASK_H_
#define ET_LLM_TOKEN_MASK_H_

#include "executorch/text/bpe.h"
#include "llm/matcher.h"

enum {
  LLM_MASK_ENTRIES = 8,
  LLM_MASK_FRAMES = 32, /* stacks with more frames have no entry */
};

/* Bytes of a bit for each token. */
#define LLM_MASK_BYTES(count) (((count) + 7) / 8)

/* The stacks for which a mask is known.
 *
 * The frames have no exact counts of loops: only whether the minimum is reached. The mask is right for
 * tokens of at most `distance` bytes, which cannot reach the minimum or exceed the maximum. */
typedef struct llm_mask_entry {
  uint16_t top_count;
  uint16_t node_count;
  llm_frame frames[LLM_MASK_FRAMES];
  size_t distance;
} llm_mask_entry;

/* The text of an answer, as the grammar matches it, and a bit for each token that may follow. */
typedef struct llm_token_mask {
  const et_bpe_vocabulary *vocabulary;
  const et_grammar_tokens *tokens;
  llm_matcher *matcher; /* of the caller */
  /* 1 + LLM_MASK_ENTRIES arrays of LLM_MASK_BYTES(vocabulary->count), of the caller: the mask, then
   * those of the entries. */
  uint8_t *bits;
  llm_mask_entry entries[LLM_MASK_ENTRIES];
  size_t entry_count;
  size_t next_entry; /* the entry to replace */
} llm_token_mask;

/* Starts at the start of a text. */
void llm_token_mask_start(llm_token_mask *mask, const et_grammar *grammar);

/* Returns whether a token is text that the grammar permits next. */
bool llm_token_mask_permits(llm_token_mask *mask, uint32_t token);

/* Sets the bits of all tokens that are text that the grammar permits next. */
void llm_token_mask_fill(llm_token_mask *mask);

/* Sets the bit of a token, unless the vocabulary does not have it. */
void llm_token_mask_set(llm_token_mask *mask, int64_t token, bool permits);

/* Appends a token. Returns false if the grammar does not permit it. */
bool llm_token_mask_accept(llm_token_mask *mask, uint32_t token);

#endif /* ET_LLM_TOKEN_MASK_H_ */
