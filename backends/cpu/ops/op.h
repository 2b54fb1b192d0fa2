/* Contents of a loaded payload: ops on dense tensors. */
#ifndef BACKENDS_CPU_OPS_OP_H_
#define BACKENDS_CPU_OPS_OP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/cpu/schema/payload_tables.h"
#include "executorch/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dense tensor in C order, with the sizes of the current call. */
typedef struct et_cpu_tensor {
  void *data;
  size_t numel;
  size_t bytes; /* total size of the elements */
  int32_t sizes[ET_CPU_MAX_RANK];
  uint8_t rank;
  uint8_t dtype;  /* et_scalar_type */
  uint8_t place;  /* et_cpu_place */
  bool is_static; /* whether all sizes are constants */
} et_cpu_tensor;

struct et_cpu_op_type;

/* One op of a payload. All pointers are borrowed from the handle. */
typedef struct et_cpu_op {
  const struct et_cpu_op_type *type;
  et_cpu_tensor *const *tensors; /* inputs, then outputs, then workspaces */
  const int32_t *const *dims;    /* integers that can change with each call */
  const uint32_t *attributes;    /* integers and bit patterns of floats */
  uint16_t input_count;
  uint16_t output_count;
  uint16_t workspace_count;
  uint16_t dim_count;
  uint16_t attribute_count;
} et_cpu_op;

/* Failure of a call because a tensor has out-of-range values, such as invalid indices. Later ops do
 * not run. */
typedef struct et_cpu_fault {
  et_status status;
  et_error *error; /* NULL if no message is required */
} et_cpu_fault;

/* Context in which an op runs. */
typedef struct et_cpu_run {
  uint8_t isa;                 /* et_cpu_isa */
  const et_parallel *parallel; /* NULL: use the calling thread only */
  /* Set by an op before it divides its work among threads. Once set, outputs are undefined. */
  et_cpu_fault *fault;
} et_cpu_run;

struct et_cpu_op_schema;

/* Implementation of an op. All pointers are static. */
typedef struct et_cpu_op_type {
  const struct et_cpu_op_schema *schema;
  /* Verifies the properties of `op` that `run` relies on and that the schema does not declare, such
   * as relations between sizes and attributes. Messages begin with the op's name. NULL if the
   * schema declares everything. If all sizes are constant, `check` is called when the method is
   * loaded; otherwise, in the first call and when sizes change. Callers use et_cpu_check_op(),
   * which verifies the schema first. */
  et_status (*check)(const et_cpu_op *op, et_error *error);
  /* Computes the outputs. Results are bit-identical for every number of threads. If tensor
   * values are out of range, reports the failure in run->fault. */
  void (*run)(const et_cpu_op *op, const et_cpu_run *run);
} et_cpu_op_type;

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_OPS_OP_H_ */
