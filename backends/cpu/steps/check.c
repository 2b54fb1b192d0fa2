#include "backends/cpu/steps/check.h"

static et_status check_count(const et_cpu_step *step, const char *what,
                             uint16_t count, uint16_t least, uint16_t most,
                             et_error *error) {
  ET_CPU_CHECK(error, count >= least && count <= most,
               "%s: %d %s, expected %d to %d", step->kind->name, (int)count,
               what, (int)least, (int)most);
  return ET_STATUS_OK;
}

et_status et_cpu_check_counts(const et_cpu_step *step,
                              const et_cpu_counts *counts, et_error *error) {
  ET_RETURN_IF_ERROR(check_count(step, "inputs", step->input_count,
                                 counts->inputs_least, counts->inputs_most,
                                 error));
  ET_RETURN_IF_ERROR(
      check_count(step, "outputs", step->output_count, counts->outputs,
                  (uint16_t)(counts->outputs + counts->more_outputs), error));
  ET_RETURN_IF_ERROR(check_count(step, "workspaces", step->workspace_count,
                                 counts->workspaces, counts->workspaces,
                                 error));
  ET_RETURN_IF_ERROR(check_count(step, "dims", step->dim_count, counts->dims,
                                 counts->dims, error));
  return check_count(step, "attributes", step->attribute_count,
                     counts->attributes, counts->attributes, error);
}

et_status et_cpu_check_tensor(const et_cpu_step *step, size_t index,
                              et_scalar_type dtype, uint8_t rank,
                              et_error *error) {
  const et_cpu_tensor *tensor = step->tensors[index];
  ET_CPU_CHECK(error, tensor->dtype == dtype,
               "%s: tensor %zu is %s, expected %s", step->kind->name, index,
               et_scalar_type_name(tensor->dtype), et_scalar_type_name(dtype));
  ET_CPU_CHECK(error, tensor->rank == rank,
               "%s: tensor %zu has %d dims, expected %d", step->kind->name,
               index, (int)tensor->rank, (int)rank);
  return ET_STATUS_OK;
}

et_status et_cpu_check_sizes(const et_cpu_step *step, size_t index,
                             et_scalar_type dtype, uint8_t rank,
                             const int64_t *sizes, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(step, index, dtype, rank, error));
  const et_cpu_tensor *tensor = step->tensors[index];
  for (uint8_t i = 0; i < rank; i++) {
    ET_CPU_CHECK(error, tensor->sizes[i] == sizes[i],
                 "%s: tensor %zu, dim %d is %d, expected %lld",
                 step->kind->name, index, (int)i, (int)tensor->sizes[i],
                 (long long)sizes[i]);
  }
  return ET_STATUS_OK;
}

et_status et_cpu_check_numel(const et_cpu_step *step, size_t index,
                             et_scalar_type dtype, int64_t numel,
                             et_error *error) {
  const et_cpu_tensor *tensor = step->tensors[index];
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, index, dtype, tensor->rank, error));
  ET_CPU_CHECK(error, (int64_t)tensor->numel == numel,
               "%s: tensor %zu has %zu elements, expected %lld",
               step->kind->name, index, tensor->numel, (long long)numel);
  return ET_STATUS_OK;
}

et_status et_cpu_check_same(const et_cpu_step *step, size_t index, size_t other,
                            et_error *error) {
  const et_cpu_tensor *as = step->tensors[other];
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < as->rank; i++) {
    sizes[i] = as->sizes[i];
  }
  return et_cpu_check_sizes(step, index, (et_scalar_type)as->dtype, as->rank,
                            sizes, error);
}

et_status et_cpu_check_batch(const et_cpu_step *step, size_t x, size_t y,
                             et_error *error) {
  const int32_t in = step->tensors[x]->sizes[0];
  const int32_t out = step->tensors[y]->sizes[0];
  ET_CPU_CHECK(error, in == out, "%s: %d images in, %d images out",
               step->kind->name, (int)in, (int)out);
  return ET_STATUS_OK;
}

et_status et_cpu_check_channels(const et_cpu_step *step, size_t x, size_t y,
                                et_error *error) {
  const int32_t *in = step->tensors[x]->sizes;
  const int32_t *out = step->tensors[y]->sizes;
  ET_CPU_CHECK(error, in[0] == out[0] && in[3] == out[3],
               "%s: %d images of %d channels in, %d of %d out",
               step->kind->name, (int)in[0], (int)in[3], (int)out[0],
               (int)out[3]);
  return ET_STATUS_OK;
}

et_status et_cpu_check_images(const et_cpu_step *step, size_t x, size_t y,
                              et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, x, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, y, ET_SCALAR_TYPE_FLOAT32, 4, error));
  return et_cpu_check_batch(step, x, y, error);
}

et_status et_cpu_check_attribute(const et_cpu_step *step, size_t index,
                                 int64_t low, int64_t high, et_error *error) {
  const int64_t value = et_cpu_attribute(step, index);
  ET_CPU_CHECK(error, value >= low && value <= high,
               "%s: attribute %zu is %lld, expected %lld to %lld",
               step->kind->name, index, (long long)value, (long long)low,
               (long long)high);
  return ET_STATUS_OK;
}
