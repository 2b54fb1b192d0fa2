/* The IDX file format of MNIST: an array of unsigned bytes. */
#ifndef ET_MODELS_IDX_FILE_H_
#define ET_MODELS_IDX_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDX_MAX_RANK 4

/* `elements` is owned. Release it with idx_free. */
typedef struct idx_array {
  int rank;
  uint32_t sizes[IDX_MAX_RANK];
  uint8_t *elements; /* in C order */
} idx_array;

/* Reads a file with `rank` <= IDX_MAX_RANK dimensions. On failure, returns false and prints path
 * and reason to stderr. */
bool idx_read(const char *path, int rank, idx_array *out);

void idx_free(idx_array *array);

#endif /* ET_MODELS_IDX_FILE_H_ */
