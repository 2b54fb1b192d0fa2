/* Prints the bits of each image's logits, as the elements of a C array. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/classify.h"

static et_status print_all(et_error *error) {
  ET_RETURN_IF_ERROR(classify_load(error));
  for (int i = 0; i < kImages; ++i) {
    const float *logits = NULL;
    ET_RETURN_IF_ERROR(classify(image_pixels(i), &logits, error));
    for (int k = 0; k < kClasses; ++k) {
      uint32_t bits = 0;
      memcpy(&bits, &logits[k], sizeof(bits));
      printf("0x%08" PRIx32 ",%c", bits, k + 1 < kClasses ? ' ' : '\n');
    }
  }
  return ET_STATUS_OK;
}

int main(void) {
  et_error error = ET_ERROR_INIT;
  if (print_all(&error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  return 0;
}
