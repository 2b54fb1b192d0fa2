/* A method with its memory from the heap, for programs that have one. */
#ifndef EXECUTORCH_HOSTED_METHOD_H_
#define EXECUTORCH_HOSTED_METHOD_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/method.h"
#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is no method. The fields are for reading. */
typedef struct et_hosted_method {
  et_method *method;
  et_method_requirements requirements;
  size_t planned_bytes; /* of all planned buffers */
  et_planned_buffer planned[ET_MAX_PLANNED_BUFFERS];
  void *data;       /* what was read of the program's source, or NULL */
  void *allocation; /* all else, outputs that are not planned included */
} et_hosted_method;

/* Loads a method into memory of its own, and gives memory to outputs that are
 * not planned. On an error nothing is kept. MEMORY_TOO_SMALL when the heap has
 * not enough, else as et_method_load. */
et_status et_hosted_method_load(const et_program *program, const char *name,
                                const et_registry *registry,
                                const et_method_options *options,
                                et_hosted_method *out_hosted,
                                et_error *out_error);

/* The same, but memory id `memory_id` is that of `owner`, which must outlive
 * the method, so that both see the same mutable buffers, as they are now.
 * INVALID_ARGUMENT when the method or `owner` has no such memory id, or the buffer of
 * `owner` is smaller. */
et_status et_hosted_method_load_sharing(
    const et_program *program, const char *name, const et_registry *registry,
    const et_method_options *options, const et_hosted_method *owner,
    uint32_t memory_id, et_hosted_method *out_hosted, et_error *out_error);

/* Gives the memory back, and makes `hosted` no method. Nothing to do for
 * one. */
void et_hosted_method_free(et_hosted_method *hosted);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_HOSTED_METHOD_H_ */
