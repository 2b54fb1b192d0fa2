#include "executorch/kernels/args.h"

#include <string.h>

bool et_arg_is_text(const et_value *value, const char *text) {
  const et_string string = value->u.as_string;
  return string.size == strlen(text) &&
         (string.size == 0 || memcmp(string.data, text, string.size) == 0);
}

et_tensor *et_arg_list_tensor(const et_value *list, size_t index) {
  const et_value *item = list->u.as_list.items[index];
  return item == NULL ? NULL : et_arg_tensor(item);
}

static et_status read_element(et_kernel_context *context, const char *what,
                              const et_value *list, size_t index, int64_t low,
                              int64_t high, int64_t *out) {
  const int64_t value = et_int_list_at(list, index);
  ET_CHECK(context, value >= low && value <= high,
           "%s[%zu] = %lld is not in [%lld, %lld]", what, index,
           (long long)value, (long long)low, (long long)high);
  *out = value;
  return ET_STATUS_OK;
}

et_status et_arg_ints(et_kernel_context *context, const char *what,
                      const et_value *list, size_t count, int64_t low,
                      int64_t high, const int64_t *absent, int64_t *out) {
  const size_t size = et_arg_is_none(list) ? 0 : list->u.as_list.size;
  ET_CHECK(context, size == count || size == 1 || (size == 0 && absent != NULL),
           "%s has %zu elements, expected %zu", what, size, count);
  for (size_t i = 0; i < count; i++) {
    if (size == 0) {
      out[i] = *absent;
      continue;
    }
    ET_RETURN_IF_ERROR(read_element(context, what, list, size == 1 ? 0 : i, low,
                                    high, &out[i]));
  }
  return ET_STATUS_OK;
}

et_status et_arg_sizes(et_kernel_context *context, const char *what,
                       const et_value *list, int32_t *out_sizes,
                       size_t *out_rank) {
  const size_t rank = list->u.as_list.size;
  ET_CHECK(context, rank <= ET_MAX_RANK,
           "%s has %zu dimensions, expected at most %d", what, rank,
           ET_MAX_RANK);
  for (size_t i = 0; i < rank; i++) {
    int64_t size = 0;
    ET_RETURN_IF_ERROR(
        read_element(context, what, list, i, -1, INT32_MAX, &size));
    out_sizes[i] = (int32_t)size;
  }
  *out_rank = rank;
  return ET_STATUS_OK;
}
