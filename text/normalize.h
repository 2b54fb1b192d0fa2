/* BERT's normalization of Unicode characters before text is split into words:
 * lower case, without accents. */
#ifndef ET_TEXT_NORMALIZE_H_
#define ET_TEXT_NORMALIZE_H_

#include <stdint.h>

/* ---- Table of characters, in unicode_tables.c ---- */

typedef enum et_text_kind {
  ET_TEXT_DROPPED, /* accents, control characters, U+0000, U+FFFD */
  ET_TEXT_SPACE,   /* ends a word */
  ET_TEXT_MOVED,   /* code point + value: lower case, no accent */
  ET_TEXT_ALONE, /* code point + value, as a separate word: punctuation, ideographs */
  ET_TEXT_SEVERAL, /* value % 8 code points, starting at et_text_points[value / 8] */
} et_text_kind;

/* Code points with the same kind and value. Other code points do not change. */
typedef struct et_text_entry {
  uint32_t first;
  uint32_t last;
  et_text_kind kind;
  int32_t value;
} et_text_entry;

/* Sorted by code point. */
extern const et_text_entry et_text_entries[];
extern const uint32_t et_text_entries_count;
extern const uint32_t et_text_points[];

/* ---- Normalization ---- */

/* Maximum code points that one character is normalized to. */
#define ET_TEXT_NORMAL_MAX 4

/* A normalized character: `count` code points. ET_TEXT_DROPPED and ET_TEXT_SPACE have none. */
typedef struct et_text_normal {
  et_text_kind kind;
  uint32_t count;
  uint32_t points[ET_TEXT_NORMAL_MAX];
} et_text_normal;

et_text_normal et_text_normalize(uint32_t point);

#endif /* ET_TEXT_NORMALIZE_H_ */
