/* Classes of Unicode characters that tokenizers distinguish. */
#ifndef ET_TEXT_CHARACTER_KINDS_H_
#define ET_TEXT_CHARACTER_KINDS_H_

#include <stdint.h>

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

et_character_kind et_character_kind_of(uint32_t point);

#endif /* ET_TEXT_CHARACTER_KINDS_H_ */
