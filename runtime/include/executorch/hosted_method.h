/* Methods whose memory is allocated on the heap. */
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

/* A method and its memory. An all-zero struct is empty. Fields are
 * read-only. */
typedef struct et_hosted_method {
  et_method *method;
  et_method_requirements requirements;
  size_t planned_bytes; /* sum of all planned buffers */
  et_planned_buffer planned[ET_MAX_PLANNED_BUFFERS];
  void *data;       /* data read from the program's source, or NULL */
  void *allocation; /* all other memory, including unplanned outputs */
} et_hosted_method;

/* Loads a method, and allocates its memory and its unplanned outputs.
 *
 * On error, nothing stays allocated. MEMORY_TOO_SMALL: the heap is exhausted.
 * Other statuses are those of et_method_load. */
et_status et_hosted_method_load(const et_program *program, const char *name,
                                const et_registry *registry,
                                const et_method_options *options,
                                et_hosted_method *out_hosted,
                                et_error *out_error);

/* Loads a method that uses planned buffer `memory_id` of `owner`.
 *
 * Both methods then share the mutable buffers there, with their current
 * contents. `owner` must outlive the method. INVALID_ARGUMENT: the method or
 * `owner` has no such memory id, or the owner's buffer is too small. */
et_status et_hosted_method_load_sharing(
    const et_program *program, const char *name, const et_registry *registry,
    const et_method_options *options, const et_hosted_method *owner,
    uint32_t memory_id, et_hosted_method *out_hosted, et_error *out_error);

/* Unloads the method, frees its memory and zeroes `hosted`. Does nothing if
 * empty. */
void et_hosted_method_free(et_hosted_method *hosted);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_HOSTED_METHOD_H_ */
