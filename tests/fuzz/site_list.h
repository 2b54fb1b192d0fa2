/* A growing list of sites. */
#ifndef ET_TESTS_FUZZ_SITE_LIST_H_
#define ET_TESTS_FUZZ_SITE_LIST_H_

#include "tests/fuzz/sites.h"

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

#endif /* ET_TESTS_FUZZ_SITE_LIST_H_ */
