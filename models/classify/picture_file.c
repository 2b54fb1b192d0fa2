#include "models/classify/picture_file.h"

#include <stdint.h>
#include <stdio.h>

#include "stb_image.h"

/* Source of bytes for stb_image. */
typedef struct source {
  FILE *file;
  bool exhausted; /* more bytes were requested than the file has */
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

/* Limits of image size, because a small file can contain a very large image. While decoding,
 * stb_image allocates up to 3 * kMaxBytes. */
static const int64_t kMaxPixels = (int64_t)1 << 26;
static const int64_t kMaxBytes = (int64_t)1 << 28;

typedef struct image_header {
  int width;
  int height;
  int channels;
  bool is_16_bit;
} image_header;

/* Reads the header, and moves the file back to its start. Returns false if the file is not
 * an image. */
static bool read_header(FILE *file, image_header *out) {
  source from = {file, false};
  rewind(file);
  out->is_16_bit = stbi_is_16_bit_from_callbacks(&kCalls, &from) != 0;
  rewind(file);
  const int found = stbi_info_from_callbacks(&kCalls, &from, &out->width,
                                             &out->height, &out->channels);
  rewind(file);
  return found != 0;
}

static bool is_too_large(const image_header *header) {
  const int64_t pixels = (int64_t)header->width * header->height;
  return pixels > kMaxPixels ||
         pixels * header->channels * (header->is_16_bit ? 2 : 1) > kMaxBytes;
}

/* Prints why a file cannot be read. `reason` is stb_image's. */
static void tell(const char *path, const source *from, const char *reason) {
  image_header header;
  if (!read_header(from->file, &header)) {
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

/* Reads a JPEG or PNG. free() can release stb_image's memory, because the library uses malloc.
 * stb_image decodes some truncated files without an error, with gray pixels at the end; `exhausted`
 * detects them. */
static bool read_compressed(const char *path, FILE *file, picture *out) {
  source from = {file, false};
  image_header header;
  int channels = 0;
  if (read_header(file, &header) && is_too_large(&header)) {
    fprintf(
        stderr,
        "%s: the image has %d x %d pixels, more than 64 million or 256 MiB; "
        "scale it down, for example: convert -resize 4096x4096 in.png "
        "out.png\n",
        path, header.width, header.height);
    return false;
  }
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
