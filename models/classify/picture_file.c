#include "models/classify/picture_file.h"

#include <stdio.h>

#include "stb_image.h"

/* What stb_image reads from. */
typedef struct source {
  FILE *file;
  bool exhausted; /* more was wanted than there is */
} source;

static int read_more(void *user, char *data, int size) {
  source *from = user;
  const size_t count = fread(data, 1, (size_t)size, from->file);
  from->exhausted = from->exhausted || count == 0;
  return (int)count;
}

static void skip(void *user, int count) {
  const source *from = user;
  fseek(from->file, count, SEEK_CUR);
}

static int at_end(void *user) {
  const source *from = user;
  return feof(from->file);
}

static const stbi_io_callbacks kCalls = {read_more, skip, at_end};

/* Whether the head is that of a picture. */
static bool has_head(FILE *file) {
  source from = {file, false};
  int width = 0;
  int height = 0;
  int channels = 0;
  rewind(file);
  return stbi_info_from_callbacks(&kCalls, &from, &width, &height, &channels) !=
         0;
}

/* `reason` is stb_image's. */
static void tell(const char *path, const source *from, const char *reason) {
  if (!has_head(from->file)) {
    fprintf(stderr,
            "%s: no JPEG, PNG or binary PPM that can be read (%s); convert it, "
            "for example: convert photo.heic photo.jpg\n",
            path, reason);
  } else if (from->exhausted) {
    fprintf(stderr, "%s: the picture is cut short\n", path);
  } else {
    fprintf(stderr, "%s: the picture is damaged (%s)\n", path, reason);
  }
}

/* What it allocates, free releases: the library is built with its own malloc. Of some files
 * that are cut short it makes a picture whose rest is grey, and says nothing. */
static bool read_compressed(const char *path, FILE *file, picture *out) {
  source from = {file, false};
  int channels = 0;
  out->pixels = stbi_load_from_callbacks(&kCalls, &from, &out->width,
                                         &out->height, &channels, 3);
  if (out->pixels != NULL && !from.exhausted) {
    return true;
  }
  tell(path, &from, stbi_failure_reason());
  picture_free(out);
  return false;
}

static bool is_empty(FILE *file) {
  const bool empty = fgetc(file) == EOF;
  rewind(file);
  return empty;
}

static bool is_ppm(FILE *file) {
  const bool found = fgetc(file) == 'P' && fgetc(file) == '6';
  rewind(file);
  return found;
}

static bool read_file(const char *path, FILE *file, picture *out) {
  if (is_empty(file)) {
    fprintf(stderr, "%s: the file is empty\n", path);
    return false;
  }
  return is_ppm(file) ? picture_read_ppm(path, out)
                      : read_compressed(path, file, out);
}

bool picture_read(const char *path, picture *out) {
  *out = (picture){0, 0, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const bool read = read_file(path, file, out);
  fclose(file);
  return read;
}
