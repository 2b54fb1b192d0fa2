/* Programs and methods as Python holds them: memory on the heap, addresses as
 * handles. All else it calls in the runtime itself (executorch_runtime/_native.py). */
#ifndef EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_
#define EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/recorder.h"
#include "executorch/status.h"

/* Files that a program may lie in: the .pte, and .ptd files. */
#define ET_PYTHON_MAX_FILES 64

typedef struct et_python_program et_python_program;
typedef struct et_python_method et_python_method;

/* Opens paths[0], a .pte, and the .ptd files behind it; what external data says of
 * its own content is compared. `clock` is what all that is recorded goes by;
 * NULL: the monotonic one. INVALID_ARGUMENT for too many files. */
et_status et_python_program_open(const char *const *paths, size_t count,
                                 const et_clock *clock,
                                 et_python_program **out_program,
                                 et_error *error);
void et_python_program_close(et_python_program *program);
const et_program *et_python_program_view(const et_python_program *program);

/* What was recorded of its loading. */
const et_recorder *et_python_program_events(const et_python_program *program);

/* The backend of delegate `index`, counted through all methods; NULL past the last. */
const char *et_python_program_backend(const et_python_program *program,
                                      size_t index);

typedef struct et_python_options {
  size_t threads; /* to run on; 1 for none besides the caller's */
  const et_backend_options *backend_options;
  size_t backend_options_count;
  uint64_t max_steps; /* 0 for the runtime's own bound */
  uint64_t seed;      /* of operators that give random numbers */
  /* A method whose planned buffer this memory id is; NULL: shares none. */
  const et_python_method *owner;
  uint32_t memory_id;
  uint32_t is_traced; /* loading and runs are recorded */
} et_python_options;

/* Bytes that a method takes besides its file. */
typedef struct et_python_memory {
  size_t method;
  size_t scratch;
  size_t planned;
  size_t data;
} et_python_memory;

/* `program` and the owner must outlive it. */
et_status et_python_method_load(const et_python_program *program,
                                const char *name,
                                const et_python_options *options,
                                et_python_method **out_method, et_error *error);
void et_python_method_free(et_python_method *method);
et_method *et_python_method_view(const et_python_method *method);
et_python_memory et_python_method_memory(const et_python_method *method);

/* What was recorded since the last clear. */
et_recorder *et_python_method_events(et_python_method *method);

/* Value `index` of the method, as its last run left it; NULL when there is none. */
const et_value *et_python_method_value(const et_python_method *method,
                                       size_t index);

/* sizeof of the structs that Python has its own descriptions of, in the order of
 * executorch_runtime/_native.py; returns how many. */
size_t et_python_struct_sizes(size_t *out_sizes, size_t capacity);

#endif /* EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_ */
