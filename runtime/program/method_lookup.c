#include <string.h>

#include "executorch/program.h"
#include "runtime/core/error.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* The name is verified: it ends with NUL and has no other NUL. */
static const char *name_of(et_fb_table plan) {
  return (const char *)et_fb_first(et_fb_list(plan, ET_PLAN_NAME));
}

/* Fails with a list of the existing methods, as many as fit. */
static et_status fail_not_found(const et_program *program, const char *name,
                                et_error *error) {
  const et_fb_vector plans =
      et_tables_of_program(program, ET_PROGRAM_EXECUTION_PLAN);
  et_fail(error, ET_STATUS_NOT_FOUND,
          "method '%s' does not exist; the program has:", name);
  for (uint32_t i = 0; ET_HAS_MESSAGES && i < et_fb_count(plans); i++) {
    et_error_append(error, "%s%s",
                    i == 0 ? ET_MESSAGE_TEXT(" ") : ET_MESSAGE_TEXT(", "),
                    name_of(et_fb_child_at(plans, i)));
  }
  return ET_STATUS_NOT_FOUND;
}

et_status et_program_method_meta(const et_program *program, const char *name,
                                 et_method_meta *out_meta, et_error *error) {
  et_error_clear(error);
  const et_fb_vector plans =
      et_tables_of_program(program, ET_PROGRAM_EXECUTION_PLAN);
  for (uint32_t i = 0; i < et_fb_count(plans); i++) {
    const et_fb_table plan = et_fb_child_at(plans, i);
    if (strcmp(name_of(plan), name) == 0) {
      out_meta->program = program;
      out_meta->plan = et_fb_position(program->flatbuffer, plan);
      return ET_STATUS_OK;
    }
  }
  return fail_not_found(program, name, error);
}
