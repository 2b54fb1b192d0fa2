#include "tests/fuzz/instance.h"

static et_mutable_span take(et_instance *instance, size_t size,
                            size_t alignment, uint8_t fill) {
  const et_guarded block = et_guarded_take(size, alignment, fill);
  const et_mutable_span bytes = {size > 0 ? block.data : NULL, size};
  instance->blocks[instance->block_count++] = block;
  return bytes;
}

/* Skips outputs in planned memory, which reject caller-provided memory. */
static void set_outputs(const et_method_meta *meta, uint8_t fill,
                        et_instance *instance) {
  et_value_meta value;
  for (size_t i = 0;
       i < et_method_meta_output_count(meta) && i < ET_INSTANCE_OUTPUTS; i++) {
    if (et_method_meta_output(meta, i, &value, NULL) == ET_STATUS_OK &&
        value.tag == ET_VALUE_TENSOR && !value.is_planned) {
      const et_mutable_span bytes = take(instance, value.nbytes, 1, fill);
      et_method_set_output(instance->method, i, bytes.data, bytes.size, NULL);
    }
  }
}

et_status et_instance_load(const et_method_meta *meta, const char *name,
                           const et_registry *registry,
                           const et_method_options *options,
                           const et_method_requirements *needed, uint8_t fill,
                           et_instance *out) {
  const et_instance none = {.method = NULL};
  et_planned_buffer planned[ET_MAX_PLANNED_BUFFERS] = {{.state = NULL}};
  et_method_memory memory = {.planned = planned,
                             .planned_count = needed->planned_count};
  *out = none;
  memory.method = take(out, needed->method_bytes, ET_MEMORY_ALIGNMENT, fill);
  memory.scratch = take(out, needed->scratch_bytes, ET_MEMORY_ALIGNMENT, fill);
  memory.data = take(out, needed->data_bytes, ET_MEMORY_ALIGNMENT, fill);
  for (size_t i = 0; i < needed->planned_count; i++) {
    size_t size = 0;
    et_method_meta_planned_bytes(meta, i, &size, NULL);
    planned[i].bytes = take(out, size, ET_MEMORY_ALIGNMENT, fill);
  }
  const et_status status = et_method_load(meta->program, name, registry,
                                          options, &memory, &out->method, NULL);
  if (status == ET_STATUS_OK) {
    set_outputs(meta, fill, out);
  } else {
    et_instance_free(out);
  }
  return status;
}

bool et_instance_free(et_instance *instance) {
  bool is_intact = true;
  et_method_unload(instance->method);
  instance->method = NULL;
  for (size_t i = 0; i < instance->block_count; i++) {
    is_intact = et_guarded_is_intact(&instance->blocks[i]) && is_intact;
    et_guarded_free(&instance->blocks[i]);
  }
  instance->block_count = 0;
  return is_intact;
}
