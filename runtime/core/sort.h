/* Sorting in place, in n log n steps at worst and without recursion. */
#ifndef ET_RUNTIME_CORE_SORT_H_
#define ET_RUNTIME_CORE_SORT_H_

#include <stdbool.h>
#include <stddef.h>

/* How to look at the items, by their places. */
typedef struct et_sort_items {
  void *context;
  bool (*comes_before)(void *context, size_t a, size_t b);
  void (*swap)(void *context, size_t a, size_t b);
} et_sort_items;

/* Equal items come in no certain order. */
void et_sort(const et_sort_items *items, size_t count);

#endif /* ET_RUNTIME_CORE_SORT_H_ */
