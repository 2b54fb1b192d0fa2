#include "runtime/core/sort.h"

/* Makes a heap of `root` and of the two heaps below it: what comes last is on
 * top. */
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

void et_sort(const et_sort_items *items, size_t count) {
  for (size_t root = count / 2; root-- > 0;) {
    sift_down(items, root, count);
  }
  for (size_t end = count; end-- > 1;) {
    items->swap(items->context, 0, end);
    sift_down(items, 0, end);
  }
}
