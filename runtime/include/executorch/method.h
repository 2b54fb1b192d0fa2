/* Loading a method into the caller's memory and running it.
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

/* A loaded method. Lies, with all it needs, in et_method_memory.method. */
typedef struct et_method et_method;

/* Alignment of every buffer in et_method_memory. */
#define ET_MEMORY_ALIGNMENT 64

/* The options of one backend. */
typedef struct et_backend_options {
  const char
      *id; /* et_backend.id; that of one the method does not use is fine */
  const et_backend_option *options;
  size_t count;
} et_backend_options;

/* The official runtime's limit. */
#define ET_DEFAULT_MAX_STEPS UINT64_C(10000000)

/* What a method may use beyond its memory. Each may be NULL, and so may a pointer
 * to all of them; what they point to is borrowed until the method is no longer
 * used. */
typedef struct et_method_options {
  const et_parallel *parallel; /* workers for kernels and backends */
  const et_observer *observer; /* is told of each instruction that is run */
  const et_backend_options *backend_options; /* one entry a backend */
  size_t backend_options_count;
  et_shared_store *store; /* what delegates of several methods share */
  /* Of et_method_measure: room to read data to that kernels and backends look at
   * while they are measured, et_method_data_bytes of it. Free again afterwards. */
  et_mutable_span data;
  /* Instructions that one et_method_execute may run, so that a loop of the program
   * which does not end is an error; 0 for ET_DEFAULT_MAX_STEPS. */
  uint64_t max_steps;
  /* Where operators that give random numbers draw them. Seed it for numbers that
   * repeat; each run goes on where the last one ended. Without it these operators
   * fail. */
  et_random *random;
} et_method_options;

/* Exactly what a method needs; the sizes of planned buffers come from
 * et_method_meta_planned_bytes. The program's manifest states the same. */
typedef struct et_method_requirements {
  size_t method_bytes;  /* values, instructions, handles and states */
  size_t scratch_bytes; /* the largest that any of its calls asks for */
  size_t shared_bytes;  /* what loading takes of the store, at most */
  size_t data_bytes;    /* et_method_data_bytes */
  size_t planned_count;
} et_method_requirements;

/* Bytes of memory for the constants, initial values and payloads of a method that do
 * not lie whole in one extent of the program's source, and, for a method with
 * delegates, for named data that does not: 0 when all of the source is in memory in
 * one piece. */
et_status et_method_data_bytes(const et_program *program, const char *name,
                               size_t *out_bytes, et_error *out_error);

/* Verifies the method against the linked kernels and backends, and measures it,
 * which asks those kernels and backends too. All that et_method_load checks, but
 * for the memory plan: that takes memory. Load it with the same options.
 * MEMORY_TOO_SMALL when data must be read and options->data has no room for it. */
et_status et_method_measure(const et_program *program, const char *name,
                            const et_registry *registry,
                            const et_method_options *options,
                            et_method_requirements *out_requirements,
                            et_error *out_error);

/* The state in a planned buffer that several methods share. All zero before the
 * first of them is loaded; it must outlive them, and is to be read by the runtime's
 * own code only. */
typedef struct et_state {
  et_span program; /* whose methods share it; NULL before the first load */
  et_mutable_span bytes; /* the buffer */
  uint64_t loaded[16];   /* a bit for each method of the program: was loaded */
} et_state;

/* What shares state, in programs that name it alone: `sharing` of a buffer. */
struct et_sharing;
extern const struct et_sharing et_sharing;

/* A planned buffer. Without a state it is the method's own: loading sets it to
 * zero and gives mutable buffers their initial values.
 *
 * Methods of one program that name the same buffer and state share what they keep
 * there: the first load makes it, later ones leave it alone and add just what only
 * they have. INVALID_ARGUMENT when the state is another program's or buffer's;
 * INVALID_PROGRAM when the methods place it differently. */
typedef struct et_planned_buffer {
  et_mutable_span bytes;
  et_state *state;                  /* NULL: the method's own */
  const struct et_sharing *sharing; /* &et_sharing where there is a state; else
                                     * NULL will do */
} et_planned_buffer;

/* Memory for one method. Borrowed until the method is no longer used. Two methods
 * may share `scratch`, and a planned buffer that has a state, if they are not run
 * at the same time. */
typedef struct et_method_memory {
  et_mutable_span method;
  et_mutable_span scratch;
  const et_planned_buffer *planned; /* planned_count entries, copied */
  size_t planned_count;
  et_mutable_span
      data; /* what is read is kept here; none for data_bytes of 0 */
} et_method_memory;

/* Verifies everything that can be known before running: argument kinds against
 * kernel signatures, that nothing writes a constant or its own operand, and
 * that no instruction reads bytes which another value has overwritten
 * (plan_check.h says how far that goes).
 *
 * Reads each run of bytes that it needs once, named data only when a backend asks for
 * it; a status of the source's read function is returned with the source's name and
 * the offset.
 *
 * OPERATOR_MISSING names every missing kernel or backend; INVALID_PROGRAM the
 * element at fault; MEMORY_TOO_SMALL the buffer, its size and what it needs. */
et_status et_method_load(const et_program *program, const char *name,
                         const et_registry *registry,
                         const et_method_options *options,
                         const et_method_memory *memory, et_method **out_method,
                         et_error *out_error);

/* Gives the mutable buffers of the method their initial values, also where other
 * methods share them. Inputs must be set again; outputs have no value until the next
 * run. */
void et_method_reset_state(et_method *method);

/* Ends the use of a method: its backends give back what they hold besides its
 * memory, which is the caller's again. NULL is no method. */
void et_method_unload(et_method *method);

size_t et_method_input_count(const et_method *method);
size_t et_method_output_count(const et_method *method);

/* Gives input `index` a tensor. `sizes` may be smaller than the loaded bound
 * where the input is dynamic. A planned input copies `data`, to bytes that the
 * run may use again for other values: set it before every run. One that is not
 * planned borrows `data` until the next set_input or the last execute, and
 * never writes it. `nbytes` must be what dtype and sizes need, in the input's
 * own dim order.
 *
 * INVALID_ARGUMENT for a wrong index, dtype, rank, length or size of a fixed
 * dimension; NOT_SUPPORTED for a size out of the range that the program states
 * (et_value_meta). The input keeps its earlier state then. */
et_status et_method_set_input(et_method *method, size_t index,
                              et_scalar_type dtype, const int32_t *sizes,
                              size_t rank, const void *data, size_t nbytes,
                              et_error *out_error);

/* Gives input `index`, an int with a range (et_value_meta), the value of the next
 * runs. NOT_SUPPORTED for a value out of the range.
 *
 * Any other int, bool, float or str input is a constant of the program: checks that
 * `value` is the one that the program was compiled with. */
et_status et_method_set_scalar_input(et_method *method, size_t index,
                                     const et_value *value,
                                     et_error *out_error);

/* Runs the method once. INVALID_STATE when a tensor input, or an int with a range,
 * was never set; INVALID_ARGUMENT when inputs that share a dynamic size disagree;
 * OUT_OF_RESOURCES when it takes more than et_method_options.max_steps. On an
 * error the outputs have no value and mutable buffers hold unspecified bytes; the method
 * can be run again, after ints with a range are set again. An output in the caller's
 * memory that a run may leave unwritten is set to zero first. */
et_status et_method_execute(et_method *method, et_error *out_error);

/* The value of output `index`, valid until the next call that sets an input or the
 * memory of an output, executes the method or resets its state. INVALID_STATE after
 * such a call, unless it was a successful execute. A call that sets and fails
 * changes nothing. */
et_status et_method_get_output(const et_method *method, size_t index,
                               const et_value **out_value, et_error *out_error);

/* Makes an output that is not planned write to the caller's `data`, borrowed
 * until the method is no longer run. INVALID_STATE for a planned output. Outputs have
 * no value until the next run. */
et_status et_method_set_output(et_method *method, size_t index, void *data,
                               size_t nbytes, et_error *out_error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_METHOD_H_ */
