/* The contents of a loaded payload: ops on dense tensors. */
#ifndef BACKENDS_CPU_OPS_OP_H_
#define BACKENDS_CPU_OPS_OP_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_MAX_RANK 8

/* The memory of a tensor. Payloads contain these values. */
typedef enum et_cpu_place {
  ET_CPU_INPUT = 0,
  ET_CPU_OUTPUT = 1,
  ET_CPU_SCRATCH = 2,
  ET_CPU_DATA = 3,  /* named data of the program, read in place */
  ET_CPU_STATE = 4, /* mutable buffer of the program, updated in place */
} et_cpu_place;

/* A dense tensor in C order, with the sizes of the current call. */
typedef struct et_cpu_tensor {
  void *data;
  size_t numel;
  size_t bytes; /* total size of the elements */
  int32_t sizes[ET_CPU_MAX_RANK];
  uint8_t rank;
  uint8_t dtype; /* et_scalar_type */
  uint8_t place; /* et_cpu_place */
} et_cpu_tensor;

struct et_cpu_op_type;

/* One op of a payload. All pointers are borrowed from the handle. */
typedef struct et_cpu_op {
  const struct et_cpu_op_type *type;
  et_cpu_tensor *const *tensors; /* inputs, then outputs, then workspaces */
  const int32_t *const *dims;    /* integers that depend on the call */
  const uint32_t *attributes;    /* integers, and bits of floats */
  uint16_t input_count;
  uint16_t output_count;
  uint16_t workspace_count;
  uint16_t dim_count;
  uint16_t attribute_count;
} et_cpu_op;

/* The failure of a call before its last op: values in tensors, such as indices, are out of
 * range. */
typedef struct et_cpu_fault {
  et_status status;
  et_error *error; /* NULL: no message is required */
} et_cpu_fault;

/* The context in which an op runs. */
typedef struct et_cpu_run {
  uint8_t isa;                 /* et_cpu_isa */
  const et_parallel *parallel; /* NULL: this thread only */
  et_cpu_fault *fault;         /* set before work is divided; no output then */
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
