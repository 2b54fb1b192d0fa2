/* WordPiece tokenizer, for BERT and similar models.
 *
 * Control characters are removed. The vocabulary states whether text is converted to lower case, and
 * accents are removed. Text is split at white space, punctuation and ideographs. Each word becomes
 * the longest matching pieces of the vocabulary, or the token for unknown words. The function uses
 * no heap and no state. A build generates the vocabulary's tables from a vocab.txt or a
 * tokenizer.json (wordpiece_vocabulary in //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_WORDPIECE_H_
#define EXECUTORCH_TEXT_WORDPIECE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words with more characters are unknown. */
#define ET_WORDPIECE_MAX_WORD 100

/* How the characters of a text are normalized. */
typedef struct et_text_characters et_text_characters;
extern const et_text_characters
    et_wordpiece_uncased; /* lower case, no accents */
extern const et_text_characters et_wordpiece_cased;
extern const et_text_characters et_wordpiece_lowercase; /* with accents */
extern const et_text_characters et_wordpiece_unaccented;

/* Tokens by id, and an open-addressing hash table of token ids. */
typedef struct et_wordpiece_vocabulary {
  const char *bytes; /* all tokens, concatenated */
  /* count + 1 entries: token i is bytes[offsets[i] .. offsets[i + 1]). */
  const uint32_t *offsets;
  uint32_t count;
  /* Token + 1, or 0; linear probing from the token's hash. */
  const uint32_t *slots;
  uint32_t slots_mask; /* number of slots, a power of two, minus 1 */
  uint32_t unknown;    /* [UNK] */
  uint32_t begin;      /* [CLS] */
  uint32_t end;        /* [SEP] */
  const et_text_characters *characters;
} et_wordpiece_vocabulary;

/* Writes the tokens of UTF-8 text to `tokens` and returns their number, at most `capacity`. Any
 * bytes are valid text: invalid UTF-8 is skipped, and the name of a token ("[SEP]") is treated as
 * ordinary text. The caller adds `begin` and `end`. */
size_t et_wordpiece_encode(const et_wordpiece_vocabulary *vocabulary,
                           const char *text, size_t size, int64_t *tokens,
                           size_t capacity);

/* Returns the bytes of a token, without a terminating 0. The pieces inside a word start with "##".
 * If `token` is not a valid id, *size is 0. */
const char *et_wordpiece_piece(const et_wordpiece_vocabulary *vocabulary,
                               int64_t token, size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_WORDPIECE_H_ */
