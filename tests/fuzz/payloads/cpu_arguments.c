#include "tests/fuzz/payloads/cpu_arguments.h"

#include <string.h>

#include "executorch/scalar_type.h"
#include "tests/fuzz/mutate.h"

/* Returns the value of a dim that is computed from earlier dims. */
static int64_t computed(const et_cpu_dim *dim, const int64_t *values) {
  const int64_t a = values[dim->a];
  const int64_t b = values[dim->b];
  switch (dim->op) {
    case ET_CPU_DIM_OP_ADD:
      return a + b;
    case ET_CPU_DIM_OP_SUB:
      return a - b;
    case ET_CPU_DIM_OP_MUL:
      return a * b;
    case ET_CPU_DIM_OP_FLOORDIV:
      return b > 0 ? a / b : 0;
    case ET_CPU_DIM_OP_MOD:
      return b > 0 ? a % b : 0;
    case ET_CPU_DIM_OP_MIN:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

#define MAX_DIMS ET_CPU_ARGUMENT_DIMS

/* Chooses all dims. Those of the first call are at their maxima. */
static void choose_dims(const et_cpu_payload *payload, size_t call,
                        et_random *random, et_run *run, int64_t *values) {
  for (uint32_t i = 0; i < payload->dim_count; i++) {
    const et_cpu_dim dim = et_cpu_dim_at(payload, i);
    values[i] = dim.maximum;
    if (dim.op >= ET_CPU_DIM_OP_ADD) {
      values[i] = computed(&dim, values);
    } else if (dim.op != ET_CPU_DIM_OP_CONST && call > 0) {
      values[i] = (int64_t)et_random_below(random, (size_t)dim.maximum + 1);
    }
    for (uint32_t k = 0; k < i && dim.op != ET_CPU_DIM_OP_CONST; k++) {
      const et_cpu_dim other = et_cpu_dim_at(payload, k);
      if (other.op == dim.op && other.a == dim.a && other.b == dim.b) {
        values[i] = values[k];
      }
    }
    if (dim.op == ET_CPU_DIM_OP_INT) {
      run->arguments[dim.a].is_int = true;
      run->arguments[dim.a].integers[call] = values[i];
    }
    values[i] = values[i] >= 0 && values[i] <= INT32_MAX ? values[i] : 0;
  }
}

/* Describes the argument of a value, unless an earlier value has the same. */
static void describe_value(const et_cpu_payload *payload,
                           const et_cpu_value *value,
                           int64_t dims[ET_RUN_CALLS][MAX_DIMS], bool *is_known,
                           et_run *run) {
  const bool is_output = value->place == ET_CPU_PLACE_OUTPUT;
  const size_t index =
      value->index + (is_output ? payload->input_count : (size_t)0);
  if (value->place == ET_CPU_PLACE_SCRATCH ||
      value->place == ET_CPU_PLACE_DATA || is_known[index]) {
    return;
  }
  et_run_argument *argument = &run->arguments[index];
  is_known[index] = true;
  argument->role = is_output                            ? ET_RUN_OUTPUT
                   : value->place == ET_CPU_PLACE_STATE ? ET_RUN_STATE
                                                        : ET_RUN_INPUT;
  argument->dtype = (et_scalar_type)value->dtype;
  argument->rank = (uint8_t)value->rank;
  for (uint32_t i = 0; i < value->rank; i++) {
    const uint8_t order = (uint8_t)(value->order >> 4 * i & 15);
    argument->dim_order[i] = order;
    for (size_t call = 0; call < ET_RUN_CALLS && order < ET_MAX_RANK; call++) {
      argument->sizes[call][order] =
          (int32_t)dims[call][et_cpu_word(payload, value->dims_at + i)];
    }
  }
}

void et_cpu_describe_arguments(const et_cpu_payload *payload, et_random *random,
                               et_run *run) {
  static int64_t dims[ET_RUN_CALLS][MAX_DIMS];
  bool is_known[ET_RUN_ARGUMENTS] = {false};
  size_t at = payload->values_at;
  et_cpu_value value;
  run->argument_count = (size_t)payload->input_count + payload->output_count;
  for (size_t i = 0; i < run->argument_count; i++) {
    run->arguments[i].dtype = ET_SCALAR_TYPE_FLOAT32;
    run->arguments[i].role =
        i < payload->input_count ? ET_RUN_INPUT : ET_RUN_OUTPUT;
  }
  for (size_t call = 0; call < ET_RUN_CALLS; call++) {
    choose_dims(payload, call, random, run, dims[call]);
  }
  for (uint32_t i = 0; i < payload->value_count; i++) {
    et_cpu_read_value(payload, &at, &value);
    describe_value(payload, &value, dims, is_known, run);
  }
}
