#include "models/idx_file.h"

#include <stdio.h>
#include <stdlib.h>

/* Maximum file size in bytes: far more than any digit data set, and far less
 * than the available memory. */
#define IDX_MAX_BYTES (1u << 28)

static bool read_size(FILE *file, uint32_t *out) {
  uint8_t bytes[4];
  if (fread(bytes, 1, 4, file) != 4) {
    return false;
  }
  *out = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
         (uint32_t)bytes[2] << 8 | bytes[3];
  return true;
}

static const char *read_array(FILE *file, int rank, idx_array *out) {
  uint8_t head[4];
  if (fread(head, 1, 4, file) != 4 || head[0] != 0 || head[1] != 0 ||
      head[2] != 8) {
    return "not an IDX file of unsigned bytes";
  }
  if (head[3] != rank) {
    return "unexpected number of dimensions";
  }
  size_t count = 1;
  for (out->rank = 0; out->rank < rank; ++out->rank) {
    uint32_t *size = &out->sizes[out->rank];
    if (!read_size(file, size) || *size == 0 || *size > IDX_MAX_BYTES / count) {
      return "the sizes are truncated, zero or too large";
    }
    count *= *size;
  }
  out->elements = malloc(count);
  if (out->elements == NULL) {
    return "out of memory";
  }
  return fread(out->elements, 1, count, file) == count
             ? NULL
             : "the elements are truncated";
}

bool idx_read(const char *path, int rank, idx_array *out) {
  *out = (idx_array){0, {0}, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const char *problem = read_array(file, rank, out);
  fclose(file);
  if (problem != NULL) {
    fprintf(stderr, "%s: %s\n", path, problem);
    idx_free(out);
  }
  return problem == NULL;
}

void idx_free(idx_array *array) {
  free(array->elements);
  *array = (idx_array){0, {0}, NULL};
}
