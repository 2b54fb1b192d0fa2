/* Writes photographs as calibration inputs of a network.
 *
 *   photos INPUT SIDE MEAN,MEAN,MEAN DEVIATION,DEVIATION,DEVIATION PHOTO...
 *          CALIBRATION.safetensors
 *
 * INPUT is the name of the network's input. Each photo yields one input for
 * each share below: its center at several scales. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/classify/photo.h"

static const float kShares[] = {1, PHOTO_SHARE, 0.5f};
enum {
  kShareCount = sizeof kShares / sizeof *kShares,
  kLargestSide = 4096,
  kFirstPhoto = 5
};

static size_t elements(const photo_format *format) {
  return (size_t)3 * format->side * format->side;
}

/* Writes the header of a safetensors file: its length, then JSON. */
static bool write_head(FILE *file, const char *input,
                       const photo_format *format, int photos) {
  char head[512];
  const int calls = photos * kShareCount;
  const int length =
      snprintf(head, sizeof head,
               "{\"%s\":{\"dtype\":\"F32\",\"shape\":[%d,3,%d,%d],"
               "\"data_offsets\":[0,%zu]}}",
               input, calls, format->side, format->side,
               (size_t)calls * elements(format) * sizeof(float));
  if (length < 0 || (size_t)length >= sizeof head) {
    fprintf(stderr, "photos: the name of the input is too long\n");
    return false;
  }
  uint8_t bytes[8] = {(uint8_t)length, (uint8_t)(length >> 8)};
  return fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes &&
         fwrite(head, 1, (size_t)length, file) == (size_t)length;
}

static bool write_photo(FILE *file, const photo_format *format,
                        const char *path, float *photo) {
  for (int i = 0; i < kShareCount; ++i) {
    if (!photo_read_as(path, format, kShares[i], photo) ||
        fwrite(photo, sizeof *photo, elements(format), file) !=
            elements(format)) {
      return false;
    }
  }
  return true;
}

static bool write_all(FILE *file, const char *input, const photo_format *format,
                      char **paths, int count) {
  float *photo = malloc(elements(format) * sizeof *photo);
  bool written = photo != NULL && write_head(file, input, format, count);
  for (int i = 0; written && i < count; ++i) {
    written = write_photo(file, format, paths[i], photo);
  }
  free(photo);
  return written;
}

/* Parses three numbers, separated by commas. */
static bool read_channels(const char *text, float *out) {
  char rest;
  return sscanf(text, "%f,%f,%f%c", &out[0], &out[1], &out[2], &rest) == 3;
}

static bool read_format(char **argv, photo_format *out) {
  out->side = atoi(argv[0]);
  return out->side >= 1 && out->side <= kLargestSide &&
         read_channels(argv[1], out->mean) &&
         read_channels(argv[2], out->deviation) && out->deviation[0] > 0 &&
         out->deviation[1] > 0 && out->deviation[2] > 0;
}

int main(int argc, char **argv) {
  photo_format format;
  if (argc < kFirstPhoto + 2 || strpbrk(argv[1], "\"\\") != NULL ||
      !read_format(argv + 2, &format)) {
    fprintf(stderr,
            "usage: photos INPUT SIDE MEAN,MEAN,MEAN "
            "DEVIATION,DEVIATION,DEVIATION PHOTO... CALIBRATION.safetensors\n");
    return EXIT_FAILURE;
  }
  FILE *file = fopen(argv[argc - 1], "wb");
  bool written =
      file != NULL && write_all(file, argv[1], &format, argv + kFirstPhoto,
                                argc - 1 - kFirstPhoto);
  if (file != NULL && fclose(file) != 0) {
    written = false;
  }
  if (!written) {
    fprintf(stderr, "photos: %s was not written\n", argv[argc - 1]);
  }
  return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
