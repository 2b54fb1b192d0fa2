#include "backends/cpu/steps/map_program.h"

#include "backends/cpu/simd/map.h"
#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"

static const uint8_t register_counts[] = {
#define REGISTER_COUNT(NAME, code, registers) [code] = registers,
    ET_CPU_MAP_LIST(REGISTER_COUNT)
#undef REGISTER_COUNT
};

/* The instruction at attribute `at`, of which `registers` come before. */
static et_status check_instruction(const et_cpu_step *step, size_t at,
                                   int64_t registers, et_error *error) {
  const int64_t last = sizeof(register_counts) - 1;
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, at, 0, last, error));
  const uint32_t opcode = step->attributes[at];
  for (size_t i = 1; i <= register_counts[opcode]; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_attribute(step, at + i, 0, registers - 1, error));
  }
  return opcode == ET_CPU_MAP_ACTIVATE
             ? et_cpu_check_activation(step, at + 2, error)
             : ET_STATUS_OK;
}

et_status et_cpu_check_map_program(const et_cpu_step *step, et_error *error) {
  const size_t words = step->attribute_count;
  const size_t count = words / ET_CPU_MAP_WORDS;
  ET_CPU_CHECK(error, words == count * ET_CPU_MAP_WORDS + 1 && count > 0,
               "%s: %zu attributes are no instructions", step->kind->name,
               words);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, 0, step->input_count,
                                            step->input_count, error));
  ET_CPU_CHECK(error, step->input_count + count <= ET_CPU_MAP_REGISTERS,
               "%s: %zu registers, at most %d are taken", step->kind->name,
               step->input_count + count, ET_CPU_MAP_REGISTERS);
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_instruction(step, 1 + i * ET_CPU_MAP_WORDS,
                                         (int64_t)(step->input_count + i),
                                         error));
  }
  return ET_STATUS_OK;
}
