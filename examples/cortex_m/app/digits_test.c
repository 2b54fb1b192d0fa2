/* Compares the program on this machine with the same program on the build
 * machine.
 *
 * If both round each product and sum in the same way, the logits have the same
 * bits. A processor with fused multiply-add rounds only once. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "app/classify.h"
#include "board/board.h"

/* number of images; an emulator takes seconds for them */
enum { kTested = 600 };

static const float kTolerance = 1e-4f;

/* As bits, because decimal numbers would be rounded. */
static const uint32_t kHostLogits[kImages][kClasses] = {
#include "app/host_logits.inc"
};

typedef struct tally {
  int right;
  int close; /* images whose logits match the host's within the tolerance */
  int equal; /* images whose logits are bit-identical */
} tally;

static bool are_close(const float *actual, const float *expected) {
  for (int i = 0; i < kClasses; ++i) {
    const float bound = kTolerance * (1 + fabsf(expected[i]));
    if (!(fabsf(actual[i] - expected[i]) <= bound)) {
      return false;
    }
  }
  return largest(actual) == largest(expected);
}

static et_status classify_all(tally *out, et_error *error) {
  ET_RETURN_IF_ERROR(classify_load(error));
  for (int i = 0; i < kTested; ++i) {
    const float *logits = NULL;
    float expected[kClasses];
    ET_RETURN_IF_ERROR(classify(image_pixels(i), &logits, error));
    memcpy(expected, kHostLogits[i], sizeof(expected));
    out->right += largest(logits) == image_label(i);
    out->close += are_close(logits, expected);
    out->equal += memcmp(logits, expected, sizeof(expected)) == 0;
  }
  return ET_STATUS_OK;
}

static void write_number(int number) {
  char digits[12];
  char *text = digits + sizeof(digits) - 1;
  *text = '\0';
  do {
    *--text = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  board_write(text);
}

static void write_count(int count, const char *what) {
  write_number(count);
  board_write(" of ");
  write_number(kTested);
  board_write(what);
}

int main(void) {
  et_error error = ET_ERROR_INIT;
  tally found = {0};
  if (classify_all(&found, &error) != ET_STATUS_OK) {
    board_write(error.message);
    board_write("\n");
    return 1;
  }
  write_count(found.right, " digits are right\n");
  write_count(found.close, " match the host's logits\n");
  write_count(found.equal, " are bit-identical\n");
  return found.close == kTested ? 0 : 1;
}
