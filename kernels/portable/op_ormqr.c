#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

/* Checks that `other` has as many rows as the reflectors if they are on the
 * left, otherwise as many columns. */
static et_status check_other(et_kernel_context *context, const et_tensor *input,
                             const et_tensor *other, bool is_left) {
  ET_RETURN_IF_ERROR(et_matrices_check(context, "ormqr", other, false));
  bool same = input->rank == other->rank;
  for (size_t d = 0; same && d + 2 < input->rank; d++) {
    same = input->sizes[d] == other->sizes[d];
  }
  ET_CHECK(context, same, "ormqr: the batches of both matrices differ");
  const size_t size = et_size_from_end(other, is_left ? 2 : 1);
  ET_CHECK(context, size == et_size_from_end(input, 2),
           "ormqr: reflectors have %zu elements, expected %zu",
           et_size_from_end(input, 2), size);
  return ET_STATUS_OK;
}

et_status et_op_ormqr_out(et_kernel_context *context, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *other = args[2]->u.as_tensor;
  const bool is_left = args[3]->u.as_bool;
  et_tensor *out = args[5]->u.as_tensor;
  et_householder h;
  ET_RETURN_IF_ERROR(
      et_householder_plan(context, "ormqr", input, args[1]->u.as_tensor, &h));
  ET_RETURN_IF_ERROR(check_other(context, input, other, is_left));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, other));
  const et_view given = et_view_of(other);
  const et_view result = et_view_of(out);
  const et_view from = is_left ? given : et_view_transpose(&given);
  const et_view to = is_left ? result : et_view_transpose(&result);
  for (size_t i = 0; i < et_batch_count(&to, 2); i++) {
    const et_view source = et_batch_at(&from, 2, i);
    const et_view target = et_batch_at(&to, 2, i);
    et_reflectors r = et_householder_load(&h, i, context->scratch.data);
    r.transposed = args[4]->u.as_bool == is_left;
    et_columns_run(&source, &target, et_reflectors_apply, &r,
                   et_householder_panel(&r));
  }
  return ET_STATUS_OK;
}
