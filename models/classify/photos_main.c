/* Writes photographs as the network sees them, for quantizing to measure ranges on.
 *
 *   photos PHOTO... CALIBRATION.safetensors
 *
 * Each photo gives as many calls as there are shares below: the middle of it from near and
 * from far. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/classify/photo.h"

static const float kShares[] = {1, PHOTO_SHARE, 0.5f};
enum { kShareCount = sizeof kShares / sizeof *kShares };

/* The format's head: its own length, then JSON. */
static bool write_head(FILE *file, int photos) {
  char head[256];
  const int calls = photos * kShareCount;
  const int length =
      snprintf(head, sizeof head,
               "{\"picture\":{\"dtype\":\"F32\",\"shape\":[%d,3,%d,%d],"
               "\"data_offsets\":[0,%zu]}}",
               calls, PHOTO_SIDE, PHOTO_SIDE,
               (size_t)calls * PHOTO_ELEMENTS * sizeof(float));
  uint8_t bytes[8] = {(uint8_t)length, (uint8_t)(length >> 8)};
  return fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes &&
         fwrite(head, 1, (size_t)length, file) == (size_t)length;
}

static bool write_photo(FILE *file, const char *path) {
  static float photo[PHOTO_ELEMENTS];
  for (int i = 0; i < kShareCount; ++i) {
    if (!photo_read(path, kShares[i], photo) ||
        fwrite(photo, sizeof *photo, PHOTO_ELEMENTS, file) != PHOTO_ELEMENTS) {
      return false;
    }
  }
  return true;
}

static bool write_all(FILE *file, char **paths, int count) {
  bool written = write_head(file, count);
  for (int i = 0; written && i < count; ++i) {
    written = write_photo(file, paths[i]);
  }
  return written;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: photos PHOTO... CALIBRATION.safetensors\n");
    return EXIT_FAILURE;
  }
  FILE *file = fopen(argv[argc - 1], "wb");
  bool written = file != NULL && write_all(file, argv + 1, argc - 2);
  if (file != NULL && fclose(file) != 0) {
    written = false;
  }
  if (!written) {
    fprintf(stderr, "photos: %s was not written\n", argv[argc - 1]);
  }
  return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
