#include "app/pictures.h"

/* Before the elements, an idx file has a word that says what it is, and one a
 * dimension. */
enum { kImagesHead = 4 * 4, kLabelsHead = 2 * 4 };

static const uint8_t kImages[] = {
#include "app/images.inc"
};

static const uint8_t kLabels[] = {
#include "app/labels.inc"
};

_Static_assert(sizeof(kImages) == kImagesHead + kPictures * kPixels,
               "one picture after the other");
_Static_assert(sizeof(kLabels) == kLabelsHead + kPictures,
               "a label for each picture");

const uint8_t *picture_pixels(int index) {
  return kImages + kImagesHead + index * kPixels;
}

int picture_label(int index) { return kLabels[kLabelsHead + index]; }
