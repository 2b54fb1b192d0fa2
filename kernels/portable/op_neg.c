#include "kernels/util/convert.h"
#include "kernels/util/map.h"

ET_MAP_UNARY(neg_int64, int64_t, int64, et_wrap_sub(0, x))
ET_MAP_UNARY_FLOATING(neg, -x)

static const et_map neg = {
    "neg", ET_MAP_PROMOTE, {neg_int64, neg_float32, neg_float64}, false};

et_status et_op_neg_out(et_kernel_context *context, et_value **args) {
  return et_map_unary(context, &neg, args[0], args[1]);
}
