/* A method that is loaded into guarded memory with given contents. */
#ifndef ET_TESTS_FUZZ_INSTANCE_H_
#define ET_TESTS_FUZZ_INSTANCE_H_

#include <stdbool.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "tests/fuzz/guarded.h"

#define ET_INSTANCE_OUTPUTS 64 /* maximum outputs with caller-provided memory */
#define ET_INSTANCE_BLOCKS (3 + ET_MAX_PLANNED_BUFFERS + ET_INSTANCE_OUTPUTS)

typedef struct et_instance {
  et_method *method;
  et_guarded blocks[ET_INSTANCE_BLOCKS]; /* one for each region of memory */
  size_t block_count;
} et_instance;

/* Loads the method. Each region of its memory, and each output that is not planned, is a
 * separate block filled with `fill`. After an error there is nothing to free. */
et_status et_instance_load(const et_method_meta *meta, const char *name,
                           const et_registry *registry,
                           const et_method_options *options,
                           const et_method_requirements *needed, uint8_t fill,
                           et_instance *out);

/* Frees the instance. Returns true if no byte around its regions was written. */
bool et_instance_free(et_instance *instance);

#endif /* ET_TESTS_FUZZ_INSTANCE_H_ */
