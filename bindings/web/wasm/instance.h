/* A WebAssembly instance that runs one program.
 *
 * JavaScript creates an instance for each loaded object, so the state is static:
 * dropping the instance frees all memory, and a trap affects only its object.
 * bindings/web/runtime/instance.mjs calls the exported functions. */
#ifndef BINDINGS_WEB_WASM_INSTANCE_H_
#define BINDINGS_WEB_WASM_INSTANCE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/method.h"
#include "executorch/parallel.h"
#include "executorch/span.h"

/* A method of a model. `shared_memory_id` is that of the planned buffer that
 * methods share, or 0. */
typedef struct et_web_method {
  const char *name;
  uint32_t shared_memory_id;
} et_web_method;

/* A model of the library. Generated code defines it. */
typedef struct et_web_spec {
  int64_t digest; /* of the interface; the JavaScript module has the same */
  const et_registry *registry;
  et_span program; /* empty if JavaScript provides it */
  et_span weights; /* empty if there are none, or JavaScript provides them */
  bool has_weights;
  const et_web_method *methods;
  size_t method_count;
} et_web_spec;

/* Generated: the models, and the registry of all linked kernels. */
extern const et_web_spec et_web_specs[];
extern const size_t et_web_spec_count;
extern const et_registry et_linked_registry;

/* An input or output. JavaScript reads and writes it in linear memory, with the
 * offsets in bindings/web/runtime/slots.mjs. */
typedef struct et_web_slot {
  int64_t value; /* the int, the bool, or the bits of the double */
  int64_t min;   /* range of an int argument */
  int64_t max;
  int64_t step;
  int32_t tag;         /* et_value_tag */
  int32_t dtype;       /* of a tensor */
  uint32_t data;       /* address of the elements, or of a string's bytes */
  uint32_t nbytes;     /* bytes at `data` */
  uint32_t capacity;   /* bytes for the upper bound of the sizes */
  int32_t is_argument; /* whether a call passes the input */
  int32_t rank;
  int32_t is_dynamic;
  int32_t sizes[ET_MAX_RANK]; /* upper bounds until the first call */
  int32_t min_sizes[ET_MAX_RANK];
  int32_t size_steps[ET_MAX_RANK];
  int32_t dim_order[ET_MAX_RANK];
} et_web_slot;

/* Sets the threads of the methods that are loaded later. Borrows `parallel`. */
void et_web_set_parallel(const et_parallel *parallel);

#endif /* BINDINGS_WEB_WASM_INSTANCE_H_ */
