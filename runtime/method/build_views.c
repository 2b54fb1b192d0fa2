#include "runtime/core/reason.h"
#include "runtime/method/builder.h"
#include "runtime/method/operands.h"

void et_build_mark_views(const et_builder *builder) {
  for (size_t i = 0; i < builder->counts.instructions; i++) {
    et_instruction *instruction = &builder->regions.instructions[i];
    instruction->binds_out = et_instruction_is_view(instruction) &&
                             instruction->args[2]->u.as_tensor->data == NULL;
  }
}

/* Planned bytes stay where they are, and who writes them is followed: an out on
 * them lies there from now on. All else is read only, and what the caller lends
 * may lie elsewhere in each run. */
static void lay_on_base(const et_method *method, et_instruction *view) {
  const et_tensor *base = view->args[0]->u.as_tensor;
  et_tensor *out = view->args[2]->u.as_tensor;
  out->data = base->data;
  out->is_constant = base->is_constant || base->data == method;
  view->binds_out = out->is_constant;
}

static et_status bind_view(const et_builder *builder, uint32_t index) {
  et_method *method = builder->regions.method;
  et_instruction *view = &builder->regions.instructions[index];
  const et_tensor *base = view->args[0]->u.as_tensor;
  const et_tensor *out = view->args[2]->u.as_tensor;
  if (view->binds_out) {
    lay_on_base(method, view);
  }
  method->lends_views = method->lends_views || view->binds_out;
  if (out->data != base->data || out->capacity > base->capacity ||
      out->dtype != base->dtype) {
    return et_fail_program(
        builder->error, "instructions[%u] %s: the out does not lie on its base",
        (unsigned)index, view->u.kernel->name);
  }
  return ET_STATUS_OK;
}

et_status et_build_bind_views(const et_builder *builder) {
  const et_method *method = builder->regions.method;
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    if (et_instruction_is_view(&method->instructions[i])) {
      ET_RETURN_IF_ERROR(bind_view(builder, i));
    }
  }
  return ET_STATUS_OK;
}
