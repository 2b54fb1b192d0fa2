/* The IDX file format of MNIST: unsigned bytes with a shape. */
#ifndef ET_MODELS_IDX_FILE_H_
#define ET_MODELS_IDX_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDX_MAX_RANK 4

/* `elements` is owned: release with idx_free. */
typedef struct idx_array {
  int rank;
  uint32_t sizes[IDX_MAX_RANK];
  uint8_t *elements; /* product of sizes, C order */
} idx_array;

/* Reads a file of `rank` <= IDX_MAX_RANK dimensions. On failure returns false and prints why,
 * with the path, to stderr. */
bool idx_read(const char *path, int rank, idx_array *out);

void idx_free(idx_array *array);

#endif /* ET_MODELS_IDX_FILE_H_ */
