/* In-place heapsort: O(n log n) in the worst case, no recursion. */
#ifndef ET_RUNTIME_CORE_SORT_H_
#define ET_RUNTIME_CORE_SORT_H_

#include <stdbool.h>
#include <stddef.h>

/* Access to the items by index. */
typedef struct et_sort_items {
  void *context;
  bool (*comes_before)(void *context, size_t a, size_t b);
  void (*swap)(void *context, size_t a, size_t b);
} et_sort_items;

/* Sorts `count` items. The order of equal items is unspecified. */
void et_sort(const et_sort_items *items, size_t count);

#endif /* ET_RUNTIME_CORE_SORT_H_ */
