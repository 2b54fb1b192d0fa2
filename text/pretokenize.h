/* Pre-tokenization: splits text into the words that byte-pair tokenizers
 * encode one by one. */
#ifndef ET_TEXT_PRETOKENIZE_H_
#define ET_TEXT_PRETOKENIZE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/text/bpe.h"

/* ---- Word boundaries for byte-pair tokenizers ---- */

/* Returns the end of the word that starts at text[at]; at < size. */
size_t et_text_word_end(const et_bpe_pretokenizer *rules, const char *text,
                        size_t size, size_t at);

/* Returns the position of the first digit in text[at .. size), or `size`. Sets *end to the
 * position after the digit. */
size_t et_text_next_digit(const char *text, size_t size, size_t at,
                          size_t *end);

/* ---- Classes of Unicode characters, in character_ranges.c ---- */

typedef enum et_character_kind {
  ET_CHARACTER_OTHER,
  ET_CHARACTER_LETTER, /* general category L */
  ET_CHARACTER_NUMBER, /* general category N */
  ET_CHARACTER_SPACE,  /* property White_Space */
} et_character_kind;

/* A range of code points of one kind. Other code points are ET_CHARACTER_OTHER. */
typedef struct et_character_range {
  uint32_t first;
  uint32_t last;
  et_character_kind kind;
} et_character_range;

/* Sorted by code point. */
extern const et_character_range et_character_ranges[];
extern const uint32_t et_character_ranges_count;

#endif /* ET_TEXT_PRETOKENIZE_H_ */
