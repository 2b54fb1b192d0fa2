#include "runtime/method/ranges.h"

#include "runtime/core/error.h"
#include "runtime/program/range_record.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

et_status et_ranges_check(const et_builder *builder) {
  const et_fb_vector list = et_range_list(builder->plan);
  const uint32_t count = et_range_count(list);
  for (uint32_t i = 0; i < count; i++) {
    if (!et_range_is_valid(list, i, builder->values)) {
      return et_fail_program(builder->error,
                             "ranges[%u] does not match the method's values",
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_fb_vector list_of(const et_method *method) {
  const et_fb_table plan = method->plan;
  return et_range_list(plan);
}

uint32_t et_ranges_input(const et_method *method, int64_t value) {
  uint32_t i = 0;
  while (i < method->input_count &&
         method->inputs[i].value - method->values != (ptrdiff_t)value) {
    i++;
  }
  return i;
}

/* Reads the range of input `index`. Returns true if it is an int with a
 * range. */
static bool find_integer(const et_method *method, size_t index,
                         et_range_record *out_record) {
  const et_value *input = method->inputs[index].value;
  const et_fb_vector list = list_of(method);
  const uint32_t first = et_range_first(list, input - method->values);
  if (input->tag != ET_VALUE_INT || first == et_range_count(list)) {
    return false;
  }
  et_range_read(list, first, out_record);
  return out_record->value == input - method->values;
}

void et_ranges_forget(const et_method *method) {
  et_range_record record;
  for (uint32_t i = 0; i < method->input_count; i++) {
    if (find_integer(method, i, &record)) {
      method->inputs[i].is_set = false;
    }
  }
}

/* Rejects conditions, which &et_ranges does not check. */
static et_status check_without_conditions(const et_builder *builder) {
  ET_RETURN_IF_ERROR(et_ranges_check(builder));
  return et_tables_count(et_fb_child(builder->plan, ET_PLAN_CONTAINER_META),
                         ET_CONTAINER_CONDITIONS) == 0
             ? ET_STATUS_OK
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "the inputs have conditions; set registry.ranges to "
                       "&et_ranges_and_conditions");
}

void et_ranges_bind(const et_builder *builder) {
  et_method *method = builder->regions.method;
  if (et_range_count(list_of(method)) != 0) {
    method->ranges = builder->registry->ranges;
    et_ranges_forget(method);
  }
}

/* Starts a message: "inputs[0]: size 3 of dim 1", or "inputs[0]: 3" for an
 * int. */
static void fail_number(size_t index, et_status status, int64_t dim,
                        int64_t found, et_error *error) {
  if (dim < 0) {
    et_fail(error, status, "inputs[%zu]: %lld", index, (long long)found);
  } else {
    et_fail(error, status, "inputs[%zu]: size %lld of dim %u", index,
            (long long)found, (unsigned)dim);
  }
}

static et_status fail_range(size_t index, const et_range_record *record,
                            int64_t found, et_error *error) {
  fail_number(index, ET_STATUS_NOT_SUPPORTED, record->dim, found, error);
  et_error_append(error, " is out of range; pass %lld to %lld",
                  (long long)record->min, (long long)record->max);
  if (record->step != 1) {
    et_error_append(error, " in steps of %lld", (long long)record->step);
  }
  return ET_STATUS_NOT_SUPPORTED;
}

et_status et_ranges_check_sizes(const et_method *method, size_t index,
                                const int32_t *sizes, et_error *error) {
  const et_value *input = method->inputs[index].value;
  const et_tensor *tensor = input->u.as_tensor;
  const et_fb_vector list = list_of(method);
  const uint32_t count = et_range_count(list);
  et_range_record record;
  uint32_t varying = 0;
  for (uint32_t i = et_range_first(list, input - method->values); i < count;
       i++) {
    et_range_read(list, i, &record);
    if (record.value != input - method->values) {
      break;
    }
    varying |= 1u << record.dim;
    if (!et_range_has(&record, sizes[record.dim])) {
      return fail_range(index, &record, sizes[record.dim], error);
    }
  }
  et_fb_table loaded;
  et_tables_value(et_tables_vector(method->plan, ET_PLAN_VALUES),
                  (uint32_t)(input - method->values), &loaded);
  const et_fb_vector fixed = et_fb_list(loaded, ET_TENSOR_SIZES);
  for (uint32_t d = 0; d < tensor->rank; d++) {
    if ((varying >> d & 1u) == 0 && sizes[d] != et_fb_i32_at(fixed, d)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "inputs[%zu]: size %d of dim %u is invalid; pass %d",
                     index, (int)sizes[d], (unsigned)d,
                     (int)et_fb_i32_at(fixed, d));
    }
  }
  return ET_STATUS_OK;
}

et_status et_ranges_set_integer(const et_method *method, size_t index,
                                const et_value *value, bool *out_is_ranged,
                                et_error *error) {
  et_io_slot *input = &method->inputs[index];
  et_range_record record;
  *out_is_ranged = find_integer(method, index, &record);
  if (!*out_is_ranged) {
    return ET_STATUS_OK;
  }
  if (value->tag != ET_VALUE_INT) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu] is %s; pass an int", index,
                   et_value_tag_name((int32_t)value->tag));
  }
  if (!et_range_has(&record, value->u.as_int)) {
    return fail_range(index, &record, value->u.as_int, error);
  }
  input->value->u.as_int = value->u.as_int;
  input->is_set = true;
  return ET_STATUS_OK;
}

/* Returns the current size or value of the input. */
static int64_t current(const et_method *method, const et_range_record *record) {
  const et_value *value = &method->values[record->value];
  return record->dim < 0 ? value->u.as_int
                         : value->u.as_tensor->sizes[record->dim];
}

static et_status fail_shared(const et_method *method,
                             const et_range_record *record,
                             const et_range_record *other, et_error *error) {
  fail_number(et_ranges_input(method, record->value),
              ET_STATUS_INVALID_ARGUMENT, record->dim, current(method, record),
              error);
  et_error_append(error, " differs from %lld",
                  (long long)current(method, other));
  if (other->dim >= 0) {
    et_error_append(error, " of dim %u", (unsigned)other->dim);
  }
  et_error_append(error, " of inputs[%u]; both have the same Dim",
                  (unsigned)et_ranges_input(method, other->value));
  return ET_STATUS_INVALID_ARGUMENT;
}

et_status et_ranges_check_inputs(const et_method *method, et_error *error) {
  const et_fb_vector list = list_of(method);
  const uint32_t count = et_range_count(list);
  et_range_record record;
  et_range_record other;
  for (uint32_t i = 0; i < count; i++) {
    et_range_read(list, i, &record);
    if (record.same_as == i) {
      continue;
    }
    et_range_read(list, (uint32_t)record.same_as, &other);
    if (et_range_steps(&record, current(method, &record)) !=
        et_range_steps(&other, current(method, &other))) {
      return fail_shared(method, &record, &other, error);
    }
  }
  return ET_STATUS_OK;
}

const struct et_ranges et_ranges = {
    check_without_conditions, et_ranges_bind,         et_ranges_check_sizes,
    et_ranges_set_integer,    et_ranges_check_inputs, et_ranges_forget};
