#include "models/classify/picture_file.h"

#include <stdio.h>

#include "stb_image.h"

static bool is_ppm(FILE *file) {
  const bool found = fgetc(file) == 'P' && fgetc(file) == '6';
  rewind(file);
  return found;
}

/* What it allocates, free releases: the library is built with its own malloc. */
static bool read_compressed(const char *path, FILE *file, picture *out) {
  int channels = 0;
  out->pixels =
      stbi_load_from_file(file, &out->width, &out->height, &channels, 3);
  if (out->pixels == NULL) {
    fprintf(stderr, "%s: no JPEG, PNG or binary PPM that can be read (%s)\n",
            path, stbi_failure_reason());
  }
  return out->pixels != NULL;
}

bool picture_read(const char *path, picture *out) {
  *out = (picture){0, 0, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const bool ppm = is_ppm(file);
  const bool read = !ppm && read_compressed(path, file, out);
  fclose(file);
  return ppm ? picture_read_ppm(path, out) : read;
}
