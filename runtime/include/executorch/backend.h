/* Delegates: what a backend gives the runtime. */
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

/* What the compiler says to the backend's runtime side, beside the payload. */
typedef struct et_compile_spec {
  et_string key;
  et_span value;
} et_compile_spec;

/* What the caller says to it when the method is loaded. */
typedef struct et_backend_option {
  const char *key;
  et_value value; /* INT, BOOL, DOUBLE or STRING */
} et_backend_option;

/* A part of a backend's runtime side that not every program needs. Only those that
 * the compiler side names (`BackendDetails.runtime_parts`) are linked. */
typedef struct et_backend_part {
  uint32_t id;         /* as the backend numbers them */
  const void *content; /* what the backend makes of it: a table of functions */
} et_backend_part;

/* What a backend is given to build one delegate. Lives for one call; payload,
 * specs, names and named data live as long as the method, and so do workers,
 * observer and store. A payload is data, and may be hostile. */
typedef struct et_backend_context {
  /* sizeof(et_backend_context) as the runtime was compiled. Fields are only ever
   * added at the end: a backend that was compiled apart reads none beyond. */
  size_t size;
  et_span payload; /* what the compiler's preprocess left */
  const et_compile_spec *specs;
  size_t spec_count;
  const char *method_name;
  /* The named data of the program under `key`. NOT_FOUND when there is none. */
  et_status (*find_data)(const struct et_backend_context *context,
                         et_string key, et_span *out_bytes, et_error *error);
  const void *data_context;         /* of find_data */
  const et_backend_option *options; /* those of this backend */
  size_t option_count;
  et_shared_store *store;      /* shared by methods; NULL: there is none */
  const et_parallel *parallel; /* NULL: this thread only */
  const et_observer *observer; /* NULL: nobody watches */
  et_arena *arena;             /* exactly handle_bytes; NULL in `measure` */
  et_error *error;             /* may be NULL */
  const et_backend_part *const *parts; /* of this backend, as they are linked */
  size_t part_count;
} et_backend_context;

/* What one delegate needs. */
typedef struct et_backend_requirements {
  size_t handle_bytes;  /* of the method's memory, for as long as it lives */
  size_t scratch_bytes; /* while it is executed, aligned to 64 */
  size_t shared_bytes;  /* of the store, at most: et_shared_store_bytes */
  size_t output_count;  /* the last arguments of its calls: what it writes */
  size_t updated_count; /* those before: tensors that it reads and changes where
                         * they lie, mutable buffers of the program */
} et_backend_requirements;

/* What a backend may use besides a delegate's arguments. Lives for one call. */
typedef struct et_execute_context {
  et_mutable_span scratch;     /* at least scratch_bytes; contents undefined */
  const et_parallel *parallel; /* NULL: this thread only */
  const et_observer *observer; /* NULL: nobody watches */
  et_error *error;             /* may be NULL */
} et_execute_context;

/* One backend. All pointers are static; its functions keep no state but what lies
 * in handles and in the store. */
typedef struct et_backend {
  const char *id; /* BackendDelegate.id in the file */

  /* Checks the payload and says what the delegate needs: the same for the same
   * context, as often as it is asked. *out is zero before. */
  et_status (*measure)(const et_backend_context *context,
                       et_backend_requirements *out);

  /* Builds the handle in context->arena. Sets *out_handle, NULL before. */
  et_status (*init)(const et_backend_context *context, void **out_handle);

  /* Runs on `count` values: the delegate's inputs, then what it updates, then its
   * outputs. Checks the count, kinds, dtypes and sizes of all of them before it writes. */
  et_status (*execute)(void *handle, const et_execute_context *context,
                       et_value **args, size_t count);

  /* Gives back what `init` took besides memory of the arena, for each handle that
   * it built. May be NULL. */
  void (*destroy)(void *handle);
} et_backend;

/* The parts that are linked of one backend. */
typedef struct et_backend_parts {
  const et_backend_part *const *items;
  size_t count;
} et_backend_parts;

/* How the runtime builds and runs delegates, and how it prepares calls of kernels: in
 * objects that only naming them links. */
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

/* What a method may call: the tables are static and owned by the binary. */
typedef struct et_registry {
  const et_kernel_table *kernels;
  const et_backend *const *backends;
  size_t backend_count;
  const et_backend_parts *parts; /* of each of `backends`; NULL: of none */
  const struct et_delegation *delegation; /* &et_delegation where there are
                                           * backends; else NULL */
  const struct et_preparation
      *preparation;             /* &et_preparation where a kernel has
                                             * a `prepare`; else NULL will do */
  const struct et_views *views; /* &et_views where programs call
                                 * executorch_prim::et_view; else NULL will do */
  const struct et_branching
      *branching;                 /* &et_branching where they move or jump;
                                         * else NULL will do */
  const struct et_ranges *ranges; /* &et_ranges where inputs or outputs have
                                   * dynamic sizes, or an input is an integer;
                                   * else NULL will do */
} et_registry;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_BACKEND_H_ */
