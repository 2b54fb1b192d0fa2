#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/builder.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/external.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Adds the delegate's index and backend id to the backend's message. */
static et_status fail_delegate(const et_builder *builder, uint32_t index,
                               const et_backend *backend, et_status status,
                               const et_error *reason) {
  return et_fail_because(builder->error, status, reason,
                         "delegates[%u] %s: ", (unsigned)index, backend->id);
}

static et_status fail_missing(et_string key, et_error *error) {
  char name[ET_LIMIT_NAME_BYTES + 1];
  const size_t size = key.size < sizeof name ? key.size : sizeof name - 1;
  memcpy(name, key.data, size);
  name[size] = '\0';
  return et_fail(error, ET_STATUS_NOT_FOUND,
                 "the program does not have named data '%s'", name);
}

static et_status find_data(const et_backend_context *context, et_string key,
                           et_span *out_bytes, et_error *error) {
  const et_builder *builder = context->data_context;
  et_piece piece;
  return et_tables_named_data(builder->program, key, &piece) ||
                 et_external_bytes(builder->program, key, &piece)
             ? et_data_get(builder->program, &builder->data, piece, out_bytes,
                           error)
             : fail_missing(key, error);
}

/* Copies the compile specs to `specs`, which has enough entries. */
static void fill_specs(et_fb_vector tables, et_compile_spec *specs) {
  for (uint32_t i = 0; i < et_fb_count(tables); i++) {
    const et_fb_table spec = et_fb_child_at(tables, i);
    specs[i].key = et_fb_text(spec, ET_SPEC_KEY);
    specs[i].value = et_fb_bytes(spec, ET_SPEC_VALUE);
  }
}

static void add_options(const et_method_options *options, const char *id,
                        et_backend_context *context) {
  context->store = options->store;
  context->parallel = options->parallel;
  context->observer = options->observer;
  for (size_t i = 0; i < options->backend_options_count; i++) {
    if (strcmp(options->backend_options[i].id, id) == 0) {
      context->options = options->backend_options[i].options;
      context->option_count = options->backend_options[i].count;
    }
  }
}

static void add_parts(const et_registry *registry, const et_backend *backend,
                      et_backend_context *context) {
  for (size_t i = 0; registry->parts != NULL && i < registry->backend_count;
       i++) {
    if (registry->backends[i] == backend) {
      context->parts = registry->parts[i].items;
      context->part_count = registry->parts[i].count;
    }
  }
}

/* Collects the inputs of delegate `index` for its backend. */
static et_backend_context make_context(const et_builder *builder,
                                       uint32_t index,
                                       const et_backend *backend,
                                       et_compile_spec *specs,
                                       et_error *error) {
  const et_fb_vector delegates =
      et_tables_vector(builder->plan, ET_PLAN_DELEGATES);
  const et_fb_table delegate = et_fb_child_at(delegates, index);
  const et_fb_vector tables = et_tables_vector(delegate, ET_DELEGATE_SPECS);
  et_backend_context context = {
      .size = sizeof context,
      .specs = specs,
      .spec_count = et_fb_count(tables),
      .method_name = et_fb_text(builder->plan, ET_PLAN_NAME).data,
      .find_data = find_data,
      .data_context = builder,
      .error = error,
  };
  et_piece payload = {0, 0};
  et_tables_payload(builder->program, delegate, &payload);
  context.payload.data =
      et_data_find(builder->program, &builder->data, &payload);
  context.payload.size = payload.size;
  fill_specs(tables, specs);
  add_parts(builder->registry, backend, &context);
  if (builder->options != NULL) {
    add_options(builder->options, backend->id, &context);
  }
  return context;
}

/* Returns the linked backend of delegate `index` of the plan, or NULL. */
static const et_backend *find_backend(const et_builder *builder,
                                      uint32_t index) {
  const et_fb_vector delegates =
      et_tables_vector(builder->plan, ET_PLAN_DELEGATES);
  const et_fb_table delegate = et_fb_child_at(delegates, index);
  const et_string id = et_fb_text(delegate, ET_DELEGATE_ID);
  for (size_t i = 0; i < builder->registry->backend_count; i++) {
    const et_backend *backend = builder->registry->backends[i];
    if (strcmp(backend->id, id.data) == 0) {
      return backend;
    }
  }
  return NULL;
}

static bool is_linked(const et_builder *builder, uint32_t index) {
  return find_backend(builder, index) != NULL;
}

/* Measures delegate `index`. Its specs are on the stack during the call. */
static et_status measure_delegate(const et_builder *builder, uint32_t index,
                                  const et_backend *backend,
                                  et_backend_requirements *out) {
  et_compile_spec specs[ET_LIMIT_COMPILE_SPECS];
  et_error reason;
  et_error_clear(&reason);
  const et_backend_context context =
      make_context(builder, index, backend, specs, &reason);
  memset(out, 0, sizeof *out);
  const et_status status = backend->measure(&context, out);
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : fail_delegate(builder, index, backend, status, &reason);
}

static et_status add_requirements(const et_builder *builder, uint32_t index,
                                  const et_backend_requirements *needed,
                                  et_method_requirements *sum) {
  if (needed->scratch_bytes > sum->scratch_bytes) {
    sum->scratch_bytes = needed->scratch_bytes;
  }
  if (needed->output_count > ET_LIMIT_CALL_ARGS ||
      needed->updated_count > ET_LIMIT_CALL_ARGS ||
      !et_checked_add(sum->shared_bytes, needed->shared_bytes,
                      &sum->shared_bytes)) {
    return et_fail(builder->error, ET_STATUS_OUT_OF_RESOURCES,
                   "delegates[%u]: %zu outputs, %zu updated tensors or %zu "
                   "shared bytes exceed the limit",
                   (unsigned)index, needed->output_count, needed->updated_count,
                   needed->shared_bytes);
  }
  return ET_STATUS_OK;
}

/* Allocates the handle, or counts its size while measuring. Records the
 * requirements if regions exist. */
static et_status note_delegate(et_builder *builder, uint32_t index,
                               const et_backend *backend,
                               const et_backend_requirements *needed) {
  et_arena arena;
  if (builder->regions.delegates != NULL) {
    const et_delegate delegate = {
        .backend = backend,
        .handle_bytes = needed->handle_bytes,
        .output_count = (uint32_t)needed->output_count,
        .updated_count = (uint32_t)needed->updated_count,
    };
    builder->regions.delegates[index] = delegate;
    return ET_STATUS_OK;
  }
  return et_build_take_memory(builder, needed->handle_bytes, &arena)
             ? ET_STATUS_OK
             : et_fail(builder->error, ET_STATUS_OUT_OF_RESOURCES,
                       "delegates[%u] %s: the handle's %zu bytes do not fit in "
                       "memory.method",
                       (unsigned)index, backend->id, needed->handle_bytes);
}

static et_status measure(et_builder *builder, et_method_requirements *out) {
  for (uint32_t i = 0; i < builder->counts.delegates; i++) {
    const et_backend *backend = find_backend(builder, i);
    et_backend_requirements needed;
    ET_RETURN_IF_ERROR(measure_delegate(builder, i, backend, &needed));
    ET_RETURN_IF_ERROR(add_requirements(builder, i, &needed, out));
    ET_RETURN_IF_ERROR(note_delegate(builder, i, backend, &needed));
  }
  return ET_STATUS_OK;
}

/* Builds delegate `index`, and advances *specs past its specs. */
static et_status init_delegate(et_builder *builder, uint32_t index,
                               et_compile_spec **specs) {
  et_delegate *delegate = &builder->regions.delegates[index];
  et_arena arena;
  et_error reason;
  et_error_clear(&reason);
  et_backend_context context =
      make_context(builder, index, delegate->backend, *specs, &reason);
  *specs += context.spec_count;
  if (!et_build_take_memory(builder, delegate->handle_bytes, &arena)) {
    return et_fail(
        builder->error, ET_STATUS_INTERNAL,
        "delegates[%u] %s: the handle's size differs from the measured size",
        (unsigned)index, delegate->backend->id);
  }
  context.arena = &arena;
  const et_status status = delegate->backend->init(&context, &delegate->handle);
  delegate->is_built = status == ET_STATUS_OK;
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : fail_delegate(builder, index, delegate->backend, status,
                             &reason);
}

static et_status init_all(et_builder *builder) {
  et_compile_spec *specs = builder->regions.specs;
  for (uint32_t i = 0; i < builder->counts.delegates; i++) {
    ET_RETURN_IF_ERROR(init_delegate(builder, i, &specs));
  }
  return ET_STATUS_OK;
}

static void destroy(const et_method *method) {
  for (uint32_t i = 0; i < method->delegate_count; i++) {
    et_delegate *delegate = &method->delegates[i];
    if (delegate->is_built && delegate->backend->destroy != NULL) {
      delegate->backend->destroy(delegate->handle);
    }
    delegate->is_built = false;
  }
}

static et_status build(et_builder *builder) {
  const et_status status = init_all(builder);
  if (status != ET_STATUS_OK) {
    destroy(builder->regions.method);
  }
  return status;
}

static et_status fill(const et_builder *builder, const et_walk *walk) {
  const uint32_t index = walk->index;
  et_instruction *call = &builder->regions.instructions[index];
  call->u.delegate = et_fb_u32(walk->args, ET_DELEGATE_CALL_DELEGATE);
  const et_delegate *delegate = &builder->regions.delegates[call->u.delegate];
  const uint32_t changed = delegate->output_count + delegate->updated_count;
  if (changed > call->arg_count) {
    return et_fail_program(
        builder->error,
        "instructions[%u] %s: got %u args, fewer than the %u outputs",
        (unsigned)index, delegate->backend->id, (unsigned)call->arg_count,
        (unsigned)changed);
  }
  call->output_count = (uint16_t)delegate->output_count;
  call->updated_count = (uint16_t)delegate->updated_count;
  for (uint32_t i = call->arg_count - changed; i < call->arg_count; i++) {
    if (call->args[i]->tag != ET_VALUE_TENSOR) {
      return et_fail_program(
          builder->error,
          "instructions[%u] %s: output args[%u] is not a Tensor",
          (unsigned)index, delegate->backend->id, (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status run(const et_method *method, uint32_t index, et_error *error) {
  const et_instruction *call = &method->instructions[index];
  const et_delegate *delegate = &method->delegates[call->u.delegate];
  et_error reason;
  et_error_clear(&reason);
  const et_execute_context context = {.scratch = method->scratch,
                                      .parallel = method->parallel,
                                      .observer = method->observer,
                                      .error = &reason};
  const et_status status = delegate->backend->execute(
      delegate->handle, &context, call->args, call->arg_count);
  return status == ET_STATUS_OK
             ? status
             : et_fail_because(error, status, &reason,
                               "instructions[%u] %s: ", (unsigned)index,
                               delegate->backend->id);
}

const struct et_delegation et_delegation = {is_linked, measure, fill,
                                            build,     destroy, run};
