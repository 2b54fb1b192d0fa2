#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"

static et_status add_up(et_kernel_context *context, const et_view *repeats,
                        size_t count, int64_t *total) {
  *total = 0;
  for (size_t i = 0; i < count; i++) {
    const int64_t repeat = et_index_at(repeats, i);
    ET_CHECK(context, repeat >= 0 && repeat <= INT32_MAX - *total,
             "repeat_interleave: repeats[%zu] = %lld is negative or too large",
             i, (long long)repeat);
    *total += repeat;
  }
  return ET_STATUS_OK;
}

/* Writes each index i repeats[i] times. */
et_status et_op_repeat_interleave_tensor_out(et_kernel_context *context,
                                             et_value **args) {
  const et_tensor *repeats = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  int64_t total = 0;
  const bool integers = repeats->dtype == ET_SCALAR_TYPE_INT32 ||
                        repeats->dtype == ET_SCALAR_TYPE_INT64;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "repeat_interleave: repeats", repeats, 1, 1));
  ET_RETURN_IF_ERROR(et_shape_supports(context, "repeat_interleave",
                                       integers && out->dtype == repeats->dtype,
                                       repeats, out));
  const et_view view = et_view_of(repeats);
  ET_RETURN_IF_ERROR(add_up(context, &view, repeats->numel, &total));
  ET_CHECK(context, et_arg_int_or(args[1], total) == total,
           "repeat_interleave: output_size is %lld, but repeats add up to %lld",
           (long long)et_arg_int_or(args[1], total), (long long)total);
  const int32_t sizes[1] = {(int32_t)total};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 1, context->error));
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)out->dtype);
  uint8_t *at = out->data;
  for (size_t i = 0; i < repeats->numel; i++) {
    const int64_t number = (int64_t)i;
    for (int64_t n = et_index_at(&view, i); n > 0; n--, at += size) {
      et_store_run(ET_COMPUTE_INT64, &number, out->dtype, at, 0, 1);
    }
  }
  return ET_STATUS_OK;
}
