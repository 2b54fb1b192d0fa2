#include "runtime/method/check.h"

#include "runtime/core/error.h"
#include "runtime/method/signature.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

#define NO_DTYPE (-1)

/* The kinds of arguments that have rules. */
#define TENSORS                                         \
  (1u << ET_VALUE_TENSOR | 1u << ET_VALUE_TENSOR_LIST | \
   1u << ET_VALUE_OPTIONAL_TENSOR_LIST)

/* A row that is compared with a call, and the tensor that it rejects. */
typedef struct trial {
  const et_builder *builder;
  et_fb_vector args;
  /* Dtype of each group so far, or NO_DTYPE. */
  int32_t group_dtypes[ET_TENSOR_GROUPS];
  uint32_t arg;            /* current argument */
  et_tensor_record record; /* its tensor */
} trial;

/* Channels-last is 0, 2, 3, ..., 1. */
static bool layout_fits(uint8_t layout, const et_tensor_record *record) {
  const bool is_last = layout != ET_LAYOUT_CONTIGUOUS;
  if (layout == ET_LAYOUT_ANY) {
    return true;
  }
  if (is_last && record->rank < 3) {
    return false;
  }
  for (uint32_t d = 0; d < record->rank; d++) {
    uint32_t dim = d;
    if (is_last && d != 0) {
      dim = d + 1 < record->rank ? d + 1 : 1;
    }
    if (record->dim_order[d] != dim) {
      return false;
    }
  }
  return true;
}

/* The first tensor of a group determines the group's dtype. */
static bool group_fits(trial *t, uint8_t group) {
  if (group == 0 || group >= ET_TENSOR_GROUPS) {
    return group == 0;
  }
  int32_t *dtype = &t->group_dtypes[group];
  *dtype = *dtype == NO_DTYPE ? t->record.dtype : *dtype;
  return *dtype == t->record.dtype;
}

/* et_check_values has rejected codes above 31. */
static bool tensor_fits(trial *t, const et_tensor_rule *rule,
                        et_fb_table tensor) {
  if (et_tensor_record_read(tensor, &t->record, NULL) != ET_STATUS_OK) {
    return false;
  }
  return (rule->dtypes >> t->record.dtype & 1u) != 0 &&
         t->record.rank >= rule->rank_low &&
         t->record.rank <= rule->rank_high &&
         layout_fits(rule->layout, &t->record) && group_fits(t, rule->group);
}

static bool items_fit(trial *t, const et_tensor_rule *rule, et_fb_table list) {
  const et_fb_vector items = et_tables_vector(list, ET_SINGLE_FIELD);
  for (uint32_t i = 0; i < et_fb_count(items); i++) {
    const int32_t item = et_fb_i32_at(items, i);
    et_fb_table tensor;
    et_tables_value(t->builder->values, (uint32_t)item, &tensor);
    if (item >= 0 && !tensor_fits(t, rule, tensor)) {
      return false;
    }
  }
  return true;
}

/* An absent argument matches. */
static bool argument_fits(trial *t, const et_tensor_rule *rule) {
  et_fb_table held;
  const int32_t index = et_fb_i32_at(t->args, t->arg);
  switch (et_tables_value(t->builder->values, (uint32_t)index, &held)) {
    case ET_VALUE_TENSOR:
      return tensor_fits(t, rule, held);
    case ET_VALUE_TENSOR_LIST:
    case ET_VALUE_OPTIONAL_TENSOR_LIST:
      return items_fit(t, rule, held);
    default:
      return true;
  }
}

static bool row_fits(trial *t, const et_kernel *kernel) {
  et_parameter parameter = {.next = kernel->signature};
  const et_tensor_rule *rule = kernel->rules;
  for (size_t i = 0; i < ET_TENSOR_GROUPS; i++) {
    t->group_dtypes[i] = NO_DTYPE;
  }
  t->arg = 0;
  while (rule != NULL && et_signature_next(&parameter) &&
         !parameter.is_return) {
    if ((et_parameter_tags(&parameter) & TENSORS) != 0 &&
        !argument_fits(t, rule++)) {
      return false;
    }
    t->arg++;
  }
  return true;
}

static void refuse(const et_builder *builder, const trial *t,
                   uint32_t instruction, const char *name) {
  const et_tensor_record *record = &t->record;
  et_error *error = builder->error;
  et_fail_program(
      error,
      "instructions[%u] %s: no linked kernel supports args[%u] (%s, "
      "rank %u, dim order (",
      (unsigned)instruction, name, (unsigned)t->arg,
      et_scalar_type_name(record->dtype), (unsigned)record->rank);
  for (uint32_t d = 0; ET_HAS_MESSAGES && d < record->rank; d++) {
    et_error_append(error, "%s%u",
                    d == 0 ? ET_MESSAGE_TEXT("") : ET_MESSAGE_TEXT(","),
                    (unsigned)record->dim_order[d]);
  }
  et_error_append(error, "))");
}

const et_kernel *et_choose_kernel(const et_builder *builder,
                                  const et_walk *walk, const et_kernel *first) {
  trial t = {.builder = builder, .args = walk->operands};
  const et_kernel_table *table = builder->registry->kernels;
  for (const et_kernel *row = first; row != NULL;
       row = et_kernel_table_next(table, row)) {
    if (row_fits(&t, row)) {
      return row;
    }
  }
  refuse(builder, &t, walk->index, first->name);
  return NULL;
}
