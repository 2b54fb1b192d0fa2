#include "llm/token_mask.h"

#include <string.h>

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

static size_t token_size(const llm_token_mask *mask, uint32_t token) {
  return mask->vocabulary->offsets[token + 1] -
         mask->vocabulary->offsets[token];
}

/* Matches the bytes of a token from position `at` on. Returns the number of bytes that match. */
static size_t match_token(llm_token_mask *mask, uint32_t token, size_t at) {
  const char *bytes =
      mask->vocabulary->bytes + mask->vocabulary->offsets[token];
  const size_t size = token_size(mask, token);
  llm_matcher_back(mask->matcher, at);
  while (at < size && llm_matcher_push(mask->matcher, (uint8_t)bytes[at])) {
    ++at;
  }
  return at;
}

void llm_token_mask_start(llm_token_mask *mask, const et_grammar *grammar) {
  llm_matcher_start(mask->matcher, grammar);
  mask->entry_count = 0;
  mask->next_entry = 0;
}

bool llm_token_mask_permits(llm_token_mask *mask, uint32_t token) {
  if ((mask->tokens->is_text[token / 8] >> token % 8 & 1) == 0) {
    return false;
  }
  const size_t matched = match_token(mask, token, 0);
  llm_matcher_back(mask->matcher, 0);
  return matched == token_size(mask, token);
}

void llm_token_mask_set(llm_token_mask *mask, int64_t token, bool permits) {
  if (token >= 0 && token < (int64_t)mask->vocabulary->count) {
    uint8_t *bits = &mask->bits[token / 8];
    const unsigned bit = 1u << token % 8;
    *bits = (uint8_t)(permits ? *bits | bit : *bits & ~bit);
  }
}

/* Replaces the count of a loop by whether its minimum is reached. Returns the number of repetitions
 * after which that, or whether another one is permitted, can change. */
static size_t forget_count(const et_grammar *grammar, llm_frame *frame) {
  if (frame->state >= grammar->loop_count) {
    return SIZE_MAX;
  }
  const size_t count = frame->count;
  const size_t least = grammar->least[frame->state];
  const size_t most = grammar->most[frame->state];
  frame->count = count >= least;
  return count < least ? least - count : most == 0 ? SIZE_MAX : most - count;
}

/* Describes the stacks. Returns false if they have too many frames. */
static bool make_entry(const llm_matcher *matcher, llm_mask_entry *out) {
  const llm_level *level = &matcher->levels[0];
  const size_t count = (size_t)level->top_count + level->node_count;
  if (count > LLM_MASK_FRAMES) {
    return false;
  }
  memset(out, 0, sizeof *out);
  out->top_count = level->top_count;
  out->node_count = level->node_count;
  out->distance = SIZE_MAX;
  memcpy(out->frames, matcher->tops, level->top_count * sizeof *out->frames);
  memcpy(out->frames + level->top_count, matcher->nodes,
         level->node_count * sizeof *out->frames);
  for (size_t i = 0; i < count; ++i) {
    /* A repetition has at least one byte. */
    out->distance = min_size(out->distance,
                             forget_count(matcher->grammar, &out->frames[i]));
  }
  return true;
}

/* Returns the index of the entry with the same stacks, or entry_count. */
static size_t find_entry(const llm_token_mask *mask,
                         const llm_mask_entry *wanted) {
  size_t i = 0;
  while (i < mask->entry_count &&
         (mask->entries[i].top_count != wanted->top_count ||
          mask->entries[i].node_count != wanted->node_count ||
          memcmp(mask->entries[i].frames, wanted->frames,
                 sizeof wanted->frames) != 0)) {
    ++i;
  }
  return i;
}

static uint8_t *entry_bits(const llm_token_mask *mask, size_t entry) {
  return mask->bits + (entry + 1) * LLM_MASK_BYTES(mask->vocabulary->count);
}

/* Bytes that one of the stacks can repeat: its frame on top stays, or counts one more repetition. */
typedef struct repeated_bytes {
  bool has[256];
  size_t count; /* of bytes in `has` */
  size_t most;  /* repetitions */
} repeated_bytes;

/* Finds the repeated bytes of the stack that has most of them, such as the text of a string. */
static repeated_bytes find_repeated_bytes(const llm_matcher *matcher) {
  const et_grammar *grammar = matcher->grammar;
  repeated_bytes best = {{false}, 0, 0};
  for (size_t i = 0; i < matcher->levels[0].top_count; ++i) {
    const llm_frame top = matcher->tops[i];
    const bool is_limited =
        top.state < grammar->loop_count && grammar->most[top.state] != 0;
    repeated_bytes found = {{false}, 0, SIZE_MAX};
    if (is_limited) {
      found.most = (size_t)grammar->most[top.state] - top.count;
    }
    for (uint32_t j = grammar->edge_starts[top.state];
         j < grammar->edge_starts[top.state + 1]; ++j) {
      const et_grammar_edge edge = grammar->edges[j];
      if (edge.target == top.state && edge.pushed_count == 0) {
        memset(found.has + edge.first, true,
               (size_t)edge.last - edge.first + 1);
        found.count += (size_t)edge.last - edge.first + 1;
      }
    }
    if (found.count > best.count) {
      best = found;
    }
  }
  return best;
}

static bool repeats_all(const repeated_bytes *repeated, const char *bytes,
                        size_t size) {
  size_t i = 0;
  while (i < size && repeated->has[(uint8_t)bytes[i]]) {
    ++i;
  }
  return i == size && size <= repeated->most;
}

/* Matches all tokens with more than `skipped` bytes. Their order makes the bytes that they share a
 * tree, which is walked depth-first. Tokens of repeated bytes are not a part of the walk. */
static void match_tokens(llm_token_mask *mask, size_t skipped) {
  const et_grammar_tokens *tokens = mask->tokens;
  const repeated_bytes repeated = find_repeated_bytes(mask->matcher);
  const char *bytes = mask->vocabulary->bytes;
  size_t matched = 0; /* bytes of the latest token that was matched */
  size_t shared = 0;  /* bytes that the current one shares with it */
  for (uint32_t i = 0; i < tokens->count; ++i) {
    const uint32_t token = tokens->tokens[i];
    const size_t size = token_size(mask, token);
    shared = min_size(shared, tokens->shared[i]);
    if (size <= skipped) {
      continue;
    }
    bool permits =
        repeats_all(&repeated, bytes + mask->vocabulary->offsets[token], size);
    /* Otherwise, the byte that was refused is also a byte of this token. */
    if (!permits && shared <= matched) {
      matched = match_token(mask, token, shared);
      shared = SIZE_MAX;
      permits = matched == size;
    }
    llm_token_mask_set(mask, token, permits);
  }
  llm_matcher_back(mask->matcher, 0);
}

void llm_token_mask_fill(llm_token_mask *mask) {
  const size_t bytes = LLM_MASK_BYTES(mask->vocabulary->count);
  llm_mask_entry entry;
  if (!make_entry(mask->matcher, &entry)) {
    memset(mask->bits, 0, bytes);
    match_tokens(mask, 0);
    return;
  }
  size_t index = find_entry(mask, &entry);
  if (index < mask->entry_count) {
    memcpy(mask->bits, entry_bits(mask, index), bytes);
    match_tokens(mask, min_size(entry.distance, mask->entries[index].distance));
    if (entry.distance <= mask->entries[index].distance) {
      return;
    }
  } else {
    memset(mask->bits, 0, bytes);
    match_tokens(mask, 0);
    index = mask->next_entry;
    mask->next_entry = (index + 1) % LLM_MASK_ENTRIES;
    mask->entry_count += mask->entry_count < LLM_MASK_ENTRIES;
  }
  mask->entries[index] = entry;
  memcpy(entry_bits(mask, index), mask->bits, bytes);
}

bool llm_token_mask_accept(llm_token_mask *mask, uint32_t token) {
  if (match_token(mask, token, 0) != token_size(mask, token)) {
    return false;
  }
  llm_matcher_commit(mask->matcher);
  return true;
}
