/* Delegates: what a backend gives the runtime. */
#ifndef EXECUTORCH_BACKEND_H_
#define EXECUTORCH_BACKEND_H_

#include <stddef.h>

#include "executorch/arena.h"
#include "executorch/kernel.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_compile_spec {
  et_string key;
  et_span value;
} et_compile_spec;

/* What the compiler's preprocess left for this delegate. Borrowed from the
 * program: valid as long as it. A payload is data, and may be hostile. */
typedef struct et_backend_payload {
  et_span processed;
  const et_compile_spec *specs;
  size_t spec_count;
} et_backend_payload;

/* One backend. All pointers are static; `init` and `execute` keep no state but
 * what they take from the arena. */
typedef struct et_backend {
  const char *id; /* BackendDelegate.id in the file */

  /* Checks the payload and builds the handle in `arena`, which lives as long as
   * the method. Called twice: first with a measuring arena (all allocations
   * give NULL; *out_handle is ignored), then with the real one. Both calls must
   * take the same bytes. */
  et_status (*init)(const et_backend_payload *payload, et_arena *arena,
                    void **out_handle, et_error *error);

  /* Runs on `count` values: the delegate's inputs, then its outputs. Checks the
   * count, kinds, dtypes and sizes of all of them before it writes. */
  et_status (*execute)(void *handle, et_value **args, size_t count,
                       et_error *error);
} et_backend;

/* What a method may call: the tables are static and owned by the binary. */
typedef struct et_registry {
  const et_kernel_table *kernels;
  const et_backend *const *backends;
  size_t backend_count;
} et_registry;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_BACKEND_H_ */
