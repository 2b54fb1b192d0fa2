#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

/* Adds `from` to `to` elementwise. */
static void accumulate(const et_view *from, const et_view *to) {
  const et_view views[2] = {*to, *from};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      et_accumulate(to->dtype, loop.at[1] + (ptrdiff_t)i * loop.strides[1],
                    loop.at[0] + (ptrdiff_t)i * loop.strides[0]);
    }
  }
}

/* Writes `values`, broadcast to the indexed shape, to `target`, which has the
 * shape of self. If an index is repeated, the last value is kept. */
static et_status put(et_kernel_context *context, et_gather *gather,
                     const et_tensor *target, const et_tensor *values,
                     bool add) {
  const et_view given = et_view_of(values);
  et_view expanded;
  ET_CHECK(context,
           et_view_expand(&given, gather->sizes, gather->rank, &expanded),
           "index_put: values do not broadcast to the indexed shape");
  gather->self = et_view_of(target);
  const size_t count = et_gather_count(gather);
  size_t cursor = 0;
  for (size_t i = 0; i < count; i++) {
    const et_view from = et_gather_result_at(gather, &expanded, i);
    const et_view to = et_gather_self_at(gather, i, &cursor);
    if (add) {
      accumulate(&from, &to);
    } else {
      ET_RETURN_IF_ERROR(et_copy_view(context, "index_put", &from, &to));
    }
  }
  return ET_STATUS_OK;
}

static et_status plan(et_kernel_context *context, et_value **args,
                      et_gather *gather) {
  const et_tensor *self = args[0]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "index_put: values", self,
                                         args[2]->u.as_tensor));
  ET_CHECK(context, !args[3]->u.as_bool || et_dtype_is_computable(self->dtype),
           "index_put: cannot accumulate %s; cast the operands to float32",
           et_scalar_type_name((int32_t)self->dtype));
  return et_gather_plan(context, "index_put", self, args[1], gather);
}

et_status et_op_index_put_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  et_gather gather;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "index_put", self, out));
  ET_RETURN_IF_ERROR(plan(context, args, &gather));
  const et_view view = et_view_of(self);
  ET_RETURN_IF_ERROR(et_copy_view_to(context, "index_put", &view, out));
  return put(context, &gather, out, args[2]->u.as_tensor, args[3]->u.as_bool);
}

et_status et_op_index_put_(et_kernel_context *context, et_value **args) {
  et_gather gather;
  ET_RETURN_IF_ERROR(plan(context, args, &gather));
  return put(context, &gather, args[0]->u.as_tensor, args[2]->u.as_tensor,
             args[3]->u.as_bool);
}
