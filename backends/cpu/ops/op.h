/* What a payload is made of when it is loaded: ops over dense tensors. */
#ifndef BACKENDS_CPU_OPS_OP_H_
#define BACKENDS_CPU_OPS_OP_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_MAX_RANK 8

/* Where a tensor's bytes lie. The codes stand in the payload. */
typedef enum et_cpu_place {
  ET_CPU_INPUT = 0,
  ET_CPU_OUTPUT = 1,
  ET_CPU_SCRATCH = 2,
  ET_CPU_DATA = 3,  /* named data of the program, used where it lies */
  ET_CPU_STATE = 4, /* a mutable buffer of the program, updated where it lies */
} et_cpu_place;

/* A dense tensor in C order, with the sizes of the current call. */
typedef struct et_cpu_tensor {
  void *data;
  size_t numel;
  size_t bytes; /* that the sizes fill */
  int32_t sizes[ET_CPU_MAX_RANK];
  uint8_t rank;
  uint8_t dtype; /* et_scalar_type */
  uint8_t place; /* et_cpu_place */
} et_cpu_tensor;

struct et_cpu_op_type;

/* One op of a payload. Everything is borrowed from the handle. */
typedef struct et_cpu_op {
  const struct et_cpu_op_type *type;
  et_cpu_tensor *const *tensors; /* inputs, then outputs, then workspaces */
  const int32_t *const *dims;    /* numbers that depend on the call */
  const uint32_t *attributes;    /* ints, and floats as their bits */
  uint16_t input_count;
  uint16_t output_count;
  uint16_t workspace_count;
  uint16_t dim_count;
  uint16_t attribute_count;
} et_cpu_op;

/* Why a call ends before its last op: numbers among the contents of tensors are
 * what no op can go by. */
typedef struct et_cpu_fault {
  et_status status;
  et_error *error; /* NULL: nobody reads the message */
} et_cpu_fault;

/* What an op may use besides its tensors. */
typedef struct et_cpu_run {
  uint8_t isa;                 /* et_cpu_isa */
  const et_parallel *parallel; /* NULL: this thread only */
  et_cpu_fault
      *fault; /* set before work is shared out; nothing is written then */
} et_cpu_run;

struct et_cpu_op_schema;

/* The implementation of an op. All pointers are static. */
typedef struct et_cpu_op_type {
  const struct et_cpu_op_schema *schema;
  /* Verifies the properties of `op` that `run` relies on and that the schema does
   * not declare: relations between sizes and attributes. Messages begin with the
   * op's name. Called at load with the maximum sizes, and again when sizes change.
   * NULL: the schema declares everything.
   * Use et_cpu_check_op(), which verifies the schema first. */
  et_status (*check)(const et_cpu_op *op, et_error *error);
  /* Computes the outputs. Results have the same bits for every number of threads.
   * Sets the fault of the call if values in the tensors are out of range. */
  void (*run)(const et_cpu_op *op, const et_cpu_run *run);
} et_cpu_op_type;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_OPS_OP_H_ */
