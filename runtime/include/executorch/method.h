/* Load a method into memory that the caller provides, and run it.
 *
 *   et_program_load -> et_method_measure -> et_method_load
 *     -> { et_method_set_input ... -> et_method_execute -> et_method_get_output }*
 */
#ifndef EXECUTORCH_METHOD_H_
#define EXECUTORCH_METHOD_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/kernel.h"
#include "executorch/observer.h"
#include "executorch/parallel.h"
#include "executorch/program.h"
#include "executorch/random.h"
#include "executorch/shared_store.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded method. It is stored in et_method_memory.method. */
typedef struct et_method et_method;

/* Alignment of every buffer in et_method_memory. */
#define ET_MEMORY_ALIGNMENT 64

/* The options of one backend. */
typedef struct et_backend_options {
  /* et_backend.id; options of backends that the method does not use are
   * ignored */
  const char *id;
  const et_backend_option *options;
  size_t count;
} et_backend_options;

/* The same limit as ExecuTorch's runtime. */
#define ET_DEFAULT_MAX_STEPS UINT64_C(10000000)

/* Optional resources of a method.
 *
 * A pointer to the struct may be NULL, and so may each pointer in it. The
 * method borrows the objects that they point to for its lifetime. */
typedef struct et_method_options {
  const et_parallel *parallel; /* workers for kernels and backends */
  const et_observer *observer; /* receives the events of each instruction */
  /* At most one entry for each backend. */
  const et_backend_options *backend_options;
  size_t backend_options_count;
  et_shared_store *store; /* data shared by delegates of several methods */
  /* Used by et_method_measure only, to read data that kernels and backends
   * inspect while they are measured. Needs et_method_data_bytes bytes; the
   * caller can reuse them after the call. */
  et_mutable_span data;
  /* Instructions that one et_method_execute may run, so that a program with an
   * endless loop fails. 0: ET_DEFAULT_MAX_STEPS. */
  uint64_t max_steps;
  /* Source of operators that return random numbers; they fail if it is NULL.
   * Each run continues the sequence. Use a fixed seed for repeatable
   * results. */
  et_random *random;
} et_method_options;

/* The exact memory that a method needs. The program's manifest states the same
 * values.
 *
 * et_method_meta_planned_bytes returns the sizes of planned buffers. */
typedef struct et_method_requirements {
  size_t method_bytes;  /* values, instructions, handles and states */
  size_t scratch_bytes; /* the largest request of any call */
  size_t shared_bytes;  /* upper bound on use of the store during loading */
  size_t data_bytes;    /* see et_method_data_bytes */
  size_t planned_count;
} et_method_requirements;

/* Computes the size of et_method_memory.data.
 *
 * The memory holds constants, initial values and payloads that no extent of the
 * program's source contains completely. If the method has delegates, it
 * also holds such named data. The size is 0 if the whole source is in memory in
 * one piece. */
et_status et_method_data_bytes(const et_program *program, const char *name,
                               size_t *out_bytes, et_error *out_error);

/* Verifies a method against the linked kernels and backends, and measures it.
 *
 * Runs all checks of et_method_load except that of the memory plan, which needs
 * memory. Kernels and backends are measured too. Load the method with the same
 * options. MEMORY_TOO_SMALL: options->data is too small for the data that must
 * be read. */
et_status et_method_measure(const et_program *program, const char *name,
                            const et_registry *registry,
                            const et_method_options *options,
                            et_method_requirements *out_requirements,
                            et_error *out_error);

/* State of a planned buffer that several methods share.
 *
 * Zero it before the first of the methods is loaded. It must outlive the
 * methods. The fields are private to the runtime. */
typedef struct et_state {
  et_span program; /* program of the methods; NULL before the first load */
  et_mutable_span bytes; /* the shared buffer */
  /* One bit for each method of the program: 1 after its first load. */
  uint64_t loaded[16];
} et_state;

/* Support for shared state, linked only if et_planned_buffer.sharing names
 * it. */
struct et_sharing;
extern const struct et_sharing et_sharing;

/* A planned buffer.
 *
 * Without a `state`, the method owns the contents: loading zeroes the buffer
 * and sets the initial values of mutable buffers.
 *
 * Methods of one program that have the same buffer and `state` share the
 * mutable buffers in it. The first load initializes them; later loads
 * initialize only mutable buffers that no earlier method has. INVALID_ARGUMENT:
 * the state belongs to another program or buffer. INVALID_PROGRAM: the methods
 * place a shared mutable buffer differently. */
typedef struct et_planned_buffer {
  et_mutable_span bytes;
  et_state *state; /* NULL: not shared */
  /* &et_sharing if `state` is set, otherwise may be NULL. */
  const struct et_sharing *sharing;
} et_planned_buffer;

/* Memory for one method, borrowed for the method's lifetime.
 *
 * Methods that never run at the same time may share `scratch`, and planned
 * buffers that have a state. */
typedef struct et_method_memory {
  et_mutable_span method;
  et_mutable_span scratch;
  const et_planned_buffer *planned; /* planned_count entries; copied */
  size_t planned_count;
  et_mutable_span data; /* for data read at load time; may be empty */
} et_method_memory;

/* Verifies a method and loads it.
 *
 * All checks that do not depend on inputs run here:
 *
 * - the kinds of arguments match the kernels' signatures;
 * - no instruction writes a constant or one of its own operands;
 * - no instruction reads bytes that another value has overwritten (limits: see
 *   plan_check.h).
 *
 * Required data is read once; named data is read when a backend requests it. If
 * the source's read function fails, its status is returned, and the message has
 * the source's name and the offset.
 *
 * OPERATOR_MISSING: the message lists all missing kernels or backends.
 * INVALID_PROGRAM: it names the invalid element. MEMORY_TOO_SMALL: it names the
 * buffer, its size and the required size. */
et_status et_method_load(const et_program *program, const char *name,
                         const et_registry *registry,
                         const et_method_options *options,
                         const et_method_memory *memory, et_method **out_method,
                         et_error *out_error);

/* Resets the method's mutable buffers to their initial values.
 *
 * This includes buffers that other methods share. Set the inputs again before
 * the next run; outputs have no value until then. */
void et_method_reset_state(et_method *method);

/* Unloads a method.
 *
 * The method's backends release their resources outside the method's memory.
 * Afterwards, the caller may reuse that memory. Does nothing for NULL. */
void et_method_unload(et_method *method);

size_t et_method_input_count(const et_method *method);
size_t et_method_output_count(const et_method *method);

/* Sets input `index` to a tensor.
 *
 * `sizes` may be smaller than the upper bound if the input is dynamic. `data`
 * is in the input's dim order, and `nbytes` is the exact size for dtype and
 * sizes.
 *
 * If the input is planned, `data` is copied into planned memory. The run may
 * reuse that memory, so set the input before every run. If the input is not
 * planned, `data` is borrowed until the next set_input or the last execute; it
 * is never written.
 *
 * INVALID_ARGUMENT: wrong index, dtype, rank, length or fixed size.
 * NOT_SUPPORTED: a size outside the range that the program states
 * (et_value_meta). On error, the input keeps its previous value. */
et_status et_method_set_input(et_method *method, size_t index,
                              et_scalar_type dtype, const int32_t *sizes,
                              size_t rank, const void *data, size_t nbytes,
                              et_error *out_error);

/* Sets scalar input `index`.
 *
 * If the input is an int with a range (et_value_meta), `value` applies to all
 * following runs. NOT_SUPPORTED: the value is outside the range.
 *
 * Any other int, bool, float or str input is a constant of the program. The
 * call then only checks that `value` equals that constant. */
et_status et_method_set_scalar_input(et_method *method, size_t index,
                                     const et_value *value,
                                     et_error *out_error);

/* Runs the method once.
 *
 * An output in caller-provided memory is zeroed first if a run may leave it
 * unwritten.
 *
 * INVALID_STATE: a tensor input, or an int input with a range, was never
 * set. INVALID_ARGUMENT: inputs disagree on a dynamic size that they share.
 * OUT_OF_RESOURCES: the run exceeded et_method_options.max_steps.
 *
 * On error, outputs have no value and the contents of mutable buffers are
 * unspecified. The method can run again after ints with a range are set
 * again. */
et_status et_method_execute(et_method *method, et_error *out_error);

/* Returns the value of output `index`.
 *
 * The value is valid until the next call that sets an input or output, executes
 * the method, or resets its state. A failed call of et_method_set_input,
 * et_method_set_scalar_input or et_method_set_output does not invalidate it.
 * INVALID_STATE: execute has not succeeded since the last such call. */
et_status et_method_get_output(const et_method *method, size_t index,
                               const et_value **out_value, et_error *out_error);

/* Makes an unplanned output write to `data`.
 *
 * `data` is borrowed until the last run of the method. INVALID_STATE: the
 * output is planned. Outputs have no value until the next run. */
et_status et_method_set_output(et_method *method, size_t index, void *data,
                               size_t nbytes, et_error *out_error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_METHOD_H_ */
