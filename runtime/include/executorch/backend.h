/* The interface between the runtime and a backend, which executes delegates. */
#ifndef EXECUTORCH_BACKEND_H_
#define EXECUTORCH_BACKEND_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/arena.h"
#include "executorch/kernel.h"
#include "executorch/observer.h"
#include "executorch/parallel.h"
#include "executorch/shared_store.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A setting that the backend's compiler side stores next to the payload. */
typedef struct et_compile_spec {
  et_string key;
  et_span value;
} et_compile_spec;

/* A setting that the caller passes when it loads a method. */
typedef struct et_backend_option {
  const char *key;
  et_value value; /* INT, BOOL, DOUBLE or STRING */
} et_backend_option;

/* An optional component of a backend's runtime side, such as one op.
 *
 * Only parts that the compiler side lists in `BackendDetails.runtime_parts` are
 * linked. */
typedef struct et_backend_part {
  uint32_t id; /* numbered by the backend */
  /* Defined by the backend, such as a table of functions. */
  const void *content;
} et_backend_part;

/* The inputs for building one delegate.
 *
 * The struct is valid for one call. `payload`, `specs`, the names, named data,
 * `parallel`, `observer` and `store` are valid for the lifetime of the method.
 * The payload comes from a file and may be malicious: validate it. */
typedef struct et_backend_context {
  /* sizeof(et_backend_context) in the runtime's build. New fields are always
   * appended, and a backend from another build must not read beyond `size`. */
  size_t size;
  et_span payload; /* as written by the compiler side */
  const et_compile_spec *specs;
  size_t spec_count;
  const char *method_name;
  /* Looks up the program's named data for `key`. Returns NOT_FOUND if it is
   * missing. */
  et_status (*find_data)(const struct et_backend_context *context,
                         et_string key, et_span *out_bytes, et_error *error);
  const void *data_context;         /* passed through to find_data */
  const et_backend_option *options; /* options for this backend only */
  size_t option_count;
  et_shared_store *store;      /* shared by several methods; NULL without one */
  const et_parallel *parallel; /* NULL: run on the calling thread only */
  const et_observer *observer; /* NULL: no observer */
  et_arena *arena;             /* has exactly handle_bytes; NULL in `measure` */
  et_error *error;             /* may be NULL */
  const et_backend_part *const *parts; /* the linked parts of this backend */
  size_t part_count;
} et_backend_context;

/* The memory and the arguments of one delegate. */
typedef struct et_backend_requirements {
  size_t handle_bytes;  /* in the method's memory, for the method's lifetime */
  size_t scratch_bytes; /* during `execute` only, 64-byte aligned */
  /* Upper bound on the bytes it uses in the store; see
   * et_shared_store_bytes. */
  size_t shared_bytes;
  size_t output_count; /* outputs: the last arguments of a call */
  /* Mutable buffers that a call reads and writes in place: the arguments before
   * the outputs. */
  size_t updated_count;
} et_backend_requirements;

/* Resources for one `execute`, in addition to the arguments. Valid for that
 * call. */
typedef struct et_execute_context {
  et_mutable_span scratch;     /* at least scratch_bytes; contents undefined */
  const et_parallel *parallel; /* NULL: run on the calling thread only */
  const et_observer *observer; /* NULL: no observer */
  et_error *error;             /* may be NULL */
} et_execute_context;

/* One backend.
 *
 * All pointers refer to static data. The functions keep state only in handles
 * and in the shared store. */
typedef struct et_backend {
  const char *id; /* BackendDelegate.id in the program */

  /* Verifies the payload and reports what the delegate needs.
   *
   * The result depends only on the context. The function may be called several
   * times. *out is zeroed before the call. */
  et_status (*measure)(const et_backend_context *context,
                       et_backend_requirements *out);

  /* Builds the handle in context->arena. *out_handle is NULL on entry. */
  et_status (*init)(const et_backend_context *context, void **out_handle);

  /* Runs the delegate on `count` values: its inputs, then mutable buffers, then
   * outputs.
   *
   * Must check the number, kinds, dtypes and sizes of all values before it
   * writes. */
  et_status (*execute)(void *handle, const et_execute_context *context,
                       et_value **args, size_t count);

  /* Releases resources that `init` acquired outside the arena. Called once for
   * each handle that `init` built. May be NULL. */
  void (*destroy)(void *handle);
} et_backend;

/* The linked parts of one backend. */
typedef struct et_backend_parts {
  const et_backend_part *const *items;
  size_t count;
} et_backend_parts;

/* Optional features of the runtime. Each is a table in its own object file, so
 * a program links the feature only if its registry refers to the table. */
struct et_delegation;
struct et_preparation;
extern const struct et_delegation et_delegation;
extern const struct et_preparation et_preparation;
struct et_views;
struct et_branching;
struct et_ranges;
extern const struct et_views et_views;
extern const struct et_branching et_branching;
extern const struct et_ranges et_ranges;
extern const struct et_ranges et_ranges_and_conditions;

/* The kernels and backends that a method can call. The tables are static. */
typedef struct et_registry {
  const et_kernel_table *kernels;
  const et_backend *const *backends;
  size_t backend_count;
  /* One entry for each backend; NULL: no parts. */
  const et_backend_parts *parts;
  /* &et_delegation if there are backends, otherwise NULL. */
  const struct et_delegation *delegation;
  /* &et_preparation if a kernel has a `prepare`; otherwise, may be NULL. */
  const struct et_preparation *preparation;
  /* &et_views if a program calls executorch_prim::et_view; otherwise, may be
   * NULL. */
  const struct et_views *views;
  /* &et_branching if a program has moves or jumps; otherwise, may be NULL. */
  const struct et_branching *branching;
  /* &et_ranges if an input or output has a dynamic size, or an input is an int
   * with a range; otherwise, may be NULL. &et_ranges_and_conditions if a program
   * has conditions over sizes of inputs. */
  const struct et_ranges *ranges;
} et_registry;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_BACKEND_H_ */
