/* BERT's normalization of Unicode characters, before text is split into words. */
#ifndef ET_TEXT_UNICODE_TABLES_H_
#define ET_TEXT_UNICODE_TABLES_H_

#include <stdint.h>

typedef enum et_text_kind {
  ET_TEXT_DROPPED, /* accents, control characters, U+0000, U+FFFD */
  ET_TEXT_SPACE,   /* ends a word */
  ET_TEXT_MOVED,   /* code point + value: lower case, no accent */
  ET_TEXT_ALONE, /* code point + value, as a separate word: punctuation, ideographs */
  ET_TEXT_SEVERAL, /* value % 8 code points from et_text_points[value / 8] on */
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

#endif /* ET_TEXT_UNICODE_TABLES_H_ */
