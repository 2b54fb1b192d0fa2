/* Mutation of valid programs at the positions of their values. */
#ifndef ET_TESTS_FUZZ_MUTATE_H_
#define ET_TESTS_FUZZ_MUTATE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/random.h"
#include "executorch/span.h"

/* ---- Random choices ---- */

/* Returns a value in [0, count); count is positive. The same seed gives the same
 * values on every machine. */
static inline size_t et_random_below(et_random *random, size_t count) {
  return (size_t)((et_random_next(random) >> 16) % count);
}

/* ---- Sites: the positions of values in a program ---- */

/* The position of one value: a field, an element of a vector, or a vector's
 * length. Sites of one kind have the same meaning, such as a field of a table.
 * Changing a value preserves the structure of the program. */
typedef struct et_site {
  uint32_t position;
  uint16_t kind;
  uint8_t width; /* in bytes */
} et_site;

/* Returns all sites of an undamaged program or data file (.ptd), sorted by kind. Free
 * with free(). */
et_site *et_sites_of(et_span file, size_t *out_count);

/* Returns a kind of CPU backend op that is missing from all files given to
 * et_sites_of, or NULL. Only builds that need all kinds check this
 * (CPU_OPS). */
const char *et_sites_missing_kind(void);

/* ---- A growing list of sites ---- */

/* Initialize with zeros. */
typedef struct et_site_list {
  et_site *sites; /* freed with free() */
  size_t count;
  size_t capacity;
} et_site_list;

void et_site_list_add(et_site_list *list, uint32_t position, uint16_t kind,
                      uint8_t width);

/* Sorts sites by kind. */
void et_site_list_sort(et_site_list *list);

/* ---- Mutation ---- */

/* Changes a few values, usually to a boundary value or to the value of another
 * site of the same kind. Sometimes changes an arbitrary byte. */
void et_mutate(et_random *random, const et_site *sites, size_t count,
               et_mutable_span program);

#endif /* ET_TESTS_FUZZ_MUTATE_H_ */
