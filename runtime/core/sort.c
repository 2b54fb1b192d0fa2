#include "runtime/core/sort.h"

/* Restores the heap at `root`, whose two subtrees are heaps. The root of a heap
 * is the item that sorts last. */
static void sift_down(const et_sort_items *items, size_t root, size_t count) {
  while (root < count / 2) {
    size_t child = 2 * root + 1;
    if (child + 1 < count &&
        items->comes_before(items->context, child, child + 1)) {
      child++;
    }
    if (!items->comes_before(items->context, root, child)) {
      return;
    }
    items->swap(items->context, root, child);
    root = child;
  }
}

/* Heapsort: builds the heap from the last parent to the root, then removes the
 * top repeatedly. */
void et_sort(const et_sort_items *items, size_t count) {
  size_t root = count / 2;
  while (count > 1) {
    if (root != 0) {
      root--;
    } else {
      count--;
      items->swap(items->context, 0, count);
    }
    sift_down(items, root, count);
  }
}
