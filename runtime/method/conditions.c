/* Conditions over sizes and ints of inputs (ContainerMetadata.conditions).
 *
 * Each condition is a postfix expression over int64 (schema/program.fbs). The
 * check at load time simulates its stack, so that evaluation needs no checks of
 * the expression. */
#include "runtime/core/error.h"
#include "runtime/method/ranges.h"
#include "runtime/program/range_record.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Tokens. Those from ADD on pop two operands and push the result. */
enum {
  CONSTANT,
  SIZE,
  ADD,
  MULTIPLY,
  FLOOR_DIVIDE,
  MODULO,
  MIN,
  MAX,
  EQUAL,
  NOT_EQUAL,
  LESS,
  LESS_OR_EQUAL,
  AND,
  OR,
  TOKEN_COUNT
};

/* The most pending operands. */
#define STACK 16u

/* A condition: tokens [at, end) of the list. */
typedef struct condition {
  et_fb_vector list;
  uint32_t at;
  uint32_t end;
} condition;

static et_fb_vector condition_list(et_fb_table plan) {
  return et_fb_list(et_fb_child(plan, ET_PLAN_CONTAINER_META),
                    ET_CONTAINER_CONDITIONS);
}

static int64_t next_number(condition *c) {
  return et_fb_i64_at(c->list, c->at++);
}

/* Returns true if the plan has a range for the size or int. */
static bool has_range(et_fb_table plan, int64_t value, int64_t dim) {
  const et_fb_vector list = et_range_list(plan);
  et_range_record record;
  for (uint32_t i = et_range_first(list, value); i < et_range_count(list);
       i++) {
    et_range_read(list, i, &record);
    if (record.value != value) {
      break;
    }
    if (record.dim == dim) {
      return true;
    }
  }
  return false;
}

/* Returns true if the value is an input of the method. */
static bool is_input(et_fb_table plan, int64_t value) {
  const et_fb_vector inputs = et_fb_list(plan, ET_PLAN_INPUTS);
  for (uint32_t i = 0; i < et_fb_count(inputs); i++) {
    if (et_fb_i32_at(inputs, i) == value) {
      return true;
    }
  }
  return false;
}

/* Checks the next token. `depth` is the number of pending operands. */
static bool check_token(condition *c, et_fb_table plan, uint32_t *depth) {
  const int64_t token = next_number(c);
  if (token < 0 || token >= TOKEN_COUNT) {
    return false;
  }
  if (token >= ADD) {
    return (*depth)-- >= 2;
  }
  const uint32_t operands = token == SIZE ? 2 : 1;
  if (c->end - c->at < operands || ++*depth > STACK) {
    return false;
  }
  const int64_t first = next_number(c);
  return token == CONSTANT ||
         (is_input(plan, first) && has_range(plan, first, next_number(c)));
}

static bool check_condition(condition *c, et_fb_table plan) {
  const int64_t count = next_number(c);
  if (count < 1 || (uint64_t)count > et_fb_count(c->list) - c->at) {
    return false;
  }
  c->end = c->at + (uint32_t)count;
  uint32_t depth = 0;
  while (c->at < c->end) {
    if (!check_token(c, plan, &depth)) {
      return false;
    }
  }
  return depth == 1;
}

static et_status check(const et_builder *builder) {
  ET_RETURN_IF_ERROR(et_ranges_check(builder));
  condition c = {condition_list(builder->plan), 0, 0};
  while (c.at < et_fb_count(c.list)) {
    const uint32_t at = c.at;
    if (!check_condition(&c, builder->plan)) {
      return et_fail_program(
          builder->error, "conditions[%u] does not match the method's inputs",
          (unsigned)at);
    }
  }
  return ET_STATUS_OK;
}

/* Adds or multiplies. Returns false if the result overflows. */
static bool combine(int64_t token, int64_t a, int64_t b, int64_t *out) {
  if (token == ADD) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
      return false;
    }
    *out = a + b;
    return true;
  }
  /* Operands of at most 2^63 - 1 in absolute value. */
  const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  const uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  if (x != 0 && y > (uint64_t)INT64_MAX / x) {
    return false;
  }
  *out = (a < 0) != (b < 0) ? -(int64_t)(x * y) : (int64_t)(x * y);
  return true;
}

/* Divides, rounding down. Returns false if the result is undefined. */
static bool divide(int64_t token, int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) {
    return false;
  }
  const bool adjusts = a % b != 0 && (a < 0) != (b < 0);
  *out =
      token == MODULO ? a % b + (adjusts ? b : 0) : a / b - (adjusts ? 1 : 0);
  return true;
}

static bool apply(int64_t token, int64_t a, int64_t b, int64_t *out) {
  switch (token) {
    case ADD:
    case MULTIPLY:
      return combine(token, a, b, out);
    case FLOOR_DIVIDE:
    case MODULO:
      return divide(token, a, b, out);
    case MIN:
      *out = a < b ? a : b;
      return true;
    case MAX:
      *out = a > b ? a : b;
      return true;
    case EQUAL:
      *out = a == b;
      return true;
    case NOT_EQUAL:
      *out = a != b;
      return true;
    case LESS:
      *out = a < b;
      return true;
    case LESS_OR_EQUAL:
      *out = a <= b;
      return true;
    case AND:
      *out = a != 0 && b != 0;
      return true;
    default:
      *out = a != 0 || b != 0;
      return true;
  }
}

/* Reads the operands of a SIZE token. */
static int64_t next_size(condition *c, const et_method *method,
                         int64_t *out_value, int64_t *out_dim) {
  *out_value = next_number(c);
  *out_dim = next_number(c);
  const et_value *value = &method->values[*out_value];
  return *out_dim < 0 ? value->u.as_int : value->u.as_tensor->sizes[*out_dim];
}

/* Evaluates a checked condition. It is false if its value is undefined. */
static bool holds(condition c, const et_method *method) {
  int64_t stack[STACK] = {0};
  uint32_t depth = 0;
  int64_t value = 0;
  int64_t dim = 0;
  while (c.at < c.end) {
    const int64_t token = next_number(&c);
    if (token == CONSTANT) {
      stack[depth++] = next_number(&c);
    } else if (token == SIZE) {
      stack[depth++] = next_size(&c, method, &value, &dim);
    } else {
      depth--;
      if (!apply(token, stack[depth - 1], stack[depth], &stack[depth - 1])) {
        return false;
      }
    }
  }
  return stack[0] != 0;
}

/* Returns true if the tokens before c.at read the size or int. */
static bool is_repeated(condition c, uint32_t first, int64_t value,
                        int64_t dim) {
  const uint32_t end = c.at;
  for (c.at = first; c.at < end;) {
    const int64_t token = next_number(&c);
    if (token == CONSTANT) {
      c.at++;
    } else if (token == SIZE) {
      const int64_t other = next_number(&c);
      if (next_number(&c) == dim && other == value) {
        return c.at < end;
      }
    }
  }
  return false;
}

/* Appends the sizes and ints that the condition reads. */
static void append_sizes(condition c, const et_method *method,
                         et_error *error) {
  const uint32_t first = c.at;
  const char *separator = ", but";
  while (c.at < c.end) {
    const int64_t token = next_number(&c);
    if (token == CONSTANT) {
      c.at++;
    } else if (token == SIZE) {
      int64_t value = 0;
      int64_t dim = 0;
      const int64_t size = next_size(&c, method, &value, &dim);
      const unsigned input = (unsigned)et_ranges_input(method, value);
      if (is_repeated(c, first, value, dim)) {
        continue;
      }
      if (dim < 0) {
        et_error_append(error, "%s inputs[%u] is %lld", separator, input,
                        (long long)size);
      } else {
        et_error_append(error, "%s dim %u of inputs[%u] is %lld", separator,
                        (unsigned)dim, input, (long long)size);
      }
      separator = ",";
    }
  }
}

/* Copies line `index` of the texts, or as much as fits. */
static void copy_line(const et_method *method, uint32_t index, size_t size,
                      char *out) {
  const char *text =
      et_fb_text(et_fb_child(method->plan, ET_PLAN_CONTAINER_META),
                 ET_CONTAINER_CONDITION_TEXTS)
          .data;
  size_t length = 0;
  for (; text != NULL && *text != '\0' && length + 1 < size; text++) {
    if (*text == '\n') {
      if (index-- == 0) {
        break;
      }
    } else if (index == 0) {
      out[length++] = *text;
    }
  }
  out[length] = '\0';
}

/* Fails for condition `index`. */
static et_status fail_condition(const et_method *method, condition c,
                                uint32_t index, et_error *error) {
  char line[112];
  copy_line(method, index, sizeof line, line);
  et_fail(error, ET_STATUS_NOT_SUPPORTED, "the program requires %s",
          line[0] != '\0' ? line : "a condition");
  append_sizes(c, method, error);
  et_error_append(error, "; pass sizes that satisfy it");
  return ET_STATUS_NOT_SUPPORTED;
}

static et_status check_inputs(const et_method *method, et_error *error) {
  ET_RETURN_IF_ERROR(et_ranges_check_inputs(method, error));
  condition c = {condition_list(method->plan), 0, 0};
  for (uint32_t index = 0; c.at < et_fb_count(c.list); index++) {
    const uint32_t count = (uint32_t)next_number(&c);
    c.end = c.at + count;
    if (!holds(c, method)) {
      return fail_condition(method, c, index, error);
    }
    c.at = c.end;
  }
  return ET_STATUS_OK;
}

const struct et_ranges et_ranges_and_conditions = {
    check,        et_ranges_bind,  et_ranges_check_sizes, et_ranges_set_integer,
    check_inputs, et_ranges_forget};
