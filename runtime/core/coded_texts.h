/* Texts that stand for numbers, without a pointer each. */
#ifndef ET_RUNTIME_CORE_CODED_TEXTS_H_
#define ET_RUNTIME_CORE_CODED_TEXTS_H_

#include <stddef.h>
#include <stdint.h>

/* Of each code a text: they follow each other, each with its NUL, and behind them one
 * for codes that are not there. All static. */
typedef struct et_coded_texts {
  const uint8_t *codes;
  size_t count;
  const char *texts;
} et_coded_texts;

/* O(count). */
const char *et_coded_text(const et_coded_texts *list, int32_t code);

#endif /* ET_RUNTIME_CORE_CODED_TEXTS_H_ */
