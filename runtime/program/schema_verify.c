#include "runtime/program/schema_types.h"

#include <stdbool.h>
#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/core/noinline.h"
#include "runtime/program/flatbuffer.h"

/* The schema's maximum nesting: program, plan, chain, stack trace, frame. */
#define MAX_DEPTH 6

/* Limit on bytes visited, relative to the buffer's size.
 *
 * Tables, strings and vectors count once for each owner. Files that share equal
 * values, vectors and vtables, as exporters write them, stay below the limit.
 * Nested sharing exceeds it. */
#define MAX_VISITS_PER_BYTE 32

/* The position of the walk in one table. */
typedef struct walk_level {
  et_fb_table table;
  uint8_t type;   /* table number in the schema */
  uint16_t field; /* next field */
  /* Next element of that field, if it is a vector of tables. */
  uint32_t element;
} walk_level;

typedef struct walk {
  et_span buffer;
  const et_schema *schema;
  uint64_t budget; /* bytes that may still be visited */
  size_t depth;    /* used levels */
  walk_level levels[MAX_DEPTH];
  et_error *error;
} walk;

const char *et_schema_name_of(const et_schema *schema, et_schema_field field) {
#ifdef ET_MESSAGES_CODES
  (void)schema;
  (void)field;
  return "";
#else
  const char *name = schema->names;
  for (uint8_t i = 0; i < field.name; i++) {
    name += strlen(name) + 1;
  }
  return name;
#endif
}

const char *et_schema_name_in_union(const et_schema *schema, uint8_t union_id,
                                    uint8_t tag, unsigned field) {
  const uint8_t table = schema->unions[union_id].members[tag];
  return et_schema_name_of(schema, et_schema_field_of(schema, table, field));
}

static et_schema_field current_field(const walk *w, const walk_level *level) {
  return et_schema_field_of(w->schema, level->type, level->field);
}

/* Fails with the path of the current element and the reason:
 * "program.execution_plan[0].values[3]: ...". */
static et_status fail_here(const walk *w, const char *reason) {
  et_error *error = w->error;
  et_fail_program(error, "%s", w->schema->name);
  for (size_t i = 0; ET_HAS_MESSAGES && i < w->depth; i++) {
    const walk_level *level = &w->levels[i];
    const et_schema_field field = current_field(w, level);
    et_error_append(error, ".%s", et_schema_name_of(w->schema, field));
    if (et_schema_kind_of(field) == ET_KIND_TABLES) {
      et_error_append(error, "[%u]", (unsigned)level->element);
    }
  }
  et_error_append(error, ": %s", reason);
  return ET_STATUS_INVALID_PROGRAM;
}

static et_status spend(walk *w, uint64_t bytes) {
  if (bytes > w->budget) {
    return fail_here(
        w,
        ET_MESSAGE_TEXT("the total size of shared tables exceeds the limit"));
  }
  w->budget -= bytes;
  return ET_STATUS_OK;
}

static et_status push(walk *w, uint32_t position, uint8_t type) {
  const uint32_t bytes = et_fb_check_table(w->buffer, position);
  if (bytes == 0) {
    return fail_here(w, ET_MESSAGE_TEXT("the table is outside the file"));
  }
  if (w->depth == MAX_DEPTH) {
    return fail_here(w, ET_MESSAGE_TEXT("tables are nested too deeply"));
  }
  ET_RETURN_IF_ERROR(spend(w, bytes));
  const walk_level level = {et_fb_table_at(w->buffer, position), type, 0, 0};
  w->levels[w->depth++] = level;
  return ET_STATUS_OK;
}

/* Returns a vector that may be out of bounds. */
static et_fb_vector vector_at(const walk *w, uint32_t position) {
  return (et_fb_vector)(const void *)(w->buffer.data + position);
}

static et_status check_vector(walk *w, uint32_t target, uint32_t width) {
  if (!et_fb_check_vector(w->buffer, target, width)) {
    return fail_here(w, ET_MESSAGE_TEXT("the vector is outside the file"));
  }
  const uint64_t count = et_fb_count(vector_at(w, target));
  return spend(w, sizeof(uint32_t) + count * width);
}

static et_status check_text(walk *w, uint32_t target) {
  ET_RETURN_IF_ERROR(check_vector(w, target, 1));
  const size_t end =
      target + sizeof(uint32_t) + et_fb_count(vector_at(w, target));
  if (end == w->buffer.size || w->buffer.data[end] != '\0') {
    return fail_here(w, ET_MESSAGE_TEXT("the text does not end with NUL"));
  }
  return ET_STATUS_OK;
}

/* Enters a union's value; the tag determines its table. */
static et_status enter_union(walk *w, walk_level *level, uint8_t union_id,
                             uint32_t target) {
  const et_schema_union *members = &w->schema->unions[union_id];
  const uint8_t tag = et_fb_u8(level->table, level->field - 1u);
  if (tag == 0 || tag >= members->count) {
    return fail_here(w, ET_MESSAGE_TEXT("the tag of the union is unknown"));
  }
  if (target == 0) {
    return fail_here(
        w, ET_MESSAGE_TEXT("the union has a tag but does not have a value"));
  }
  return push(w, target, members->members[tag]);
}

static et_status follow(const walk *w, uint32_t position,
                        uint32_t *out_target) {
  *out_target = et_fb_check_offset(w->buffer, position);
  return *out_target != 0
             ? ET_STATUS_OK
             : fail_here(w,
                         ET_MESSAGE_TEXT("the offset points outside the file"));
}

/* Enters the next element of a vector of tables, or the next field after the
 * last one. */
static et_status enter_element(walk *w, walk_level *level, uint8_t type,
                               uint32_t target) {
  if (level->element == 0) {
    ET_RETURN_IF_ERROR(check_vector(w, target, sizeof(uint32_t)));
  }
  if (level->element == et_fb_count(vector_at(w, target))) {
    level->element = 0;
    level->field++;
    return ET_STATUS_OK;
  }
  uint32_t child = 0;
  ET_RETURN_IF_ERROR(follow(
      w, target + (1 + level->element) * (uint32_t)sizeof child, &child));
  return push(w, child, type);
}

static et_status visit_present(walk *w, walk_level *level,
                               et_schema_field field, uint32_t target) {
  const uint8_t detail = et_schema_detail_of(field);
  switch (et_schema_kind_of(field)) {
    case ET_KIND_TEXT:
      ET_RETURN_IF_ERROR(check_text(w, target));
      break;
    case ET_KIND_SCALARS:
      ET_RETURN_IF_ERROR(check_vector(w, target, detail));
      break;
    case ET_KIND_TABLE:
      return push(w, target, detail);
    case ET_KIND_TABLES:
      return enter_element(w, level, detail, target);
    default:
      break; /* a scalar, already known to be within the table */
  }
  level->field++;
  return ET_STATUS_OK;
}

static ET_NOINLINE et_status visit_field(walk *w, walk_level *level) {
  const et_schema_field field = current_field(w, level);
  const uint8_t kind = et_schema_kind_of(field);
  const uint8_t detail = et_schema_detail_of(field);
  const bool is_scalar = kind == ET_KIND_SCALAR;
  const uint32_t offset =
      et_fb_find(level->table, level->field,
                 is_scalar ? detail : (uint32_t)sizeof(uint32_t));
  uint32_t target = 0;
  if (offset == ET_FB_BROKEN) {
    return fail_here(w, ET_MESSAGE_TEXT("the field is outside its table"));
  }
  if (offset != ET_FB_ABSENT && !is_scalar) {
    ET_RETURN_IF_ERROR(
        follow(w, et_fb_position(w->buffer, level->table) + offset, &target));
  }
  if (kind == ET_KIND_UNION) {
    return enter_union(w, level, detail, target);
  }
  if (offset == ET_FB_ABSENT) {
    level->field++;
    return ET_STATUS_OK;
  }
  return visit_present(w, level, field, target);
}

/* Returns to the table's owner and continues there. */
static void pop(walk *w) {
  w->depth--;
  if (w->depth == 0) {
    return;
  }
  walk_level *owner = &w->levels[w->depth - 1];
  if (et_schema_kind_of(current_field(w, owner)) == ET_KIND_TABLES) {
    owner->element++;
  } else {
    owner->field++;
  }
}

et_status et_schema_verify(et_span buffer, const et_schema *schema,
                           uint32_t root, et_error *error) {
  walk w = {.buffer = buffer,
            .schema = schema,
            .budget = (uint64_t)buffer.size * MAX_VISITS_PER_BYTE,
            .error = error};
  ET_RETURN_IF_ERROR(push(&w, root, schema->root));
  while (w.depth != 0) {
    walk_level *level = &w.levels[w.depth - 1];
    if (level->field == schema->tables[level->type].field_count) {
      pop(&w);
    } else {
      ET_RETURN_IF_ERROR(visit_field(&w, level));
    }
  }
  return ET_STATUS_OK;
}
