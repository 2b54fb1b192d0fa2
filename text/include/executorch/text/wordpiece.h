/* WordPiece: text to the tokens of BERT and its kin.
 *
 * Text is made lower case and loses its accents and control characters; it is cut at white
 * space, punctuation and ideographs; each word becomes the longest pieces that the
 * vocabulary has, or its token for unknown words. No heap, no state: the vocabulary is
 * tables that a build makes of vocab.txt (wordpiece_vocabulary in //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_WORDPIECE_H_
#define EXECUTORCH_TEXT_WORDPIECE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word of more characters is unknown. */
#define ET_WORDPIECE_MAX_WORD 100

/* Tokens by their number, and numbers by a hash of the token. */
typedef struct et_wordpiece_vocabulary {
  const char *bytes; /* all tokens, one behind the other */
  const uint32_t
      *offsets; /* count + 1: token i is bytes[offsets[i] .. offsets[i + 1]) */
  uint32_t count;
  const uint32_t
      *slots; /* token + 1, or 0; a token lies behind its hash's slot */
  uint32_t slots_mask; /* how many there are, a power of two, less one */
  uint32_t unknown;    /* [UNK] */
  uint32_t begin;      /* [CLS] */
  uint32_t end;        /* [SEP] */
} et_wordpiece_vocabulary;

/* Writes the tokens of UTF-8 text to `tokens` and returns how many they are; it stops when
 * there are `capacity`. Any bytes are text: what is no UTF-8 is left out, and names of
 * tokens ("[SEP]") are words like others. `begin` and `end` are the caller's to add. */
size_t et_wordpiece_encode(const et_wordpiece_vocabulary *vocabulary,
                           const char *text, size_t size, int64_t *tokens,
                           size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_WORDPIECE_H_ */
