#include "backends/cpu/ops/elementwise.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/check.h"

static const uint8_t arities[] = ET_CPU_OPCODE_ARITY;

/* Checks instruction `index`, which can read the first `registers` registers. The schema has
 * checked the opcode. */
static et_status check_instruction(const et_cpu_op *op, const uint32_t *words,
                                   size_t index, size_t registers,
                                   et_error *error) {
  const et_cpu_instruction_f32 instruction = et_cpu_instruction_f32_read(words);
  for (size_t i = 0; i < arities[instruction.opcode]; i++) {
    const int32_t operand = instruction.registers[i];
    ET_CPU_CHECK(error, operand >= 0 && (size_t)operand < registers,
                 "%s: instruction %zu reads register %d, but the "
                 "number of defined registers is %zu",
                 op->type->schema->name, index, (int)operand, registers);
  }
  ET_CPU_CHECK(
      error,
      instruction.opcode != ET_CPU_OPCODE_ACTIVATE ||
          instruction.activation.function <= ET_CPU_ACTIVATION_FUNCTION_ELU,
      "%s: instruction %zu has activation function %u, expected 0 to %d",
      op->type->schema->name, index, (unsigned)instruction.activation.function,
      (int)ET_CPU_ACTIVATION_FUNCTION_ELU);
  return ET_STATUS_OK;
}

et_status et_cpu_check_elementwise_program(
    const et_cpu_op *op, const et_cpu_elementwise_program *program,
    et_error *error) {
  ET_CPU_CHECK(error, program->operands == op->input_count,
               "%s: %d operands, expected %d", op->type->schema->name,
               (int)program->operands, (int)op->input_count);
  ET_CPU_CHECK(error, program->count > 0, "%s: the program has no instructions",
               op->type->schema->name);
  const size_t operands = op->input_count;
  ET_CPU_CHECK(error,
               operands + program->count <= ET_CPU_ELEMENTWISE_MAX_REGISTERS,
               "%s: %zu registers, expected at most %d", op->type->schema->name,
               operands + program->count, ET_CPU_ELEMENTWISE_MAX_REGISTERS);
  for (size_t i = 0; i < program->count; i++) {
    const uint32_t *words =
        program->instructions + i * ET_CPU_INSTRUCTION_WORDS;
    ET_RETURN_IF_ERROR(check_instruction(op, words, i, operands + i, error));
  }
  return ET_STATUS_OK;
}
