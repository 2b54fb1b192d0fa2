/* Memory between pages that nothing may touch. */
#ifndef ET_TESTS_FUZZ_GUARDED_H_
#define ET_TESTS_FUZZ_GUARDED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `size` bytes at `data`, which end at an inaccessible page, or before it where their
 * alignment needs that. All zero is no block. */
typedef struct et_guarded {
  uint8_t *data;
  size_t size;
  uint8_t *pages; /* the mapping, with an inaccessible page at each end */
  size_t page_bytes;
  uint8_t fill;
} et_guarded;

/* Takes a block whose bytes, and those around it, are `fill`. `alignment` is a power of
 * two, at most a page. Ends the program when the system has no memory. */
et_guarded et_guarded_take(size_t size, size_t alignment, uint8_t fill);

/* Makes the block read-only. */
void et_guarded_seal(const et_guarded *block);

/* Whether the accessible bytes around the block still are `fill`. */
bool et_guarded_is_intact(const et_guarded *block);

void et_guarded_free(et_guarded *block);

#endif /* ET_TESTS_FUZZ_GUARDED_H_ */
