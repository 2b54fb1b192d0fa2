/* Microkernel of elementwise_f32: a program of instructions on blocks of float32 elements.
 *
 * Registers are arrays of a block's elements: the operands, then the results of the
 * instructions. Each instruction runs over the whole block before the next one starts, in tiles
 * of one vector; the last one is partial. A block has as many elements as fit all registers into
 * 32 KiB, at most 1024, so that registers stay in the L1 cache. The result of the last
 * instruction is written to the output directly. Simple instructions are bound by loads and
 * stores of the L1 cache; functions like exp are bound by arithmetic. */
#ifndef BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_
#define BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/records.h"

#include <stddef.h>
#include <stdint.h>

#define ET_CPU_ELEMENTWISE_OPERANDS 8
#define ET_CPU_ELEMENTWISE_REGISTERS 32
#define ET_CPU_ELEMENTWISE_FLOATS 8192 /* of the buffers, 32 KiB */
#define ET_CPU_ELEMENTWISE_BLOCK 1024  /* the largest number of elements */

typedef struct et_cpu_elementwise {
  const uint32_t
      *instructions; /* as et_cpu_instruction_f32_read() decodes them */
  size_t count;      /* of instructions, at least 1 */
  size_t operands;
} et_cpu_elementwise;

/* The registers of one thread. They point into `buffers` or to tensors. */
typedef struct et_cpu_elementwise_state {
  const float *registers[ET_CPU_ELEMENTWISE_REGISTERS];
  float buffers[ET_CPU_ELEMENTWISE_FLOATS]; /* one per register */
} et_cpu_elementwise_state;

/* Returns the number of elements of a block, and of a buffer. The overhead per block is that of
 * a few hundred elements, so blocks are as large as possible. */
static inline size_t et_cpu_elementwise_block(
    const et_cpu_elementwise *program) {
  const size_t size = ET_CPU_ELEMENTWISE_FLOATS /
                      (program->operands + program->count) / 16 * 16;
  return size < ET_CPU_ELEMENTWISE_BLOCK ? size : ET_CPU_ELEMENTWISE_BLOCK;
}

/* Runs the program on `count` elements, at most a block, of the operands that the first
 * registers of the state point to. `out` may be one of them. */
typedef void et_cpu_elementwise_f32_function(const et_cpu_elementwise *program,
                                             et_cpu_elementwise_state *state,
                                             float *out, size_t count);

ET_CPU_DECLARE(et_cpu_elementwise_f32_function, et_cpu_elementwise_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_ */
