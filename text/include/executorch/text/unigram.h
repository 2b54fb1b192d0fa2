/* Unigram tokenizer, for T5, XLM-RoBERTa, ALBERT and similar models.
 *
 * Text is normalized and split into words. Each word becomes the sequence of pieces with the
 * highest sum of scores. The functions use no heap and no state. A build generates the vocabulary's
 * tables from a tokenizer.json, a GGUF file or a SentencePiece model (unigram_vocabulary in
 * //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_UNIGRAM_H_
#define EXECUTORCH_TEXT_UNIGRAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/text/normalizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where U+2581, the mark of a space, is added before text that does not start with one. The
 * normalizer of a SentencePiece model adds it. */
typedef enum et_unigram_prefix {
  ET_UNIGRAM_NO_PREFIX,
  ET_UNIGRAM_PREFIX_TEXT,  /* at the start of the text */
  ET_UNIGRAM_PREFIX_PARTS, /* at the start of each part */
} et_unigram_prefix;

/* How normalized text is split into words. */
typedef struct et_unigram_words {
  et_unigram_prefix prefix;
  bool
      splits_at_spaces; /* white space is removed and separates parts of a text */
  bool marks_spaces;    /* spaces become U+2581 */
  bool splits_at_marks; /* a word starts at each U+2581 */
  bool restarts; /* the scores of a word do not depend on the words before it */
} et_unigram_words;

/* Tokens by id. */
typedef struct et_unigram_vocabulary {
  const char *bytes; /* all tokens, concatenated */
  /* count + 1 entries: token i is bytes[offsets[i] .. offsets[i + 1]). */
  const uint32_t *offsets;
  uint32_t count;
  et_text_trie pieces;  /* tokens that text can contain */
  const double *scores; /* by token */
  double unknown_score; /* of a character without a token */
  bool
      is_single_precision; /* sums of scores are rounded to float, as in SentencePiece */
  uint32_t unknown;
  const uint32_t
      *byte_tokens; /* tokens of the bytes of unknown characters, or NULL */
  et_text_normalizer normalizer;
  et_unigram_words words;
  /* User-defined tokens, at which text is split before it is normalized; NULL if there are none.
   * Tokens that start with byte b are added[added_starts[b] .. added_starts[b + 1]), longer ones
   * first. */
  const uint32_t *added;
  const uint32_t *added_starts; /* 257 entries */
  /* Tokens that models expect before and after a text. The caller adds them. */
  const uint32_t *begin;
  uint32_t begin_count;
  const uint32_t *end;
  uint32_t end_count;
} et_unigram_vocabulary;

/* Scratch entry for encoding one word: a byte, and the best pieces up to it. */
typedef struct et_unigram_node {
  double score;
  uint32_t token;
  uint16_t size; /* of the piece, in bytes */
  uint8_t byte;
} et_unigram_node;

/* Writes the tokens of UTF-8 text to `tokens` and returns their number, at most `capacity`.
 *
 * Any bytes are valid text: invalid UTF-8 becomes U+FFFD. A user-defined token in the text becomes
 * that token; the leftmost match wins, then the longest. The names of other special tokens ("</s>")
 * are ordinary text. `work` has `work_count` entries, one per byte of a normalized word, plus one;
 * longer words are split. */
size_t et_unigram_encode(const et_unigram_vocabulary *vocabulary,
                         const char *text, size_t size, int64_t *tokens,
                         size_t capacity, et_unigram_node *work,
                         size_t work_count);

/* Returns the number of work entries with which et_unigram_encode splits no word of a text. */
size_t et_unigram_work_count(const et_unigram_vocabulary *vocabulary,
                             const char *text, size_t size);

/* Returns the bytes of a token, without a terminating 0. Spaces are ' ', not U+2581. If `token` is
 * not a valid id, *size is 0. */
const char *et_unigram_piece(const et_unigram_vocabulary *vocabulary,
                             int64_t token, size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_UNIGRAM_H_ */
