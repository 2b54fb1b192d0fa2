#include "executorch/text/wordpiece.h"

#include <stdbool.h>
#include <string.h>

#include "text/normalize.h"
#include "text/utf8.h"

/* Prefix of a piece that is not the first of its word. */
static const char kContinuation[] = "##";
enum { kContinuationSize = sizeof kContinuation - 1 };

/* The current word. If it is too long, only its character count is exact. */
typedef struct word {
  size_t characters;
  size_t size;
  char bytes[ET_WORDPIECE_MAX_WORD * ET_TEXT_UTF8_MAX];
} word;

typedef struct encoder {
  const et_wordpiece_vocabulary *vocabulary;
  int64_t *tokens;
  size_t capacity;
  size_t count;
  word pending;
} encoder;

static bool is_full(const encoder *state) {
  return state->count == state->capacity;
}

static void put(encoder *state, uint32_t token) {
  if (!is_full(state)) {
    state->tokens[state->count++] = token;
  }
}

typedef struct byte_span {
  const char *bytes;
  size_t size;
} byte_span;

/* FNV-1a, as in text/generate/vocabulary.py. Offset basis: the hash of no bytes. */
#define HASH_START 2166136261u

static uint32_t extend_hash(uint32_t hash, byte_span text) {
  for (size_t i = 0; i < text.size; ++i) {
    hash = (hash ^ (uint8_t)text.bytes[i]) * 16777619u;
  }
  return hash;
}

/* Returns true if the token is `prefix` followed by `bytes`. */
static bool is_token(const et_wordpiece_vocabulary *vocabulary, uint32_t token,
                     byte_span prefix, byte_span bytes) {
  const char *start = vocabulary->bytes + vocabulary->offsets[token];
  const size_t size =
      vocabulary->offsets[token + 1] - vocabulary->offsets[token];
  return size == prefix.size + bytes.size &&
         memcmp(start, prefix.bytes, prefix.size) == 0 &&
         memcmp(start + prefix.size, bytes.bytes, bytes.size) == 0;
}

/* Returns the number of the token `prefix` + `bytes` plus 1, or 0 if there is none. */
static uint32_t find(const et_wordpiece_vocabulary *vocabulary,
                     byte_span prefix, byte_span bytes) {
  const uint32_t hash = extend_hash(extend_hash(HASH_START, prefix), bytes);
  for (uint32_t at = hash;; ++at) {
    const uint32_t slot = vocabulary->slots[at & vocabulary->slots_mask];
    if (slot == 0 || is_token(vocabulary, slot - 1, prefix, bytes)) {
      return slot;
    }
  }
}

/* Returns the size of the longest piece of the word at `start`, and its token; 0 if there is
 * none. */
static size_t longest_piece(const et_wordpiece_vocabulary *vocabulary,
                            const word *whole, size_t start,
                            uint32_t *out_token) {
  const byte_span prefix = {kContinuation, start > 0 ? kContinuationSize : 0};
  for (size_t size = whole->size - start; size > 0; --size) {
    const uint32_t slot =
        find(vocabulary, prefix, (byte_span){whole->bytes + start, size});
    if (slot > 0) {
      *out_token = slot - 1;
      return size;
    }
  }
  return 0;
}

/* Writes the pieces of the current word, or the unknown token, and starts the next word. */
static void end_word(encoder *state) {
  word *whole = &state->pending;
  const size_t before = state->count;
  bool known = whole->characters <= ET_WORDPIECE_MAX_WORD;
  for (size_t start = 0; known && start < whole->size;) {
    uint32_t token = 0;
    const size_t size = longest_piece(state->vocabulary, whole, start, &token);
    known = size > 0;
    start += size;
    put(state, token);
  }
  if (!known) {
    state->count = before;
    put(state, state->vocabulary->unknown);
  }
  whole->characters = 0;
  whole->size = 0;
}

static void add(word *whole, uint32_t point) {
  if (++whole->characters <= ET_WORDPIECE_MAX_WORD) {
    whole->size += et_text_encode(point, whole->bytes + whole->size);
  }
}

static void take(encoder *state, const et_text_normal *normal) {
  const bool apart =
      normal->kind == ET_TEXT_SPACE || normal->kind == ET_TEXT_ALONE;
  if (apart && state->pending.characters > 0) {
    end_word(state);
  }
  for (uint32_t i = 0; i < normal->count; ++i) {
    add(&state->pending, normal->points[i]);
  }
  if (normal->kind == ET_TEXT_ALONE) {
    end_word(state);
  }
}

size_t et_wordpiece_encode(const et_wordpiece_vocabulary *vocabulary,
                           const char *text, size_t size, int64_t *tokens,
                           size_t capacity) {
  encoder state = {vocabulary, tokens, capacity, 0, {0}};
  for (size_t at = 0; at < size && !is_full(&state);) {
    const et_text_normal normal = et_text_normalize(
        vocabulary->characters, et_text_decode(text, size, &at));
    take(&state, &normal);
  }
  if (state.pending.characters > 0) {
    end_word(&state);
  }
  return state.count;
}

const char *et_wordpiece_piece(const et_wordpiece_vocabulary *vocabulary,
                               int64_t token, size_t *size) {
  if (token < 0 || token >= (int64_t)vocabulary->count) {
    *size = 0;
    return vocabulary->bytes;
  }
  const uint32_t start = vocabulary->offsets[token];
  *size = vocabulary->offsets[token + 1] - start;
  return vocabulary->bytes + start;
}
