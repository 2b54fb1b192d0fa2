/* BERT's normalization of Unicode characters before text is split into words. */
#ifndef ET_TEXT_NORMALIZE_H_
#define ET_TEXT_NORMALIZE_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/text/wordpiece.h"

/* ---- Tables of characters, in characters_*.c ---- */

typedef enum et_text_kind {
  ET_TEXT_DROPPED, /* accents, control characters, U+0000, U+FFFD */
  ET_TEXT_SPACE,   /* ends a word */
  ET_TEXT_MOVED,   /* code point + value: lower case, no accent */
  ET_TEXT_ALONE, /* code point + value, as a separate word: punctuation, ideographs */
  ET_TEXT_SEVERAL, /* value % 8 code points, starting at points[value / 8] */
} et_text_kind;

/* Code points with the same kind and value. Other code points do not change. */
typedef struct et_text_entry {
  uint32_t first;
  uint32_t last;
  et_text_kind kind;
  int32_t value;
} et_text_entry;

struct et_text_characters {
  const et_text_entry *entries; /* sorted by code point */
  uint32_t count;
  const uint32_t *points;
  bool decomposes_hangul;
};

/* ---- Normalization ---- */

/* Maximum code points that one character is normalized to. */
#define ET_TEXT_NORMAL_MAX 4

/* A normalized character: `count` code points. ET_TEXT_DROPPED and ET_TEXT_SPACE have none. */
typedef struct et_text_normal {
  et_text_kind kind;
  uint32_t count;
  uint32_t points[ET_TEXT_NORMAL_MAX];
} et_text_normal;

et_text_normal et_text_normalize(const et_text_characters *characters,
                                 uint32_t point);

#endif /* ET_TEXT_NORMALIZE_H_ */
