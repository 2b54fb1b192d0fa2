#include <string.h>

#include "bindings/web/wasm/tokenizer.h"

static uint32_t count_tokens(const void *vocabulary) {
  return ((const et_bpe_vocabulary *)vocabulary)->count;
}

static const char *piece_of(const void *vocabulary, int64_t token,
                            size_t *size) {
  return et_bpe_piece(vocabulary, token, size);
}

static size_t max_tokens(const void *vocabulary, size_t size) {
  const et_bpe_vocabulary *words = vocabulary;
  const size_t growth =
      words->normalizer != NULL ? words->normalizer->growth : 1;
  if (size > SIZE_MAX / 8 / growth) {
    return SIZE_MAX; /* more than the memory */
  }
  size *= growth;
  /* A byte is at most one token. If a space is added before each part of a text, a
   * part is at least one byte, and so at most three tokens with its neighbor. */
  return words->prefix == ET_BPE_NO_PREFIX ? size : 3 * size + 1;
}

static size_t encode(const void *vocabulary, const char *text, size_t size,
                     int64_t *tokens, size_t capacity, et_bpe_symbol *work,
                     bool special) {
  (void)special; /* There are none. */
  return et_bpe_encode(vocabulary, text, size, tokens, capacity, work,
                       max_tokens(vocabulary, size) + ET_WEB_WORK_MARGIN);
}

static size_t decode(const void *vocabulary, const int64_t *tokens,
                     size_t count, char *out) {
  const et_bpe_vocabulary *words = vocabulary;
  size_t written = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t size;
    const char *piece = et_bpe_piece(vocabulary, tokens[i], &size);
    /* The space that encoding has added before the text. */
    if (i == 0 && size > 0 && piece[0] == ' ' &&
        words->prefix != ET_BPE_NO_PREFIX) {
      ++piece;
      --size;
    }
    if (out != NULL) {
      memcpy(out + written, piece, size);
    }
    written += size;
  }
  return written;
}

static size_t encode_chat(const void *vocabulary, const et_chat_template *chat,
                          const et_chat_request *request, int64_t *tokens,
                          size_t capacity, const et_chat_work *work) {
  return et_chat_tokens(chat, vocabulary, request, tokens, capacity, work);
}

const et_web_tokenizer_kind et_web_bpe = {count_tokens, piece_of, max_tokens,
                                          encode,       decode,   encode_chat};
