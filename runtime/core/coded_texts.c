#include "runtime/core/coded_texts.h"

#include <string.h>

const char *et_coded_text(const et_coded_texts *list, int32_t code) {
  const char *text = list->texts;
  for (size_t i = 0; i < list->count && list->codes[i] != code; i++) {
    text += strlen(text) + 1;
  }
  return text;
}
