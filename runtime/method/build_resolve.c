#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/builder.h"
#include "runtime/method/check.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Returns true if the list at the end of a message contains `name`. */
static bool is_listed(const char *message, const char *name) {
  const size_t size = strlen(name);
  for (const char *at = strstr(message, name); at != NULL;
       at = strstr(at + 1, name)) {
    if (at != message && at[-1] == ' ' &&
        (at[size] == '\0' || at[size] == ',')) {
      return true;
    }
  }
  return false;
}

/* Fails for the first missing item, for which `status` is OK. Appends later
 * items to the list. */
static et_status fail_missing(et_error *error, et_status status,
                              const char *what, const char *name) {
  if (status == ET_STATUS_OK) {
    return et_fail(error, ET_STATUS_OPERATOR_MISSING, "no %s is linked for: %s",
                   what, name);
  }
  if (ET_HAS_MESSAGES && error != NULL && !is_listed(error->message, name)) {
    et_error_append(error, ", %s", name);
  }
  return status;
}

/* Writes the full name of operator `index`, such as "aten::add.out". Its length
 * and the absence of NULs are verified. */
static et_string full_name(const et_builder *builder, uint32_t index,
                           char text[ET_LIMIT_NAME_BYTES + 1]) {
  const et_fb_table row =
      et_fb_child_at(et_tables_vector(builder->plan, ET_PLAN_OPERATORS), index);
  const et_fb_vector name = et_fb_list(row, ET_OPERATOR_NAME);
  const et_fb_vector overload = et_fb_list(row, ET_OPERATOR_OVERLOAD);
  et_string full = {text, et_fb_count(name)};
  memcpy(text, et_fb_first(name), full.size + 1);
  if (et_fb_count(overload) != 0) {
    text[full.size++] = '.';
    memcpy(text + full.size, et_fb_first(overload), et_fb_count(overload) + 1);
    full.size += et_fb_count(overload);
  }
  return full;
}

const et_kernel *et_build_find_kernel(const et_builder *builder,
                                      uint32_t index) {
  char text[ET_LIMIT_NAME_BYTES + 1];
  if (builder->registry->kernels == NULL) {
    return NULL;
  }
  return et_kernel_table_find(builder->registry->kernels,
                              full_name(builder, index, text));
}

static et_status check_backends(const et_builder *builder, et_error *error) {
  const et_fb_vector delegates =
      et_tables_vector(builder->plan, ET_PLAN_DELEGATES);
  et_status status = ET_STATUS_OK;
  for (uint32_t i = 0; i < et_fb_count(delegates); i++) {
    const struct et_delegation *delegation = builder->registry->delegation;
    if (delegation == NULL || !delegation->is_linked(builder, i)) {
      const et_fb_table delegate = et_fb_child_at(delegates, i);
      status = fail_missing(
          error, status, ET_MESSAGE_TEXT("backend"),
          ET_HAS_MESSAGES ? et_fb_text(delegate, ET_DELEGATE_ID).data : NULL);
    }
  }
  return status;
}

/* Checks only operators that are called; a plan may list others. */
static et_status check_kernels(const et_builder *builder, et_error *error) {
  et_status status = ET_STATUS_OK;
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    const uint32_t index =
        (uint32_t)et_fb_i32(walk.args, ET_KERNEL_CALL_OPERATOR);
    if (walk.tag == ET_INSTRUCTION_KERNEL_CALL &&
        et_build_find_kernel(builder, index) == NULL) {
      char text[ET_LIMIT_NAME_BYTES + 1];
      status = fail_missing(
          error, status, ET_MESSAGE_TEXT("kernel"),
          ET_HAS_MESSAGES ? full_name(builder, index, text).data : NULL);
    }
  }
  return status;
}

static et_status check_linked(const et_builder *builder) {
  et_error *error = builder->error;
  if (builder->registry->backend_count != 0 &&
      builder->registry->delegation == NULL) {
    return et_fail(
        error, ET_STATUS_INVALID_ARGUMENT,
        "the registry has backends; set registry.delegation to &et_delegation");
  }
  ET_RETURN_IF_ERROR(check_kernels(builder, error));
  return check_backends(builder, error);
}

/* Adds the operands of a call, including list items, to *count. */
static et_status count_operands(const et_builder *builder, const et_walk *walk,
                                uint32_t *count) {
  for (uint32_t i = 0; i < et_fb_count(walk->operands); i++) {
    et_fb_table held;
    const uint8_t tag = et_tables_value(builder->values,
                                        et_fb_u32_at(walk->operands, i), &held);
    *count += 1;
    if (tag == ET_VALUE_TENSOR_LIST || tag == ET_VALUE_OPTIONAL_TENSOR_LIST) {
      *count += et_tables_count(held, ET_SINGLE_FIELD); /* below 2^29 */
    }
    if (*count > ET_LIMIT_OPERANDS) {
      return et_fail(builder->error, ET_STATUS_OUT_OF_RESOURCES,
                     "the calls have more operands than the limit of %u",
                     ET_LIMIT_OPERANDS);
    }
  }
  return ET_STATUS_OK;
}

/* Returns the first kernel row of the called operator, or NULL if it is not a
 * kernel call. */
static const et_kernel *first_kernel(const et_builder *builder,
                                     const et_walk *walk) {
  return walk->tag != ET_INSTRUCTION_KERNEL_CALL
             ? NULL
             : et_build_find_kernel(
                   builder,
                   (uint32_t)et_fb_i32(walk->args, ET_KERNEL_CALL_OPERATOR));
}

const et_kernel *et_build_called_kernel(const et_builder *builder,
                                        const et_walk *walk) {
  const et_kernel *kernel = first_kernel(builder, walk);
  return kernel != NULL ? et_choose_kernel(builder, walk, kernel) : NULL;
}

static et_status check_ranges(const et_builder *builder) {
  const struct et_ranges *ranges = builder->registry->ranges;
  if (ranges != NULL) {
    return ranges->check(builder);
  }
  return et_tables_count(et_fb_child(builder->plan, ET_PLAN_CONTAINER_META),
                         ET_CONTAINER_RANGES) == 0
             ? ET_STATUS_OK
             : et_fail(
                   builder->error, ET_STATUS_INVALID_ARGUMENT,
                   "the inputs have ranges; set registry.ranges to &et_ranges");
}

et_status et_build_resolve(const et_builder *builder) {
  ET_RETURN_IF_ERROR(check_linked(builder));
  ET_RETURN_IF_ERROR(et_check_values(builder));
  uint32_t operands = 0;
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    const et_kernel *kernel = first_kernel(builder, &walk);
    ET_RETURN_IF_ERROR(count_operands(builder, &walk, &operands));
    ET_RETURN_IF_ERROR(et_check_instruction(builder, &walk, kernel));
    if (kernel != NULL && et_choose_kernel(builder, &walk, kernel) == NULL) {
      return ET_STATUS_INVALID_PROGRAM;
    }
  }
  return check_ranges(builder);
}
