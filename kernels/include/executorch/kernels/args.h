/* Readers of a kernel's arguments. */
#ifndef EXECUTORCH_KERNELS_ARGS_H_
#define EXECUTORCH_KERNELS_ARGS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns INVALID_ARGUMENT from the kernel, with a formatted message, if
 * `condition` is false. et_fail defines the format specifiers. */
#define ET_CHECK(context, condition, ...)                          \
  do {                                                             \
    if (!(condition)) {                                            \
      return et_fail((context)->error, ET_STATUS_INVALID_ARGUMENT, \
                     __VA_ARGS__);                                 \
    }                                                              \
  } while (0)

/* ET_CHECK that a kernel supports `dtype`. `what` names the operator or its
 * operand. */
#define ET_CHECK_DTYPE(context, is_supported, what, dtype)            \
  ET_CHECK(context, is_supported,                                     \
           "%s: dtype %s is not supported; cast it to float32", what, \
           et_scalar_type_name((int32_t)(dtype)))

static inline bool et_arg_is_none(const et_value *value) {
  return value->tag == ET_VALUE_NONE;
}

/* Returns the tensor, or NULL for None. */
static inline et_tensor *et_arg_tensor(const et_value *value) {
  return et_arg_is_none(value) ? NULL : value->u.as_tensor;
}

/* Returns the integer, or `absent` for None. */
static inline int64_t et_arg_int_or(const et_value *value, int64_t absent) {
  return et_arg_is_none(value) ? absent : value->u.as_int;
}

/* Returns true if a str argument equals `text`. */
bool et_arg_is_text(const et_value *value, const char *text);

/* Returns element `index` of a TENSOR_LIST or OPTIONAL_TENSOR_LIST, or NULL if
 * that element is None. */
et_tensor *et_arg_list_tensor(const et_value *list, size_t index);

/* Reads an int[] into `out`, which has `count` elements. The list may have:
 *
 * - `count` elements;
 * - one element, which is used for all of them;
 * - no element, if `absent` is not NULL; *absent is then used for all of them.
 *
 * Each element must be in [low, high]. `what` names the argument in the
 * message: "convolution: stride". */
et_status et_arg_ints(et_kernel_context *context, const char *what,
                      const et_value *list, size_t count, int64_t low,
                      int64_t high, const int64_t *absent, int64_t *out);

/* Reads an int[] of at most ET_MAX_RANK sizes. Each is in [-1, INT32_MAX]; -1
 * means inferred or unchanged. */
et_status et_arg_sizes(et_kernel_context *context, const char *what,
                       const et_value *list, int32_t *out_sizes,
                       size_t *out_rank);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_ARGS_H_ */
