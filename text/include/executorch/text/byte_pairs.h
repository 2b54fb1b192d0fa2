/* Byte pairs: text to the tokens of GPT-2 and its kin, and back.
 *
 * Text is cut into words by the rules that the vocabulary names; the bytes of a word are
 * tokens, and neighbours become one token as long as the vocabulary has a merge for them,
 * the earliest first. No heap, no state: the vocabulary is tables that a build makes of a
 * GGUF file (byte_pair_vocabulary in //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_BYTE_PAIRS_H_
#define EXECUTORCH_TEXT_BYTE_PAIRS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How text is cut into words. */
typedef struct et_byte_pair_words {
  bool
      joined; /* as Llama 3 does: a word may begin with a mark, marks end with lines */
  bool apart; /* each digit is taken out first, before anything else is cut */
  bool whole_first; /* a word that is a token is not put together by merges */
  uint8_t digits;   /* of a number that are one word, at most; 0: all of them */
} et_byte_pair_words;

/* Tokens by number, and merges by their left token. */
typedef struct et_byte_pair_vocabulary {
  const char *bytes; /* all tokens, one behind the other */
  const uint32_t
      *offsets; /* count + 1: token i is bytes[offsets[i] .. offsets[i + 1]) */
  uint32_t count;
  const uint32_t *
      starts; /* count + 1: merges of left token i are starts[i] .. starts[i + 1] */
  const uint32_t *rights;  /* their right tokens, in order */
  const uint32_t *ranks;   /* their places among all merges */
  const uint32_t *results; /* the tokens they make */
  uint32_t
      singles[256]; /* the token of each byte; `count` for one that has none */
  const uint32_t *
      sorted; /* all tokens, in the order of their bytes; NULL unless whole_first */
  et_byte_pair_words words;
  /* User-defined tokens, which text is split at before it is cut into words; NULL if there
   * are none. Those that start with byte b are added[added_starts[b]] up to, and without,
   * added[added_starts[b + 1]], longer ones first. */
  const uint32_t *added;
  const uint32_t *added_starts; /* 257 */
} et_byte_pair_vocabulary;

/* Where a token begins to be merged; what encoding a word takes. */
typedef struct et_byte_pair_symbol {
  uint32_t token;
  uint32_t rank; /* of its merge with the next */
} et_byte_pair_symbol;

/* Writes the tokens of text to `tokens` and returns their number, at most `capacity`.
 *
 * Any bytes are valid text. A user-defined token ("<think>") in the text becomes that token;
 * the leftmost match wins, then the longest. The name of a control token ("<|im_end|>") is
 * text like any other. Bytes without a token are skipped. `work` holds one word; a word of
 * more than `work_count` bytes is cut. */
size_t et_byte_pairs_encode(const et_byte_pair_vocabulary *vocabulary,
                            const char *text, size_t size, int64_t *tokens,
                            size_t capacity, et_byte_pair_symbol *work,
                            size_t work_count);

/* The bytes of a token, not ended by 0; they may be a part of a character. Of a number that
 * is no token: none. */
const char *et_byte_pairs_piece(const et_byte_pair_vocabulary *vocabulary,
                                int64_t token, size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_BYTE_PAIRS_H_ */
