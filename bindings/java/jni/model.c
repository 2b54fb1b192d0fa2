#include "bindings/java/jni/model.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cpu/threads/pool.h"
#include "executorch/random.h"

static et_status fail_heap(et_error *error) {
  return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                 "out of heap memory; free memory, or use a smaller model");
}

/* Makes method `index` of the program the only one of the model. */
static et_status select_method(et_java_model *model, int64_t index,
                               et_error *error) {
  et_string name;
  if (et_program_method_name(&model->program, (size_t)index, &name) !=
      ET_STATUS_OK) {
    return et_fail(error, ET_STATUS_NOT_FOUND,
                   "the program has no method %lld; it has been replaced",
                   (long long)index);
  }
  model->selected_name = malloc(name.size + 1);
  if (model->selected_name == NULL) {
    return fail_heap(error);
  }
  memcpy(model->selected_name, name.data, name.size);
  model->selected_name[name.size] = '\0';
  model->selected.name = model->selected_name;
  model->spec.methods = &model->selected;
  return ET_STATUS_OK;
}

static et_status start_threads(et_java_model *model, et_error *error) {
  if (model->options.thread_count == 0) {
    return ET_STATUS_OK;
  }
  /* The size is a multiple of the alignment. */
  et_cpu_pool *pool = aligned_alloc(_Alignof(et_cpu_pool), sizeof *pool);
  if (pool == NULL) {
    return fail_heap(error);
  }
  const et_status status =
      et_cpu_pool_create(pool, model->options.thread_count, error);
  if (status != ET_STATUS_OK) {
    free(pool);
    return status;
  }
  model->pool = pool;
  return ET_STATUS_OK;
}

/* Counts the slots of a method, and allocates the states of its inputs. */
static et_status read_interface(const et_java_model *model,
                                const et_java_method *method,
                                et_java_loaded *loaded, et_error *error) {
  et_method_meta meta;
  et_value_meta value;
  ET_RETURN_IF_ERROR(
      et_program_method_meta(&model->program, method->name, &meta, error));
  loaded->input_count = et_method_meta_input_count(&meta);
  loaded->output_count = et_method_meta_output_count(&meta);
  loaded->inputs = calloc(loaded->input_count + 1, sizeof *loaded->inputs);
  if (loaded->inputs == NULL) {
    return fail_heap(error);
  }
  for (size_t i = 0; i < loaded->input_count; i++) {
    ET_RETURN_IF_ERROR(et_method_meta_input(&meta, i, &value, error));
    if (value.tag == ET_VALUE_TENSOR) {
      loaded->inputs[i].capacity = value.nbytes;
      loaded->inputs[i].is_planned = value.is_planned;
    }
  }
  return ET_STATUS_OK;
}

/* Gives each method its slots. The frame must have exactly these. */
static et_status divide_frame(et_java_model *model, size_t frame_bytes,
                              et_error *error) {
  size_t used = 0;
  const size_t available =
      frame_bytes < sizeof *model->frame
          ? 0
          : (frame_bytes - sizeof *model->frame) / sizeof(et_java_slot);
  for (size_t i = 0; i < model->spec.method_count; i++) {
    et_java_loaded *loaded = &model->methods[i];
    ET_RETURN_IF_ERROR(
        read_interface(model, &model->spec.methods[i], loaded, error));
    const size_t count = loaded->input_count + loaded->output_count;
    if (count > available - used) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "method '%s' has %zu inputs and %zu outputs; the program "
                     "differs from the model",
                     model->spec.methods[i].name, loaded->input_count,
                     loaded->output_count);
    }
    loaded->slots = model->frame->slots + used;
    used += count;
  }
  return used == available
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "the program has %zu inputs and outputs, not %zu; it "
                       "differs from the model",
                       used, available);
}

/* Returns the first method that has the same shared buffer, or NULL. */
static const et_hosted_method *find_owner(const et_java_model *model,
                                          size_t index) {
  const et_java_method *methods = model->spec.methods;
  const uint32_t id = methods[index].shared_memory_id;
  for (size_t i = 0; id != 0 && i < index; i++) {
    if (methods[i].shared_memory_id == id) {
      return &model->methods[i].hosted;
    }
  }
  return NULL;
}

/* Adds without overflow. */
static void add_bytes(uint64_t *total, uint64_t bytes) {
  *total = bytes > UINT64_MAX - *total ? UINT64_MAX : *total + bytes;
}

/* Adds the bytes of a method to `*total`, without inputs that calls copy. */
static et_status add_memory(const et_program *program, const char *name,
                            const et_registry *registry,
                            const et_method_options *options, uint64_t *total,
                            et_error *error) {
  et_method_requirements needed;
  et_method_meta meta;
  ET_RETURN_IF_ERROR(
      et_method_measure(program, name, registry, options, &needed, error));
  ET_RETURN_IF_ERROR(et_program_method_meta(program, name, &meta, error));
  add_bytes(total, needed.method_bytes);
  add_bytes(total, needed.scratch_bytes);
  add_bytes(total, needed.data_bytes);
  for (size_t i = 0; i < et_method_meta_planned_count(&meta); i++) {
    size_t planned = 0;
    ET_RETURN_IF_ERROR(et_method_meta_planned_bytes(&meta, i, &planned, error));
    add_bytes(total, planned);
  }
  return ET_STATUS_OK;
}

/* Checks the limit before memory is allocated. */
static et_status check_memory(const et_java_model *model,
                              const et_method_options *options,
                              et_error *error) {
  const uint64_t limit = model->options.max_memory;
  uint64_t total = 0;
  for (size_t i = 0; limit != 0 && i < model->spec.method_count; i++) {
    const et_java_loaded *loaded = &model->methods[i];
    ET_RETURN_IF_ERROR(add_memory(&model->program, model->spec.methods[i].name,
                                  model->spec.registry, options, &total,
                                  error));
    for (size_t k = 0; k < loaded->input_count; k++) {
      add_bytes(&total, loaded->inputs[k].capacity);
    }
    if (total > limit) {
      return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                     "the methods need at least %llu bytes, and maxMemory is "
                     "%llu; raise it, or use a smaller program",
                     (unsigned long long)total, (unsigned long long)limit);
    }
  }
  return ET_STATUS_OK;
}

static et_status load_methods(et_java_model *model, et_error *error) {
  const et_java_spec *spec = &model->spec;
  et_method_options options = {.backend_options = model->options.backends};
  options.backend_options_count = model->options.backend_count;
  options.max_steps = model->options.max_steps;
  if (model->pool != NULL) {
    options.parallel = &model->pool->parallel;
  }
  if (model->options.has_seed) {
    model->random = et_random_seeded(model->options.seed);
    options.random = &model->random;
  }
  ET_RETURN_IF_ERROR(check_memory(model, &options, error));
  for (size_t i = 0; i < spec->method_count; i++) {
    const char *name = spec->methods[i].name;
    const et_hosted_method *owner = find_owner(model, i);
    et_hosted_method *hosted = &model->methods[i].hosted;
    const et_status status =
        owner == NULL
            ? et_hosted_method_load(&model->program, name, spec->registry,
                                    &options, hosted, error)
            : et_hosted_method_load_sharing(
                  &model->program, name, spec->registry, &options, owner,
                  spec->methods[i].shared_memory_id, hosted, error);
    ET_RETURN_IF_ERROR(status);
  }
  return ET_STATUS_OK;
}

static et_status load(et_java_model *model, int64_t selected,
                      size_t frame_bytes, et_error *error) {
  ET_RETURN_IF_ERROR(et_java_open_program(model, error));
  if (model->spec.methods == NULL && selected >= 0) {
    ET_RETURN_IF_ERROR(select_method(model, selected, error));
  }
  ET_RETURN_IF_ERROR(divide_frame(model, frame_bytes, error));
  ET_RETURN_IF_ERROR(start_threads(model, error));
  return load_methods(model, error);
}

static void free_options(et_java_options *options) {
  for (size_t i = 0; i < options->text_count; i++) {
    free(options->texts[i]);
  }
  free(options->texts);
  free(options->options);
  free(options->backends);
}

void et_java_discard(et_java_file files[2], et_java_options *options) {
  free(files[0].path);
  free(files[1].path);
  free_options(options);
}

et_status et_java_model_create(const et_java_spec *spec, int64_t selected,
                               et_java_frame *frame, size_t frame_bytes,
                               const et_java_file files[2],
                               const et_java_options *options,
                               et_java_model **out_model, et_error *error) {
  static const et_java_model none = {.frame = NULL};
  et_java_model model = none;
  model.spec = *spec;
  if (spec->methods == NULL) {
    model.spec.method_count = selected >= 0;
    model.spec.has_weights = files[1].path != NULL || files[1].bytes.size > 0;
  }
  model.frame = frame;
  model.files[0] = files[0];
  model.files[1] = files[1];
  model.options = *options;
  et_java_model *created = malloc(sizeof *created);
  et_java_loaded *methods =
      calloc(model.spec.method_count + 1, sizeof *methods);
  *out_model = NULL;
  if (created == NULL) {
    free(methods);
    et_java_discard(model.files, &model.options);
    return fail_heap(error);
  }
  *created = model;
  created->methods = methods;
  const et_status status = methods == NULL
                               ? fail_heap(error)
                               : load(created, selected, frame_bytes, error);
  if (status != ET_STATUS_OK) {
    et_java_model_free(created);
    return status;
  }
  *out_model = created;
  return ET_STATUS_OK;
}

static void free_methods(et_java_model *model) {
  /* Methods that share a buffer follow the owner of the buffer. */
  for (size_t i = model->spec.method_count; i-- > 0;) {
    et_java_loaded *loaded = &model->methods[i];
    et_hosted_method_free(&loaded->hosted);
    for (size_t k = 0; loaded->inputs != NULL && k < loaded->input_count; k++) {
      free(loaded->inputs[k].data);
    }
    free(loaded->inputs);
  }
  free(model->methods);
}

void et_java_model_free(et_java_model *model) {
  if (model == NULL) {
    return;
  }
  if (model->methods != NULL) {
    free_methods(model);
  }
  if (model->pool != NULL) {
    et_cpu_pool_destroy(model->pool);
    free(model->pool);
  }
  for (size_t i = 0; i < 2; i++) {
    et_file_close(&model->mapped[i]);
  }
  et_java_discard(model->files, &model->options);
  free(model->selected_name);
  free(model);
}

void *et_java_input_memory(et_java_input *input) {
  if (input->data == NULL) {
    const size_t alignment = ET_MEMORY_ALIGNMENT;
    const size_t blocks = input->capacity / alignment + 1;
    input->data = blocks > SIZE_MAX / alignment
                      ? NULL
                      : aligned_alloc(alignment, blocks * alignment);
  }
  return input->data;
}

static void describe_tensor(const et_tensor *tensor, et_java_slot *slot) {
  slot->dtype = (int64_t)tensor->dtype;
  slot->count = (int64_t)tensor->numel;
  slot->rank = tensor->rank;
  for (size_t i = 0; i < tensor->rank; i++) {
    slot->sizes[i] = tensor->sizes[i];
  }
}

et_status et_java_describe_outputs(et_java_loaded *method, et_error *error) {
  for (size_t i = 0; i < method->output_count; i++) {
    et_java_slot *slot = &method->slots[method->input_count + i];
    const et_value *value = NULL;
    ET_RETURN_IF_ERROR(
        et_method_get_output(method->hosted.method, i, &value, error));
    slot->kind = (int64_t)value->tag;
    switch (value->tag) {
      case ET_VALUE_TENSOR:
        describe_tensor(value->u.as_tensor, slot);
        break;
      case ET_VALUE_INT:
        slot->value = value->u.as_int;
        break;
      case ET_VALUE_BOOL:
        slot->value = value->u.as_bool;
        break;
      case ET_VALUE_DOUBLE:
        memcpy(&slot->value, &value->u.as_double, sizeof slot->value);
        break;
      case ET_VALUE_STRING:
        slot->count = (int64_t)value->u.as_string.size;
        break;
      default:
        break;
    }
  }
  return ET_STATUS_OK;
}
