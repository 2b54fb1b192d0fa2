/* Sites: the positions of values in a program. Changing them preserves its structure. */
#ifndef ET_TESTS_FUZZ_SITES_H_
#define ET_TESTS_FUZZ_SITES_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"

/* One value: a field, an element of a vector, or a vector's length. Sites of one kind
 * have one meaning, such as a field of a table. */
typedef struct et_site {
  uint32_t position;
  uint16_t kind;
  uint8_t width; /* in bytes */
} et_site;

/* Returns all sites of an undamaged program or data file (.ptd), sorted by kind. Free
 * with free(). */
et_site *et_sites_of(et_span file, size_t *out_count);

/* Returns a kind of CPU backend op that no file given to et_sites_of has, or NULL. Only
 * builds that need all kinds check this (CPU_KINDS). */
const char *et_sites_missing_kind(void);

#endif /* ET_TESTS_FUZZ_SITES_H_ */
