#include "executorch/kernel.h"

#include <string.h>

/* Compares like strcmp. `name` has a known length and does not contain a
 * NUL. */
static int compare_name(et_string name, const char *row) {
  const int order = strncmp(name.data, row, name.size);
  return order == 0 && row[name.size] != '\0' ? -1 : order;
}

const et_kernel *et_kernel_table_find(const et_kernel_table *table,
                                      et_string name) {
  size_t low = 0;
  size_t high = table->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_name(name, table->kernels[middle].name) <= 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const bool found =
      low < table->count && compare_name(name, table->kernels[low].name) == 0;
  return found ? &table->kernels[low] : NULL;
}

const et_kernel *et_kernel_table_next(const et_kernel_table *table,
                                      const et_kernel *kernel) {
  const et_kernel *next = kernel + 1;
  const bool same = next < table->kernels + table->count &&
                    strcmp(next->name, kernel->name) == 0;
  return same ? next : NULL;
}
