/* Where the numbers of a program lie: what damage that keeps its structure
 * changes. */
#ifndef ET_TESTS_FUZZ_SITES_H_
#define ET_TESTS_FUZZ_SITES_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"

/* One number: a field, an element of a vector, or a vector's length. Numbers of
 * one kind have one meaning: that field of that table. */
typedef struct et_site {
  uint32_t position;
  uint16_t kind;
  uint8_t width; /* bytes */
} et_site;

/* All of an undamaged program, or data file (.ptd), sorted by kind. Freed with
 * free(). */
et_site *et_sites_of(et_span file, size_t *out_count);

/* A kind of the CPU backend's ops that no file given to et_sites_of has, in builds that
 * need all of them (CPU_KINDS); else NULL. */
const char *et_sites_missing_kind(void);

#endif /* ET_TESTS_FUZZ_SITES_H_ */
