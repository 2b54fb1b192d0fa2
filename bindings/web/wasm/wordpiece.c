#include "executorch/text/wordpiece.h"

#include <string.h>

#include "bindings/web/wasm/tokenizer.h"

static uint32_t count_tokens(const void *vocabulary) {
  return ((const et_wordpiece_vocabulary *)vocabulary)->count;
}

static const char *piece_of(const void *vocabulary, int64_t token,
                            size_t *size) {
  return et_wordpiece_piece(vocabulary, token, size);
}

static size_t max_tokens(const void *vocabulary, size_t size) {
  (void)vocabulary;
  return size; /* A byte is at most one token. */
}

static size_t encode(const void *vocabulary, const char *text, size_t size,
                     int64_t *tokens, size_t capacity, et_bpe_symbol *work,
                     bool special) {
  (void)work; /* Not needed. */
  if (!special) {
    return et_wordpiece_encode(vocabulary, text, size, tokens, capacity);
  }
  /* JavaScript passes a capacity of at least 2. */
  const et_wordpiece_vocabulary *words = vocabulary;
  const size_t count =
      et_wordpiece_encode(words, text, size, tokens + 1, capacity - 2);
  tokens[0] = words->begin;
  tokens[count + 1] = words->end;
  return count + 2;
}

/* The text so far. `out` is NULL if only its size is needed. */
typedef struct writer {
  char *out;
  size_t size;
} writer;

static void put(writer *to, const char *bytes, size_t size) {
  if (to->out != NULL) {
    memcpy(to->out + to->size, bytes, size);
  }
  to->size += size;
}

/* Returns true for punctuation that follows a word without a space. */
static bool is_attached(const char *piece, size_t size) {
  return size > 0 && memchr(".?!,", piece[0], 4) != NULL;
}

/* The rules are those of the decoder of the package `tokenizers`. */
static void put_piece(writer *to, bool is_first, const char *piece,
                      size_t size) {
  const bool continues = size >= 2 && memcmp(piece, "##", 2) == 0;
  if (is_first || is_attached(piece, size)) {
    put(to, piece, size);
  } else if (continues) {
    put(to, piece + 2, size - 2);
  } else {
    put(to, " ", 1);
    put(to, piece, size);
  }
}

static size_t decode(const void *vocabulary, const int64_t *tokens,
                     size_t count, char *out) {
  const et_wordpiece_vocabulary *words = vocabulary;
  writer to = {out, 0};
  bool is_first = true;
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i] != words->begin && tokens[i] != words->end) {
      size_t size;
      const char *piece = et_wordpiece_piece(words, tokens[i], &size);
      put_piece(&to, is_first, piece, size);
      is_first = false;
    }
  }
  return to.size;
}

const et_web_tokenizer_kind et_web_wordpiece = {
    count_tokens, piece_of, max_tokens, encode, decode, NULL};
