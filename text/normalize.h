/* Characters as BERT's vocabularies know them: lower case, without accents. */
#ifndef ET_TEXT_NORMALIZE_H_
#define ET_TEXT_NORMALIZE_H_

#include <stdint.h>

#include "text/unicode_tables.h"

/* No character becomes more. */
#define ET_TEXT_NORMAL_MAX 4

/* What one character became: `count` letters of a word, none for ET_TEXT_DROPPED and
 * ET_TEXT_SPACE. */
typedef struct et_text_normal {
  et_text_kind kind;
  uint32_t count;
  uint32_t points[ET_TEXT_NORMAL_MAX];
} et_text_normal;

et_text_normal et_text_normalize(uint32_t point);

#endif /* ET_TEXT_NORMALIZE_H_ */
