#include "runtime/program/range_record.h"

#include "executorch/tensor.h"
#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Integers in one entry. */
#define ENTRY 6u

et_fb_vector et_range_list(et_fb_table plan) {
  const et_fb_table container = et_fb_child(plan, ET_PLAN_CONTAINER_META);
  return et_fb_list(container, ET_CONTAINER_RANGES);
}

uint32_t et_range_count(et_fb_vector list) { return et_fb_count(list) / ENTRY; }

void et_range_read(et_fb_vector list, uint32_t index, et_range_record *out) {
  int64_t numbers[ENTRY];
  for (uint32_t i = 0; i < ENTRY; i++) {
    numbers[i] = et_fb_i64_at(list, index * ENTRY + i);
  }
  const et_range_record record = {numbers[0], numbers[1], numbers[2],
                                  numbers[3], numbers[4], numbers[5]};
  *out = record;
}

static bool fits_tensor(const et_range_record *record, et_fb_table tensor) {
  const et_fb_vector sizes = et_fb_list(tensor, ET_TENSOR_SIZES);
  return et_fb_u8(tensor, ET_TENSOR_DYNAMISM) == ET_SHAPE_DYNAMIC_BOUND &&
         record->dim >= 0 && record->dim < ET_MAX_RANK &&
         (uint64_t)record->dim < et_fb_count(sizes) && record->min >= 0 &&
         record->step <= INT32_MAX &&
         record->max <= et_fb_i32_at(sizes, (uint32_t)record->dim);
}

uint32_t et_range_first(et_fb_vector list, int64_t value) {
  et_range_record record;
  uint32_t low = 0;
  uint32_t high = et_range_count(list);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    et_range_read(list, middle, &record);
    if (record.value < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool comes_after(const et_range_record *record, et_fb_vector list,
                        uint32_t index) {
  et_range_record before;
  if (index == 0) {
    return true;
  }
  et_range_read(list, index - 1, &before);
  return before.value < record->value ||
         (before.value == record->value && before.dim < record->dim);
}

bool et_range_is_valid(et_fb_vector list, uint32_t index, et_fb_vector values) {
  et_range_record record;
  et_range_read(list, index, &record);
  if (record.min > record.max || record.step < 1 || record.same_as < 0 ||
      record.same_as > index || record.value < 0 ||
      record.value >= et_fb_count(values) ||
      !comes_after(&record, list, index)) {
    return false;
  }
  et_fb_table held;
  switch (et_tables_value(values, (uint32_t)record.value, &held)) {
    case ET_VALUE_TENSOR:
      return fits_tensor(&record, held);
    case ET_VALUE_INT:
      return record.dim == -1;
    default:
      return false;
  }
}

uint64_t et_range_steps(const et_range_record *record, int64_t number) {
  return ((uint64_t)number - (uint64_t)record->min) / (uint64_t)record->step;
}

bool et_range_has(const et_range_record *record, int64_t number) {
  return number >= record->min && number <= record->max &&
         ((uint64_t)number - (uint64_t)record->min) % (uint64_t)record->step ==
             0;
}
