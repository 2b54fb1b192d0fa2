#include "runtime/core/reason.h"
#include "runtime/method/builder.h"
#include "runtime/method/preparation.h"

static et_status prepare(et_builder *builder, const et_walk *walk,
                         const et_kernel *kernel, size_t *out_scratch) {
  const struct et_preparation *preparation = builder->registry->preparation;
  return preparation != NULL
             ? preparation->prepare(builder, walk, kernel, out_scratch)
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "instructions[%u] %s: the kernel has a prepare "
                       "function; set registry.preparation to &et_preparation",
                       (unsigned)walk->index, kernel->name);
}

et_status et_build_calls(et_builder *builder, size_t *scratch) {
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    const et_kernel *kernel = et_build_called_kernel(builder, &walk);
    size_t needed = kernel != NULL ? kernel->scratch_bytes : 0;
    if (kernel != NULL && kernel->prepare != NULL) {
      ET_RETURN_IF_ERROR(prepare(builder, &walk, kernel, &needed));
    }
    *scratch = needed > *scratch ? needed : *scratch;
  }
  return ET_STATUS_OK;
}
