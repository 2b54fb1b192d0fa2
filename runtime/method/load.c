#include <string.h>

#include "executorch/method.h"
#include "runtime/core/error.h"
#include "runtime/core/noinline.h"
#include "runtime/method/builder.h"
#include "runtime/method/optional_parts.h"
#include "runtime/method/plan_check.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_status start_builder(const et_program *program, const char *name,
                               const et_registry *registry,
                               const et_method_options *options,
                               et_error *error, et_builder *out_builder) {
  et_method_meta meta;
  ET_RETURN_IF_ERROR(et_program_method_meta(program, name, &meta, error));
  memset(out_builder, 0, sizeof *out_builder);
  out_builder->program = program;
  out_builder->registry = registry;
  out_builder->options = options;
  out_builder->arena = et_arena_measuring();
  out_builder->error = error;
  out_builder->plan = et_fb_table_at(program->flatbuffer, meta.plan);
  out_builder->values = et_tables_vector(out_builder->plan, ET_PLAN_VALUES);
  et_count(out_builder->plan, out_builder->values, &out_builder->counts);
  return ET_STATUS_OK;
}

et_status et_method_data_bytes(const et_program *program, const char *name,
                               size_t *out_bytes, et_error *out_error) {
  et_builder builder;
  ET_RETURN_IF_ERROR(
      start_builder(program, name, NULL, NULL, out_error, &builder));
  return et_advise_load(out_error, et_data_measure(&builder, out_bytes));
}

/* Without delegation in the registry, the method has no delegates
 * (et_build_resolve). */
static ET_NOINLINE et_status measure_delegates(et_builder *builder,
                                               et_method_requirements *out) {
  const struct et_delegation *delegation = builder->registry->delegation;
  return delegation != NULL ? delegation->measure(builder, out) : ET_STATUS_OK;
}

/* Measures the regions, followed by the larger of the plan check's workspace
 * and the handles and states. */
static et_status measure(et_builder *builder,
                         et_method_requirements *out_requirements) {
  size_t with_check = 0;
  ET_RETURN_IF_ERROR(et_build_resolve(builder));
  ET_RETURN_IF_ERROR(et_build_reserve(builder, &with_check));
  const et_method_requirements none = {0};
  *out_requirements = none;
  ET_RETURN_IF_ERROR(et_data_build(builder, &out_requirements->data_bytes));
  ET_RETURN_IF_ERROR(measure_delegates(builder, out_requirements));
  ET_RETURN_IF_ERROR(et_build_calls(builder, &out_requirements->scratch_bytes));
  const size_t prepared = builder->arena.used;
  out_requirements->method_bytes =
      with_check > prepared ? with_check : prepared;
  out_requirements->planned_count = builder->counts.planned_buffers;
  return ET_STATUS_OK;
}

et_status et_method_measure(const et_program *program, const char *name,
                            const et_registry *registry,
                            const et_method_options *options,
                            et_method_requirements *out_requirements,
                            et_error *out_error) {
  et_builder builder;
  ET_RETURN_IF_ERROR(
      start_builder(program, name, registry, options, out_error, &builder));
  return et_advise_load(out_error, measure(&builder, out_requirements));
}

static bool disjoint(const et_mutable_span *a, const et_mutable_span *b) {
  const uintptr_t a_begin = (uintptr_t)a->data;
  const uintptr_t b_begin = (uintptr_t)b->data;
  return a->size == 0 || b->size == 0 || a_begin >= b_begin + b->size ||
         b_begin >= a_begin + a->size;
}

/* Returns true if the buffer does not overlap `method`, `scratch` or the first
 * planned buffers. */
static bool is_apart(const et_method_memory *memory,
                     const et_mutable_span *buffer, size_t planned_count) {
  bool apart =
      disjoint(buffer, &memory->method) && disjoint(buffer, &memory->scratch);
  for (size_t i = 0; i < planned_count; i++) {
    apart = apart && disjoint(buffer, &memory->planned[i].bytes);
  }
  return apart;
}

/* Runs before data is read into the buffer. */
static et_status check_data(const et_method_memory *memory, et_error *error) {
  const size_t count = memory->planned != NULL ? memory->planned_count : 0;
  return is_apart(memory, &memory->data, count)
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "memory.data overlaps another buffer; separate them");
}

static et_status check_disjoint(const et_method_memory *memory, size_t index,
                                et_error *error) {
  return is_apart(memory, &memory->planned[index].bytes, index)
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "memory.planned[%zu] overlaps another buffer; separate "
                       "them",
                       index);
}

static et_status check_planned(const et_builder *builder,
                               const et_method_memory *memory) {
  const size_t count = builder->counts.planned_buffers;
  const size_t given = memory->planned != NULL ? memory->planned_count : 0;
  if (given < count) {
    return et_fail(builder->error, ET_STATUS_MEMORY_TOO_SMALL,
                   "memory.planned has %zu buffers, but needs %zu; see "
                   "et_method_requirements.planned_count",
                   given, count);
  }
  for (size_t i = 0; i < count; i++) {
    const int64_t needed = et_tables_planned_bytes(builder->plan, (uint32_t)i);
    ET_RETURN_IF_ERROR(et_build_check_buffer(builder, &memory->planned[i].bytes,
                                             (size_t)needed));
    ET_RETURN_IF_ERROR(check_disjoint(memory, i, builder->error));
  }
  return ET_STATUS_OK;
}

static et_status check_memory(const et_builder *builder,
                              const et_method_requirements *needed) {
  const et_method_memory *memory = builder->memory;
  ET_RETURN_IF_ERROR(
      et_build_check_buffer(builder, &memory->method, needed->method_bytes));
  ET_RETURN_IF_ERROR(
      et_build_check_buffer(builder, &memory->scratch, needed->scratch_bytes));
  if (!disjoint(&memory->method, &memory->scratch)) {
    return et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                   "memory.scratch overlaps memory.method; separate them");
  }
  return check_planned(builder, memory);
}

static void fill_method(const et_builder *builder) {
  const et_regions *regions = &builder->regions;
  const et_counts *counts = &builder->counts;
  const et_method_options *options = builder->options;
  et_method *method = regions->method;
  memset(method, 0, sizeof *method);
  method->program = *builder->program;
  method->data = builder->data;
  method->scratch = builder->memory->scratch;
  if (options != NULL) {
    method->parallel = options->parallel;
    method->observer = options->observer;
    method->random = options->random;
    method->max_steps = options->max_steps;
  }
  if (method->max_steps == 0) {
    method->max_steps = ET_DEFAULT_MAX_STEPS;
  }
  method->values = regions->values;
  method->instructions = regions->instructions;
  method->delegates = regions->delegates;
  method->delegation = builder->registry->delegation;
  method->branching = builder->registry->branching;
  method->inputs = regions->io_slots;
  method->outputs = regions->io_slots + counts->inputs;
  method->plan = builder->plan;
  method->value_count = (uint32_t)counts->values;
  method->instruction_count = (uint32_t)counts->instructions;
  method->delegate_count = (uint32_t)counts->delegates;
  method->input_count = (uint32_t)counts->inputs;
  method->output_count = (uint32_t)counts->outputs;
}

/* The steps that need cleanup on failure are last. */
static et_status build_callees(et_builder *builder) {
  size_t scratch = 0;
  const struct et_delegation *delegation = builder->registry->delegation;
  if (delegation != NULL) {
    ET_RETURN_IF_ERROR(delegation->build(builder));
  }
  const et_status status = et_build_calls(builder, &scratch);
  if (status != ET_STATUS_OK) {
    et_destroy_delegates(builder->regions.method);
  }
  return status;
}

static ET_NOINLINE et_status build(et_builder *builder) {
  et_method_requirements needed = {0};
  builder->arena = et_arena_over(builder->memory->method);
  size_t with_check = 0;
  ET_RETURN_IF_ERROR(et_build_reserve(builder, &with_check));
  fill_method(builder);
  ET_RETURN_IF_ERROR(et_build_values(builder));
  ET_RETURN_IF_ERROR(measure_delegates(builder, &needed));
  ET_RETURN_IF_ERROR(et_build_instructions(builder));
  ET_RETURN_IF_ERROR(et_build_io(builder));
  ET_RETURN_IF_ERROR(et_plan_check_run(builder));
  ET_RETURN_IF_ERROR(et_build_state(builder));
  ET_RETURN_IF_ERROR(build_callees(builder));
  if (builder->regions.method->views != NULL) {
    builder->regions.method->views->reset(builder->regions.method);
  }
  return ET_STATUS_OK;
}

static et_status load(et_builder *builder, const et_method_memory *memory) {
  et_method_requirements needed;
  builder->memory = memory;
  ET_RETURN_IF_ERROR(check_data(memory, builder->error));
  ET_RETURN_IF_ERROR(measure(builder, &needed));
  ET_RETURN_IF_ERROR(check_memory(builder, &needed));
  return build(builder);
}

static void report_load(const et_method_options *options, const char *name,
                        const et_status *ended) {
  const et_observer *observer = options != NULL ? options->observer : NULL;
  if (observer != NULL && observer->by != NULL) {
    observer->by->load(observer, name, ended);
  }
}

et_status et_method_load(const et_program *program, const char *name,
                         const et_registry *registry,
                         const et_method_options *options,
                         const et_method_memory *memory, et_method **out_method,
                         et_error *out_error) {
  et_builder builder;
  ET_RETURN_IF_ERROR(
      start_builder(program, name, registry, options, out_error, &builder));
  report_load(options, name, NULL);
  const et_status status = et_advise_load(out_error, load(&builder, memory));
  report_load(options, name, &status);
  if (status == ET_STATUS_OK) {
    *out_method = builder.regions.method;
  }
  return status;
}

void et_method_unload(et_method *method) {
  if (method != NULL) {
    et_destroy_delegates(method);
  }
}
