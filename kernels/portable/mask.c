#include "kernels/portable/indexing.h"

#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

bool et_mask_at(const et_mask *plan, size_t i) {
  return plan->mask.data[et_view_offset(&plan->mask, i)] != 0;
}

et_status et_mask_plan(et_kernel_context *context, const char *what,
                       const et_tensor *self, const et_tensor *mask,
                       et_mask *plan) {
  et_tensor *const both[2] = {(et_tensor *)self, (et_tensor *)mask};
  const et_view self_view = et_view_of(self);
  const et_view mask_view = et_view_of(mask);
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_CHECK(context, mask->dtype == ET_SCALAR_TYPE_BOOL,
           "%s: the mask is not bool; cast it to bool", what);
  ET_RETURN_IF_ERROR(et_shape_broadcast(context, what, both, 2, sizes, &rank));
  et_view_expand(&self_view, sizes, rank, &plan->self);
  et_view_expand(&mask_view, sizes, rank, &plan->mask);
  plan->numel = 1;
  for (size_t d = 0; d < rank; d++) {
    ET_CHECK(context,
             sizes[d] == 0 || plan->numel <= INT32_MAX / (size_t)sizes[d],
             "%s: the result is too large", what);
    plan->numel *= (size_t)sizes[d];
  }
  plan->selected = 0;
  for (size_t i = 0; i < plan->numel; i++) {
    plan->selected += et_mask_at(plan, i) ? 1 : 0;
  }
  return ET_STATUS_OK;
}

void et_mask_move(const et_view *from, size_t i, const et_view *to, size_t k) {
  const size_t size = et_scalar_type_size((int32_t)from->dtype);
  memcpy(to->data + et_view_offset(to, k) * (int64_t)size,
         from->data + et_view_offset(from, i) * (int64_t)size, size);
}
