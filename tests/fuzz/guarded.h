/* Memory between inaccessible pages. */
#ifndef ET_TESTS_FUZZ_GUARDED_H_
#define ET_TESTS_FUZZ_GUARDED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of `size` bytes at `data`. It ends at an inaccessible page, or
 * slightly before it if the alignment requires it. An all-zero struct is
 * empty. */
typedef struct et_guarded {
  uint8_t *data;
  size_t size;
  uint8_t *pages; /* the mapping, with an inaccessible page at each end */
  size_t page_bytes;
  uint8_t fill;
} et_guarded;

/* Allocates a block, and fills it and the bytes around it with `fill`.
 * `alignment` is a power of two, at most a page. Exits if the system has no
 * memory. */
et_guarded et_guarded_take(size_t size, size_t alignment, uint8_t fill);

/* Makes the block read-only. */
void et_guarded_seal(const et_guarded *block);

/* Returns true if the accessible bytes around the block are still `fill`. */
bool et_guarded_is_intact(const et_guarded *block);

void et_guarded_free(et_guarded *block);

#endif /* ET_TESTS_FUZZ_GUARDED_H_ */
