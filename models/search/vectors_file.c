#include "models/search/vectors_file.h"

#include <stdio.h>
#include <string.h>

#include "models/search/hash.h"

enum { kPathBytes = 4096 };

/* Header of the file. The vectors follow. */
typedef struct head {
  char magic[8];
  uint64_t key;
  uint64_t elements;
  uint64_t checksum; /* of the vectors */
} head;

static head head_of(uint64_t key, const float *vectors, size_t elements) {
  return (head){
      {'v', 'e', 'c', 't', 'o', 'r', 's', '1'},
      key,
      elements,
      hash_bytes(HASH_START, vectors, elements * sizeof *vectors),
  };
}

bool vectors_read(const char *path, uint64_t key, float *out, size_t elements) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  head found;
  const bool whole = fread(&found, sizeof found, 1, file) == 1 &&
                     fread(out, sizeof *out, elements, file) == elements &&
                     fgetc(file) == EOF;
  fclose(file);
  if (!whole) {
    return false;
  }
  const head expected = head_of(key, out, elements);
  return memcmp(&found, &expected, sizeof found) == 0;
}

static bool write_all(FILE *file, const head *start, const float *vectors) {
  const bool written = fwrite(start, sizeof *start, 1, file) == 1 &&
                       fwrite(vectors, sizeof *vectors, start->elements,
                              file) == start->elements;
  return fclose(file) == 0 && written;
}

bool vectors_write(const char *path, uint64_t key, const float *vectors,
                   size_t elements) {
  char part[kPathBytes];
  const int length = snprintf(part, sizeof part, "%s.part", path);
  FILE *file = length < kPathBytes ? fopen(part, "wb") : NULL;
  const head start = head_of(key, vectors, elements);
  if (file == NULL || !write_all(file, &start, vectors) ||
      rename(part, path) != 0) {
    fprintf(stderr, "search: the vectors are not kept: ");
    perror(path);
    remove(part);
    return false;
  }
  return true;
}
