/* Maps numeric codes to texts without a pointer for each text. */
#ifndef ET_RUNTIME_CORE_CODED_TEXTS_H_
#define ET_RUNTIME_CORE_CODED_TEXTS_H_

#include <stddef.h>
#include <stdint.h>

/* A list of codes and texts.
 *
 * `texts` has one NUL-terminated text for each code, one after the other, and
 * then the text for unknown codes. Both arrays are static. */
typedef struct et_coded_texts {
  const uint8_t *codes;
  size_t count;
  const char *texts;
} et_coded_texts;

/* Returns the text of `code`. O(count). */
const char *et_coded_text(const et_coded_texts *list, int32_t code);

#endif /* ET_RUNTIME_CORE_CODED_TEXTS_H_ */
