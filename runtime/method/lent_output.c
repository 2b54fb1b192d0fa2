#include "executorch/method_layout.h"
#include "runtime/method/ends.h"

et_status et_method_set_output(et_method *method, size_t index, void *data,
                               size_t nbytes, et_error *out_error) {
  ET_RETURN_IF_ERROR(
      et_check_end("outputs", index, method->output_count, out_error));
  et_end *output = &method->outputs[index];
  if (!output->is_lent) {
    return et_fail(out_error, ET_STATUS_INVALID_STATE,
                   "outputs[%zu] has memory of its own", index);
  }
  et_tensor *tensor = output->value->u.as_tensor;
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  if (nbytes < tensor->capacity || (nbytes != 0 && data == NULL) ||
      ((uintptr_t)data & (size - 1)) != 0) {
    return et_fail(out_error, ET_STATUS_INVALID_ARGUMENT,
                   "outputs[%zu] needs %zu bytes, aligned to %zu", index,
                   tensor->capacity, size);
  }
  if (tensor->capacity != 0) {
    tensor->data = data;
  }
  output->is_set = true;
  return ET_STATUS_OK;
}
