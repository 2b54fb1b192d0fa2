#include "runtime/core/limits.h"
#include "runtime/method/builder.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Adds which delegate it is to what the backend says. */
static et_status fail_delegate(const et_builder *builder, uint32_t index,
                               const et_backend *backend, et_status status,
                               const et_error *reason) {
  return et_fail(builder->error, status, "delegates[%u] %s: %s",
                 (unsigned)index, backend->id,
                 reason->message[0] != '\0' ? reason->message
                                            : et_status_text(status));
}

/* Describes the payload, with its compile specs in `specs`, which has room. */
static et_backend_payload make_payload(const et_builder *builder,
                                       const et_fb_table *delegate,
                                       et_compile_spec *specs) {
  const et_fb_vector tables = et_tables_vector(delegate, ET_DELEGATE_SPECS);
  et_backend_payload payload = {{NULL, 0}, specs, tables.count};
  et_tables_payload(builder->program, delegate, &payload.processed);
  for (uint32_t i = 0; i < tables.count; i++) {
    const et_fb_table spec = et_fb_child_at(&tables, i);
    specs[i].key = et_fb_text(&spec, ET_SPEC_KEY);
    specs[i].value = et_fb_bytes(&spec, ET_SPEC_VALUE);
  }
  return payload;
}

static et_status init_delegate(et_builder *builder, uint32_t index,
                               et_delegate *delegate) {
  et_error reason;
  et_error_clear(&reason);
  const et_status status = delegate->backend->init(
      &delegate->payload, &builder->arena, &delegate->handle, &reason);
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : fail_delegate(builder, index, delegate->backend, status,
                             &reason);
}

et_status et_build_delegates(et_builder *builder) {
  const et_fb_vector tables =
      et_tables_vector(&builder->plan, ET_PLAN_DELEGATES);
  const bool measuring = builder->regions.delegates == NULL;
  /* Measuring has no regions: one delegate at a time lies here then. */
  et_compile_spec some_specs[ET_LIMIT_COMPILE_SPECS];
  et_delegate one;
  et_compile_spec *specs = measuring ? some_specs : builder->regions.specs;
  for (uint32_t i = 0; i < tables.count; i++) {
    const et_fb_table table = et_fb_child_at(&tables, i);
    et_delegate *delegate = measuring ? &one : &builder->regions.delegates[i];
    delegate->handle = NULL;
    delegate->backend = et_build_find_backend(builder, i);
    delegate->payload = make_payload(builder, &table, specs);
    ET_RETURN_IF_ERROR(init_delegate(builder, i, delegate));
    specs += measuring ? 0 : delegate->payload.spec_count;
  }
  return ET_STATUS_OK;
}
