#include "bindings/web/wasm/instance.h"

#include <stdlib.h>
#include <string.h>

#include "executorch/hosted_method.h"
#include "executorch/program.h"
#include "executorch/random.h"
#include "executorch/status.h"
#include "runtime/core/sha256.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { MAX_BACKENDS = 8, MAX_OPTIONS = 32 };

/* A loaded method: its inputs, then its outputs. */
typedef struct loaded_method {
  et_hosted_method hosted;
  const char *name;
  uint32_t shared_memory_id;
  et_web_slot *slots;
  size_t input_count;
  size_t output_count;
} loaded_method;

static et_error error;
static et_span files[2]; /* program, weights */
static et_extent extents[2];
static et_data_source sources[2];
static et_program program;
static et_random random_state;
static et_backend_options backends[MAX_BACKENDS];
static et_backend_option backend_options[MAX_OPTIONS];
static size_t backend_option_count;
static et_method_options options;
static loaded_method *methods;
static size_t method_count;

static et_status fail_memory(void) {
  return et_fail(&error, ET_STATUS_MEMORY_TOO_SMALL,
                 "out of WebAssembly memory; use a smaller model");
}

/* ---- Preparation: files and options ---- */

EXPORT(allocate) void *et_web_allocate(size_t size) {
  const size_t alignment = ET_MEMORY_ALIGNMENT;
  const size_t blocks = size / alignment + 1;
  return blocks > SIZE_MAX / alignment
             ? NULL
             : aligned_alloc(alignment, blocks * alignment);
}

/* Returns the SHA-256 of bytes, which is valid until the next call. */
EXPORT(hash) const uint8_t *et_web_hash(const uint8_t *data, size_t size) {
  static uint8_t digest[ET_SHA256_BYTES];
  et_sha256 hash;
  et_sha256_start(&hash);
  et_sha256_add(&hash, data, size);
  et_sha256_finish(&hash, digest);
  return digest;
}

/* Passes a file: 0 is the program, 1 the weights. */
EXPORT(set_file)
void et_web_set_file(size_t index, const uint8_t *data, size_t size) {
  files[index % 2].data = data;
  files[index % 2].size = size;
}

EXPORT(set_seed) void et_web_set_seed(uint64_t seed) {
  random_state = et_random_seeded(seed);
  options.random = &random_state;
}

EXPORT(set_max_steps) void et_web_set_max_steps(uint64_t steps) {
  options.max_steps = steps;
}

void et_web_set_parallel(const et_parallel *parallel) {
  options.parallel = parallel;
}

/* Adds an option of a backend. Options of one backend are adjacent. The texts end
 * with a NUL, and are borrowed. */
EXPORT(add_option)
et_status et_web_add_option(const char *backend, const char *key, int32_t tag,
                            int64_t bits, const char *text) {
  const size_t count = options.backend_options_count;
  const bool is_new =
      count == 0 || strcmp(backends[count - 1].id, backend) != 0;
  et_error_clear(&error);
  if (backend_option_count == MAX_OPTIONS ||
      (is_new && count == MAX_BACKENDS)) {
    return et_fail(&error, ET_STATUS_OUT_OF_RESOURCES,
                   "more than %d options, or options of more than %d backends",
                   (int)MAX_OPTIONS, (int)MAX_BACKENDS);
  }
  et_backend_option *option = &backend_options[backend_option_count++];
  option->key = key;
  option->value.tag = (et_value_tag)tag;
  option->value.u.as_int = bits;
  if (option->value.tag == ET_VALUE_STRING) {
    option->value.u.as_string.data = text;
    option->value.u.as_string.size = strlen(text);
  } else if (option->value.tag == ET_VALUE_BOOL) {
    option->value.u.as_bool = bits != 0;
  } else if (option->value.tag == ET_VALUE_DOUBLE) {
    memcpy(&option->value.u.as_double, &bits, sizeof bits);
  }
  if (is_new) {
    backends[count].id = backend;
    backends[count].options = option;
    options.backend_options = backends;
    options.backend_options_count++;
  }
  backends[options.backend_options_count - 1].count++;
  return ET_STATUS_OK;
}

/* ---- Loading ---- */

static et_status open_program(const et_web_spec *spec) {
  static const char *const names[2] = {"program", "weights"};
  const bool has_weights =
      spec == NULL ? files[1].data != NULL : spec->has_weights;
  if (spec != NULL && spec->program.size > 0) {
    files[0] = spec->program;
  }
  if (spec != NULL && spec->weights.size > 0) {
    files[1] = spec->weights;
  }
  if (!has_weights) {
    return et_program_load(files[0], &program, &error);
  }
  for (size_t i = 0; i < 2; i++) {
    extents[i].bytes = files[i];
    sources[i].name = names[i];
    sources[i].size = files[i].size;
    sources[i].extents = &extents[i];
    sources[i].extent_count = 1;
  }
  ET_RETURN_IF_ERROR(et_program_load_sources(sources, 2, &program, &error));
  return spec == NULL ? et_program_check_contents(&program, &error)
                      : ET_STATUS_OK;
}

/* Copies the name of a method, which has no NUL in the file. */
static et_status copy_name(size_t index, const char **out_name) {
  et_string name;
  const et_status status = et_program_method_name(&program, index, &name);
  if (status != ET_STATUS_OK) {
    return et_fail(&error, status, "methods[%zu] has no name", index);
  }
  char *copy = malloc(name.size + 1);
  if (copy == NULL) {
    return fail_memory();
  }
  memcpy(copy, name.data, name.size);
  copy[name.size] = '\0';
  *out_name = copy;
  return ET_STATUS_OK;
}

static et_status list_methods(const et_web_spec *spec) {
  const size_t count =
      spec == NULL ? et_program_method_count(&program) : spec->method_count;
  methods = calloc(count + 1, sizeof *methods);
  if (methods == NULL) {
    return fail_memory();
  }
  for (size_t i = 0; i < count; i++) {
    if (spec == NULL) {
      ET_RETURN_IF_ERROR(copy_name(i, &methods[i].name));
    } else {
      methods[i].name = spec->methods[i].name;
      methods[i].shared_memory_id = spec->methods[i].shared_memory_id;
    }
  }
  method_count = count;
  return ET_STATUS_OK;
}

static void describe(const et_value_meta *meta, et_web_slot *slot) {
  slot->tag = (int32_t)meta->tag;
  slot->is_argument = meta->tag == ET_VALUE_TENSOR || meta->step != 0;
  slot->min = meta->min;
  slot->max = meta->max;
  slot->step = meta->step;
  if (meta->tag != ET_VALUE_TENSOR) {
    return;
  }
  slot->dtype = (int32_t)meta->dtype;
  slot->capacity = (uint32_t)meta->nbytes;
  slot->is_dynamic = meta->dynamism != ET_SHAPE_STATIC;
  slot->rank = meta->rank;
  for (size_t i = 0; i < meta->rank; i++) {
    slot->sizes[i] = meta->sizes[i];
    slot->min_sizes[i] = meta->min_sizes[i];
    slot->size_steps[i] = meta->size_steps[i];
    slot->dim_order[i] = meta->dim_order[i];
  }
}

/* Allocates and fills the slots of a method. Computes the bytes of its inputs. */
static et_status describe_method(loaded_method *method, size_t *out_bytes) {
  et_method_meta meta;
  et_value_meta value;
  ET_RETURN_IF_ERROR(
      et_program_method_meta(&program, method->name, &meta, &error));
  method->input_count = et_method_meta_input_count(&meta);
  method->output_count = et_method_meta_output_count(&meta);
  const size_t count = method->input_count + method->output_count;
  method->slots = calloc(count + 1, sizeof *method->slots);
  if (method->slots == NULL) {
    return fail_memory();
  }
  *out_bytes = 0;
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(i < method->input_count
                           ? et_method_meta_input(&meta, i, &value, &error)
                           : et_method_meta_output(&meta,
                                                   i - method->input_count,
                                                   &value, &error));
    describe(&value, &method->slots[i]);
    if (i < method->input_count && value.tag == ET_VALUE_TENSOR) {
      const size_t rest = SIZE_MAX - *out_bytes;
      if (rest < ET_MEMORY_ALIGNMENT ||
          value.nbytes > rest - ET_MEMORY_ALIGNMENT) {
        return fail_memory();
      }
      *out_bytes += value.nbytes;
      *out_bytes += (0 - *out_bytes) % ET_MEMORY_ALIGNMENT;
    }
  }
  return ET_STATUS_OK;
}

/* Allocates memory for the inputs of one call. All methods share it. */
static et_status allocate_inputs(void) {
  size_t bytes = 0;
  for (size_t i = 0; i < method_count; i++) {
    size_t needed = 0;
    ET_RETURN_IF_ERROR(describe_method(&methods[i], &needed));
    bytes = needed > bytes ? needed : bytes;
  }
  uint8_t *memory = et_web_allocate(bytes);
  if (memory == NULL) {
    return fail_memory();
  }
  for (size_t i = 0; i < method_count; i++) {
    size_t used = 0;
    for (size_t k = 0; k < methods[i].input_count; k++) {
      et_web_slot *slot = &methods[i].slots[k];
      slot->data = (uint32_t)(uintptr_t)(memory + used);
      used += slot->capacity;
      used += (0 - used) % ET_MEMORY_ALIGNMENT;
    }
  }
  return ET_STATUS_OK;
}

/* Returns the first method that has the same shared buffer, or NULL. */
static const et_hosted_method *find_owner(size_t index) {
  const uint32_t id = methods[index].shared_memory_id;
  for (size_t i = 0; id != 0 && i < index; i++) {
    if (methods[i].shared_memory_id == id) {
      return &methods[i].hosted;
    }
  }
  return NULL;
}

static et_status load_methods(const et_registry *registry) {
  for (size_t i = 0; i < method_count; i++) {
    loaded_method *method = &methods[i];
    const et_hosted_method *owner = find_owner(i);
    ET_RETURN_IF_ERROR(
        owner == NULL ? et_hosted_method_load(&program, method->name, registry,
                                              &options, &method->hosted, &error)
                      : et_hosted_method_load_sharing(
                            &program, method->name, registry, &options, owner,
                            method->shared_memory_id, &method->hosted, &error));
  }
  return ET_STATUS_OK;
}

static et_status load(const et_web_spec *spec) {
  ET_RETURN_IF_ERROR(open_program(spec));
  ET_RETURN_IF_ERROR(list_methods(spec));
  ET_RETURN_IF_ERROR(allocate_inputs());
  return load_methods(spec == NULL ? &et_linked_registry : spec->registry);
}

/* Loads model `index` of the library. */
EXPORT(load_model) et_status et_web_load_model(size_t index, int64_t expected) {
  et_error_clear(&error);
  if (index >= et_web_spec_count || et_web_specs[index].digest != expected) {
    return et_fail(&error, ET_STATUS_INVALID_STATE,
                   "the .wasm file differs from the JavaScript module; deploy "
                   "files of the same build");
  }
  return load(&et_web_specs[index]);
}

/* Loads any program, with the linked kernels. */
EXPORT(load_program) et_status et_web_load_program(void) {
  et_error_clear(&error);
  return load(NULL);
}

/* ---- Properties ---- */

EXPORT(message) const char *et_web_message(void) { return error.message; }

EXPORT(status_name) const char *et_web_status_name(et_status status) {
  return et_status_name(status);
}

EXPORT(method_count) size_t et_web_method_count(void) { return method_count; }

EXPORT(method_name) const char *et_web_method_name(size_t method) {
  return methods[method].name;
}

EXPORT(input_count) size_t et_web_input_count(size_t method) {
  return methods[method].input_count;
}

EXPORT(output_count) size_t et_web_output_count(size_t method) {
  return methods[method].output_count;
}

EXPORT(slots) et_web_slot *et_web_slots(size_t method) {
  return methods[method].slots;
}

/* ---- Runs ---- */

static et_status set_input(const loaded_method *method, size_t index) {
  const et_web_slot *slot = &method->slots[index];
  if (!slot->is_argument) {
    return ET_STATUS_OK;
  }
  if (slot->tag == ET_VALUE_INT) {
    const et_value value = {.tag = ET_VALUE_INT, .u = {.as_int = slot->value}};
    return et_method_set_scalar_input(method->hosted.method, index, &value,
                                      &error);
  }
  return et_method_set_input(
      method->hosted.method, index, (et_scalar_type)slot->dtype, slot->sizes,
      (size_t)slot->rank, (const void *)(uintptr_t)slot->data, slot->nbytes,
      &error);
}

/* Bytes other than 0 and 1 are not booleans. */
static et_status check_booleans(const et_tensor *tensor, size_t index) {
  const uint8_t *bytes = tensor->data;
  uint8_t all = 0;
  for (size_t i = 0; i < tensor->numel; i++) {
    all |= bytes[i];
  }
  return all <= 1 ? ET_STATUS_OK
                  : et_fail(&error, ET_STATUS_INVALID_PROGRAM,
                            "outputs[%zu] has bytes other than 0 and 1, so it "
                            "is not a bool tensor",
                            index);
}

static et_status read_output(const loaded_method *method, size_t index) {
  et_web_slot *slot = &method->slots[method->input_count + index];
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(
      et_method_get_output(method->hosted.method, index, &value, &error));
  slot->tag = (int32_t)value->tag;
  switch (value->tag) {
    case ET_VALUE_TENSOR: {
      const et_tensor *tensor = value->u.as_tensor;
      slot->dtype = (int32_t)tensor->dtype;
      slot->data = (uint32_t)(uintptr_t)tensor->data;
      slot->nbytes = (uint32_t)et_tensor_nbytes(tensor);
      slot->rank = tensor->rank;
      for (size_t i = 0; i < tensor->rank; i++) {
        slot->sizes[i] = tensor->sizes[i];
        slot->dim_order[i] = tensor->dim_order[i];
      }
      return tensor->dtype == ET_SCALAR_TYPE_BOOL
                 ? check_booleans(tensor, index)
                 : ET_STATUS_OK;
    }
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
      slot->data = (uint32_t)(uintptr_t)value->u.as_string.data;
      slot->nbytes = (uint32_t)value->u.as_string.size;
      break;
    default:
      break;
  }
  return ET_STATUS_OK;
}

/* Runs a method with the inputs in its slots, and writes its outputs to them. */
EXPORT(run) et_status et_web_run(size_t index) {
  const loaded_method *method = &methods[index];
  et_error_clear(&error);
  for (size_t i = 0; i < method->input_count; i++) {
    ET_RETURN_IF_ERROR(set_input(method, i));
  }
  ET_RETURN_IF_ERROR(et_method_execute(method->hosted.method, &error));
  for (size_t i = 0; i < method->output_count; i++) {
    ET_RETURN_IF_ERROR(read_output(method, i));
  }
  return ET_STATUS_OK;
}

/* Resets the mutable buffers of all methods to their initial values. */
EXPORT(reset) void et_web_reset(void) {
  for (size_t i = 0; i < method_count; i++) {
    et_method_reset_state(methods[i].hosted.method);
  }
}
