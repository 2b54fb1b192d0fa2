/* Byte-pair encoding (BPE): text to the tokens of GPT-2 and similar models, and back.
 *
 * Text is split into words by the vocabulary's rules. The bytes of a word are the initial tokens;
 * adjacent tokens are merged while the vocabulary has a merge for them, in order of rank. The
 * functions use no heap and no state. A build generates the vocabulary's tables from a GGUF file
 * (bpe_vocabulary in //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_BPE_H_
#define EXECUTORCH_TEXT_BPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rules that split text into words (regular expressions: text/pretokenize.c). */
typedef struct et_bpe_pretokenizer {
  bool llama3_regex;  /* Llama 3's regular expression instead of GPT-2's */
  bool split_digits;  /* split at each digit first */
  bool ignore_merges; /* a word that is a token is not merged from bytes */
  uint8_t max_digits; /* maximum digits of a number in one word; 0: all */
} et_bpe_pretokenizer;

/* Tokens by id, and merges by left token. */
typedef struct et_bpe_vocabulary {
  const char *bytes; /* all tokens, concatenated */
  /* count + 1 entries: token i is bytes[offsets[i] .. offsets[i + 1]). */
  const uint32_t *offsets;
  uint32_t count;
  /* count + 1 entries: left token i has merges starts[i] .. starts[i + 1] - 1. */
  const uint32_t *starts;
  const uint32_t *rights; /* right tokens of merges, ascending per left token */
  const uint32_t *ranks;  /* priorities of merges; the lowest is merged first */
  const uint32_t *results;   /* result tokens of merges */
  uint32_t byte_tokens[256]; /* token of each byte; `count` if it has none */
  /* All tokens, sorted by bytes; NULL unless ignore_merges. */
  const uint32_t *sorted;
  et_bpe_pretokenizer pretokenizer;
  /* User-defined tokens, at which text is split before it is split into words;
   * NULL if there are none. Tokens that start with byte b are
   * added[added_starts[b] .. added_starts[b + 1]), longer ones first. */
  const uint32_t *added;
  const uint32_t *added_starts; /* 257 entries */
} et_bpe_vocabulary;

/* Scratch entry for encoding one word: a token and the rank of its merge with the next. */
typedef struct et_bpe_symbol {
  uint32_t token;
  uint32_t rank; /* UINT32_MAX: no merge */
} et_bpe_symbol;

/* Writes the tokens of text to `tokens` and returns their number, at most `capacity`.
 *
 * Any bytes are valid text. A user-defined token ("<think>") in the text becomes that token; the
 * leftmost match wins, then the longest. The name of a control token ("<|im_end|>") is treated as
 * ordinary text. Bytes without a token are skipped. `work` has `work_count` entries, one per byte
 * of a word; longer words are split. */
size_t et_bpe_encode(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, int64_t *tokens, size_t capacity,
                     et_bpe_symbol *work, size_t work_count);

/* Returns the bytes of a token, without a terminating 0. They may be part of a
 * character. If `token` is not a valid id, *size is 0. */
const char *et_bpe_piece(const et_bpe_vocabulary *vocabulary, int64_t token,
                         size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_BPE_H_ */
