#include "backends/cpu/ops/elementwise_program.h"

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"

static const uint8_t register_counts[] = {
#define REGISTER_COUNT(NAME, code, registers) [code] = registers,
    ET_CPU_ELEMENTWISE_LIST(REGISTER_COUNT)
#undef REGISTER_COUNT
};

/* The instruction at attribute `at`, of which `registers` come before. */
static et_status check_instruction(const et_cpu_op *op, size_t at,
                                   int64_t registers, et_error *error) {
  const int64_t last = sizeof(register_counts) - 1;
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, at, 0, last, error));
  const uint32_t opcode = op->attributes[at];
  for (size_t i = 1; i <= register_counts[opcode]; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_attribute(op, at + i, 0, registers - 1, error));
  }
  return opcode == ET_CPU_ELEMENTWISE_ACTIVATE
             ? et_cpu_check_activation(op, at + 2, error)
             : ET_STATUS_OK;
}

et_status et_cpu_check_elementwise_program(const et_cpu_op *op,
                                           et_error *error) {
  const size_t words = op->attribute_count;
  const size_t count = words / ET_CPU_ELEMENTWISE_WORDS;
  ET_CPU_CHECK(error,
               words == count * ET_CPU_ELEMENTWISE_WORDS + 1 && count > 0,
               "%s: %zu attributes are no instructions", op->type->name, words);
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, 0, op->input_count, op->input_count, error));
  ET_CPU_CHECK(error, op->input_count + count <= ET_CPU_ELEMENTWISE_REGISTERS,
               "%s: %zu registers, at most %d are taken", op->type->name,
               op->input_count + count, ET_CPU_ELEMENTWISE_REGISTERS);
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_instruction(op, 1 + i * ET_CPU_ELEMENTWISE_WORDS,
                                         (int64_t)(op->input_count + i),
                                         error));
  }
  return ET_STATUS_OK;
}
