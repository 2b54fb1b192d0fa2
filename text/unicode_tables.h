/* What becomes of each character of Unicode before text is cut into words. */
#ifndef ET_TEXT_UNICODE_TABLES_H_
#define ET_TEXT_UNICODE_TABLES_H_

#include <stdint.h>

typedef enum et_text_kind {
  ET_TEXT_DROPPED, /* accents, control characters, U+0000, U+FFFD */
  ET_TEXT_SPACE,   /* ends a word */
  ET_TEXT_MOVED, /* another letter, `value` further on: lower case, no accent */
  ET_TEXT_ALONE, /* the same, and a word of its own: punctuation, ideographs */
  ET_TEXT_SEVERAL, /* value % 8 letters: et_text_points[value / 8 ...] */
} et_text_kind;

/* Code points that share a fate; those in no entry stay as they are. */
typedef struct et_text_entry {
  uint32_t first;
  uint32_t last;
  et_text_kind kind;
  int32_t value;
} et_text_entry;

/* In order. */
extern const et_text_entry et_text_entries[];
extern const uint32_t et_text_entries_count;
extern const uint32_t et_text_points[];

#endif /* ET_TEXT_UNICODE_TABLES_H_ */
