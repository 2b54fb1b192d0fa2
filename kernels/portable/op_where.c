#include "kernels/util/args.h"
#include "kernels/util/map.h"

#define DEFINE_WHERE(fn, type)                                   \
  static void fn(const void *const *in, void *out, size_t count, \
                 const et_map_scalars *scalars) {                \
    const type *restrict condition = in[0];                      \
    const type *restrict a = in[1];                              \
    const type *restrict b = in[2];                              \
    type *restrict result = out;                                 \
    (void)scalars;                                               \
    for (size_t i = 0; i < count; i++) {                         \
      result[i] = condition[i] != 0 ? a[i] : b[i];               \
    }                                                            \
  }

DEFINE_WHERE(where_int64, int64_t)
DEFINE_WHERE(where_float32, float)
DEFINE_WHERE(where_float64, double)

static const et_map where = {"where",
                             ET_MAP_PROMOTE,
                             {where_int64, where_float32, where_float64},
                             false};

et_status et_op_where_self_out(et_kernel_context *context, et_value **args) {
  const et_value *tensors[3] = {args[0], args[1], args[2]};
  ET_CHECK(context, args[0]->u.as_tensor->dtype == ET_SCALAR_TYPE_BOOL,
           "where: condition must be bool");
  return et_map_apply(context, &where, tensors, 3, NULL, 0,
                      args[3]->u.as_tensor);
}
