/* Elementwise float32 microkernels: programs, and casts to and from 16-bit floats. */
#ifndef BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_
#define BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/cpu/schema/records.h"

/* Interpreter of elementwise_f32: runs a program of instructions on blocks of float32 elements.
 *
 * Registers are arrays with one value per element of the block. The first registers are the
 * operands, the others are the results of instructions. Each instruction processes the whole block
 * before the next one starts, in tiles of one vector; the last tile may be partial. A block has at
 * most 1024 elements, and all registers together fit in 32 KiB, so they stay in the L1 cache. The
 * result of the last instruction is written directly to the output. Simple instructions are bound
 * by L1 loads and stores; functions such as exp are bound by arithmetic. */

#define ET_CPU_ELEMENTWISE_FLOATS 8192 /* size of all buffers, 32 KiB */
#define ET_CPU_ELEMENTWISE_BLOCK 1024  /* maximum elements per block */

typedef struct et_cpu_elementwise {
  const uint32_t *instructions; /* format: et_cpu_instruction_f32_read() */
  size_t count;                 /* number of instructions, at least 1 */
  size_t operands;
} et_cpu_elementwise;

/* Registers of one thread. Each pointer is one register; it points into `buffers` or to a
 * tensor. */
typedef struct et_cpu_elementwise_state {
  const float *registers[ET_CPU_ELEMENTWISE_MAX_REGISTERS];
  float buffers[ET_CPU_ELEMENTWISE_FLOATS];
} et_cpu_elementwise_state;

/* Returns the number of elements of a block, which is also the size of a buffer. The overhead per
 * block equals the work of a few hundred elements, so blocks are as large as possible. */
static inline size_t et_cpu_elementwise_block(
    const et_cpu_elementwise *program) {
  const size_t size = ET_CPU_ELEMENTWISE_FLOATS /
                      (program->operands + program->count) / 16 * 16;
  return size < ET_CPU_ELEMENTWISE_BLOCK ? size : ET_CPU_ELEMENTWISE_BLOCK;
}

/* Runs the program on `count` elements, at most a block. The first registers of the state point to
 * the operands. `out` may be one of them. */
typedef void et_cpu_elementwise_f32_function(const et_cpu_elementwise *program,
                                             et_cpu_elementwise_state *state,
                                             float *out, size_t count);

ET_CPU_DECLARE(et_cpu_elementwise_f32_function, et_cpu_elementwise_f32);

/* Conversion of dense rows between float32 and float16 or bfloat16.
 *
 * Widening is exact. Narrowing rounds to nearest, ties to even. NaN stays NaN, and values beyond
 * the largest finite value become infinite. A tile is one vector of float32; the last one may be
 * partial. float16 uses the conversion instructions of F16C or AVX-512 where available. bfloat16
 * needs only shifts, so it is bound by memory bandwidth. */

/* is_bfloat: the 16-bit values are bfloat16 instead of float16. */
typedef void et_cpu_widen_function(const uint16_t *x, float *y, size_t count,
                                   bool is_bfloat);
typedef void et_cpu_narrow_function(const float *x, uint16_t *y, size_t count,
                                    bool is_bfloat);

ET_CPU_DECLARE(et_cpu_widen_function, et_cpu_widen);
ET_CPU_DECLARE(et_cpu_narrow_function, et_cpu_narrow);

#endif /* BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_ */
