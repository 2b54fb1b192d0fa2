/* Byte-pair encoding (BPE): text to the tokens of language models, and back.
 *
 * Text is normalized if the vocabulary requests it, and split into words by its pre-tokenizer. The initial tokens of a word are its
 * bytes, or its characters. Adjacent tokens are merged while the vocabulary has a merge for them,
 * in order of rank. The functions use no heap and no state. A build generates the vocabulary's
 * tables from a GGUF file, a tokenizer.json or a SentencePiece model (bpe_vocabulary in
 * //text:defs.bzl). */
#ifndef EXECUTORCH_TEXT_BPE_H_
#define EXECUTORCH_TEXT_BPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/text/normalizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules that split text into words: automata that splitters apply one after another, each to the
 * pieces of the previous one (text/generate/splitter.py). */
typedef struct et_bpe_pretokenizer {
  /* Classes of characters: characters range_starts[i] .. range_starts[i + 1] - 1 have the class
   * range_classes[i]. range_starts[0] is 0. */
  const uint32_t *range_starts;
  const uint16_t *range_classes;
  uint32_t range_count;
  uint32_t class_count;
  const uint16_t *const *splitters; /* cells of each automaton, by state */
  uint32_t splitter_count;          /* 0: the text is one word */
  bool ignore_merges;               /* a word that is a token is not merged */
} et_bpe_pretokenizer;

/* The initial tokens of a word. */
typedef enum et_bpe_initial {
  ET_BPE_BYTES,
  /* Characters, and bytes of characters without a token, as in SentencePiece. U+2581 is a space. */
  ET_BPE_CHARACTERS,
} et_bpe_initial;

/* A space that is added before text if the initial tokens are characters. */
typedef enum et_bpe_prefix {
  ET_BPE_NO_PREFIX,
  ET_BPE_PREFIX_TEXT,  /* at the start of text that does not start with one */
  ET_BPE_PREFIX_PARTS, /* at the start, and after each user-defined token */
  ET_BPE_PREFIX_NORMALIZER, /* the normalizer adds one */
} et_bpe_prefix;

/* Normalization of text before it is split into words. */
typedef struct et_bpe_normalizer {
  et_text_normalizer steps;
  et_text_trie
      added; /* user-defined tokens in normalized text; NULL if there are none */
  uint32_t growth; /* maximum normalized bytes for a byte of valid UTF-8 */
} et_bpe_normalizer;

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
  bool
      joins_unknown; /* byte_tokens are the unknown token, which is not repeated */
  /* Tokens that text can contain, sorted by bytes; NULL unless ignore_merges is set or the initial
   * tokens are characters. */
  const uint32_t *sorted;
  uint32_t sorted_count;
  et_bpe_pretokenizer pretokenizer;
  et_bpe_initial initial;
  et_bpe_prefix prefix;
  /* User-defined tokens, at which text is split before it is normalized; NULL if there are none.
   * Tokens that start with byte b are
   * added[added_starts[b] .. added_starts[b + 1]), longer ones first. */
  const uint32_t *added;
  const uint32_t *added_starts;        /* 257 entries */
  const et_bpe_normalizer *normalizer; /* NULL: text is not normalized */
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
 * ordinary text. Bytes without a token are skipped. A normalizer replaces invalid UTF-8 by U+FFFD.
 * `work` has `work_count` entries, one per byte of a word, plus one, or, with a normalizer, plus
 * four; longer words are split. */
size_t et_bpe_encode(const et_bpe_vocabulary *vocabulary, const char *text,
                     size_t size, int64_t *tokens, size_t capacity,
                     et_bpe_symbol *work, size_t work_count);

/* The same for text that continues other text: no space is added at its start. */
size_t et_bpe_encode_rest(const et_bpe_vocabulary *vocabulary, const char *text,
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
