/* BERT's normalization of characters: lower case, without accents. */
#ifndef ET_TEXT_NORMALIZE_H_
#define ET_TEXT_NORMALIZE_H_

#include <stdint.h>

#include "text/unicode_tables.h"

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
