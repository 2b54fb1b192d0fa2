/* A small program for each element of its output: registers of float, worked
 * through instruction by instruction over blocks that stay in the nearest cache. */
#ifndef BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_
#define BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_

#include "backends/cpu/microkernels/variants.h"

#include <stddef.h>
#include <stdint.h>

#define ET_CPU_ELEMENTWISE_OPERANDS 8
#define ET_CPU_ELEMENTWISE_REGISTERS 32
#define ET_CPU_ELEMENTWISE_FLOATS \
  8192 /* that rooms have, which stay in the nearest cache */
#define ET_CPU_ELEMENTWISE_BLOCK 1024 /* elements, at most */
#define ET_CPU_ELEMENTWISE_WORDS 5    /* of an instruction */

/* X(NAME, code, registers that it reads). The codes stand in payloads. CONSTANT
 * has the bits of a float, ACTIVATE behind its register an activation. What is
 * true or not is 1 or 0; any number but 0 counts as true. */
#define ET_CPU_ELEMENTWISE_LIST(X) \
  X(CONSTANT, 0, 0)                \
  X(ACTIVATE, 1, 1)                \
  X(ADD, 2, 2)                     \
  X(SUB, 3, 2)                     \
  X(MUL, 4, 2)                     \
  X(DIV, 5, 2)                     \
  X(MAX, 6, 2)                     \
  X(MIN, 7, 2)                     \
  X(POW, 8, 2)                     \
  X(NEG, 9, 1)                     \
  X(ABS, 10, 1)                    \
  X(EXP, 11, 1)                    \
  X(LOG, 12, 1)                    \
  X(SQRT, 13, 1)                   \
  X(RSQRT, 14, 1)                  \
  X(RECIPROCAL, 15, 1)             \
  X(SIN, 16, 1)                    \
  X(COS, 17, 1)                    \
  X(ERF, 18, 1)                    \
  X(FLOOR, 19, 1)                  \
  X(CEIL, 20, 1)                   \
  X(ROUND, 21, 1)                  \
  X(EQ, 22, 2)                     \
  X(NE, 23, 2)                     \
  X(LT, 24, 2)                     \
  X(LE, 25, 2)                     \
  X(GT, 26, 2)                     \
  X(GE, 27, 2)                     \
  X(WHERE, 28, 3)                  \
  X(AND, 29, 2)                    \
  X(OR, 30, 2)                     \
  X(NOT, 31, 1)

typedef enum et_cpu_elementwise_opcode {
#define ET_CPU_ELEMENTWISE_ENUM(NAME, code, registers) \
  ET_CPU_ELEMENTWISE_##NAME = code,
  ET_CPU_ELEMENTWISE_LIST(ET_CPU_ELEMENTWISE_ENUM)
#undef ET_CPU_ELEMENTWISE_ENUM
} et_cpu_elementwise_opcode;

typedef struct et_cpu_elementwise {
  const uint32_t *words; /* ET_CPU_ELEMENTWISE_WORDS an instruction */
  size_t count;          /* instructions, at least one */
  size_t operands;
} et_cpu_elementwise;

/* What one thread works with. Registers are operands, then the results of
 * instructions; they lie in their rooms or elsewhere. */
typedef struct et_cpu_elementwise_state {
  const float *registers[ET_CPU_ELEMENTWISE_REGISTERS];
  float rooms[ET_CPU_ELEMENTWISE_FLOATS]; /* one behind the other */
} et_cpu_elementwise_state;

/* Elements of a block, and of a room: programs of few registers have large ones, as what is
 * done for each block takes as long as a few hundred elements. */
static inline size_t et_cpu_elementwise_block(const et_cpu_elementwise *map) {
  const size_t room =
      ET_CPU_ELEMENTWISE_FLOATS / (map->operands + map->count) / 16 * 16;
  return room < ET_CPU_ELEMENTWISE_BLOCK ? room : ET_CPU_ELEMENTWISE_BLOCK;
}

/* Runs the program on at most et_cpu_elementwise_block elements of the operands that
 * the state's first registers point to. `out` may be one of them. */
typedef void et_cpu_elementwise_f32_function(const et_cpu_elementwise *map,
                                             et_cpu_elementwise_state *state,
                                             float *out, size_t count);

ET_CPU_DECLARE(et_cpu_elementwise_f32_function, et_cpu_elementwise_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_ELEMENTWISE_H_ */
