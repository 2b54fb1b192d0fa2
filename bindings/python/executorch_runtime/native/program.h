/* Heap-allocated programs and methods, with addresses as handles, for Python. Python calls the
 * runtime directly for everything else (_native.py). */
#ifndef EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_
#define EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/recorder.h"
#include "executorch/status.h"

/* Maximum number of a program's files: one .pte and its .ptd files. */
#define ET_PYTHON_MAX_FILES 64

typedef struct et_python_program et_python_program;
typedef struct et_python_method et_python_method;

/* Opens paths[0], a .pte file, and the .ptd files after it, and compares external data with hashes
 * in its keys. `clock` is the clock of recorded events; NULL: the monotonic clock. Returns
 * INVALID_ARGUMENT for too many files. */
et_status et_python_program_open(const char *const *paths, size_t count,
                                 const et_clock *clock,
                                 et_python_program **out_program,
                                 et_error *error);
void et_python_program_close(et_python_program *program);
const et_program *et_python_program_view(const et_python_program *program);

/* Returns the events of opening the program. */
const et_recorder *et_python_program_events(const et_python_program *program);

/* Returns the backend of delegate `index`, counted across all methods; NULL
 * beyond the last one. */
const char *et_python_program_backend(const et_python_program *program,
                                      size_t index);

typedef struct et_python_options {
  size_t threads; /* including the caller's; 1: no worker threads */
  const et_backend_options *backend_options;
  size_t backend_options_count;
  uint64_t max_steps; /* 0: the runtime's default */
  uint64_t seed;      /* for random operators */
  /* The method whose planned buffer `memory_id` is shared; NULL: none. */
  const et_python_method *owner;
  uint32_t memory_id;
  uint32_t is_traced; /* record loading and runs */
} et_python_options;

/* Memory of a method in bytes, in addition to its file. */
typedef struct et_python_memory {
  size_t method;
  size_t scratch;
  size_t planned;
  size_t data;
} et_python_memory;

/* Loads a method. `program` and the owner must outlive it. */
et_status et_python_method_load(const et_python_program *program,
                                const char *name,
                                const et_python_options *options,
                                et_python_method **out_method, et_error *error);
void et_python_method_free(et_python_method *method);
et_method *et_python_method_view(const et_python_method *method);
et_python_memory et_python_method_memory(const et_python_method *method);

/* Returns the events since the recorder was last cleared. */
et_recorder *et_python_method_events(et_python_method *method);

/* Returns value `index` of the method after its last run, or NULL if it does
 * not exist. */
const et_value *et_python_method_value(const et_python_method *method,
                                       size_t index);

/* Writes the sizes of the structs that _native.py redeclares, in its order.
 * Returns their number. */
size_t et_python_struct_sizes(size_t *out_sizes, size_t capacity);

#endif /* EXECUTORCH_RUNTIME_NATIVE_PROGRAM_H_ */
