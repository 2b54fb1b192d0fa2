#include <stdlib.h>

#include "backends/cpu/threads/pool.h"
#include "bindings/python/executorch_runtime/native/program.h"
#include "bindings/python/executorch_runtime/native/registry.h"
#include "executorch/hosted_method.h"
#include "executorch/method_layout.h"

struct et_python_method {
  et_hosted_method hosted;
  et_recorder recorder;
  et_observer observer;
  et_random random;
  et_cpu_pool *pool; /* NULL: only the caller's thread */
};

static et_status start_threads(et_python_method *method, size_t threads,
                               et_error *error) {
  et_cpu_pool *pool = aligned_alloc(ET_CPU_POOL_LINE, sizeof *pool);
  if (pool == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "out of memory for threads");
  }
  const et_status status = et_cpu_pool_create(pool, threads, error);
  if (status != ET_STATUS_OK) {
    free(pool);
    return status;
  }
  method->pool = pool;
  return ET_STATUS_OK;
}

static et_status load(et_python_method *method,
                      const et_python_program *program, const char *name,
                      const et_python_options *given, et_error *error) {
  if (given->threads != 1) {
    ET_RETURN_IF_ERROR(start_threads(method, given->threads, error));
  }
  const et_method_options options = {
      .parallel = method->pool != NULL ? &method->pool->parallel : NULL,
      .observer = given->is_traced ? &method->observer : NULL,
      .backend_options = given->backend_options,
      .backend_options_count = given->backend_options_count,
      .max_steps = given->max_steps,
      .random = &method->random};
  return et_hosted_method_load_sharing(
      et_python_program_view(program), name, &et_python_registry, &options,
      given->owner != NULL ? &given->owner->hosted : NULL, given->memory_id,
      &method->hosted, error);
}

et_status et_python_method_load(const et_python_program *program,
                                const char *name,
                                const et_python_options *options,
                                et_python_method **out_method,
                                et_error *error) {
  et_python_method *method = calloc(1, sizeof *method);
  if (method == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "method '%s': out of memory", name);
  }
  et_recorder_init(&method->recorder, et_python_program_events(program)->clock);
  method->observer = et_recorder_observer(&method->recorder);
  method->random = et_random_seeded(options->seed);
  const et_status status = load(method, program, name, options, error);
  if (status != ET_STATUS_OK) {
    et_python_method_free(method);
    return status;
  }
  *out_method = method;
  return ET_STATUS_OK;
}

void et_python_method_free(et_python_method *method) {
  et_hosted_method_free(&method->hosted);
  et_recorder_free(&method->recorder);
  if (method->pool != NULL) {
    et_cpu_pool_destroy(method->pool);
    free(method->pool);
  }
  free(method);
}

et_method *et_python_method_view(const et_python_method *method) {
  return method->hosted.method;
}

et_python_memory et_python_method_memory(const et_python_method *method) {
  const et_method_requirements *needed = &method->hosted.requirements;
  const et_python_memory memory = {needed->method_bytes, needed->scratch_bytes,
                                   method->hosted.planned_bytes,
                                   needed->data_bytes};
  return memory;
}

et_recorder *et_python_method_events(et_python_method *method) {
  return &method->recorder;
}

const et_value *et_python_method_value(const et_python_method *method,
                                       size_t index) {
  const et_method *loaded = method->hosted.method;
  return index < loaded->value_count ? &loaded->values[index] : NULL;
}

size_t et_python_struct_sizes(size_t *out_sizes, size_t capacity) {
  const size_t sizes[] = {
      sizeof(et_error),          sizeof(et_value),
      sizeof(et_tensor),         sizeof(et_value_meta),
      sizeof(et_method_meta),    sizeof(et_backend_options),
      sizeof(et_backend_option), sizeof(et_recorder),
      sizeof(et_recorded_event), sizeof(et_clock),
      sizeof(et_python_options), sizeof(et_python_memory),
  };
  const size_t count = sizeof sizes / sizeof *sizes;
  for (size_t i = 0; i < count && i < capacity; i++) {
    out_sizes[i] = sizes[i];
  }
  return count;
}
