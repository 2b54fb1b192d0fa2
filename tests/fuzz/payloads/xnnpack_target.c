/* Changes single fields of payloads of the XNNPACK backend. */
#include <stdio.h>
#include <string.h>

#include "backends/cpu/runtime/isa.h"
#include "backends/xnnpack/runtime/node.h"
#include "backends/xnnpack/runtime/schema.h"
#include "backends/xnnpack/runtime/value.h"
#include "backends/xnnpack/runtime/xnnpack_backend.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/payloads/xnnpack_seeds.h"

/* How a field is changed. */
typedef enum role {
  NUMBER,
  FLOAT,
  VALUE_ID,
  FLAGS,
  DATATYPE,
  TAG,
  HALF,   /* 16 bits of any value */
  LENGTH, /* length of a vector */
  RANK,   /* number of dims: a field and the length of a vector */
  SIZE    /* one size in all values that have it */
} role;

/* Sections, from which fields are drawn with different probabilities. */
typedef enum section { NODES, VALUES, OTHERS, SECTIONS } section;
static const uint8_t chances[SECTIONS] = {58, 36, 6}; /* percent */

#define FIELDS_OF_TABLE 32
#define SIZE_FIELD 31 /* field number of SIZE, in the table of a tensor */

typedef struct field {
  role role;
  section section;
  size_t kind;
  size_t id;
  uint32_t at;     /* byte in the flatbuffer */
  uint32_t second; /* RANK: the length of the vector */
  uint8_t width;
  const char *name;
} field;

typedef struct choice {
  et_random *random;
  et_span flatbuffer;
  uint32_t value_count;
  size_t kind;     /* kind of the nodes that may change */
  section section; /* section of the current table */
  bool is_skipped; /* the current table is a node of another kind */
  field fields[SECTIONS];
  size_t counts[SECTIONS];
} choice;

static void add(choice *c, field f) {
  f.section = c->section;
  f.kind = c->section == NODES ? c->kind : 0;
  if (!c->is_skipped &&
      et_random_below(c->random, ++c->counts[c->section]) == 0) {
    c->fields[c->section] = f;
  }
}

static bool ends_with(const char *name, const char *end) {
  const size_t size = strlen(name);
  const size_t end_size = strlen(end);
  return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

/* The role of a scalar or of the elements of a vector follows from the field's name. */
static role role_of(const char *name, uint8_t width) {
  static const char *const floats[] = {"scale", "padding_value", "output_min",
                                       "output_max", "parameter"};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
    if (strcmp(name, floats[i]) == 0) {
      return FLOAT;
    }
  }
  if (ends_with(name, "datatype")) {
    return DATATYPE;
  }
  if (ends_with(name, "_id") && strcmp(name, "external_id") != 0) {
    return VALUE_ID;
  }
  if (ends_with(name, "_type")) {
    return TAG;
  }
  return strcmp(name, "flags") == 0 ? FLAGS : width == 2 ? HALF : NUMBER;
}

static void add_table(choice *c, et_fb_table table, uint8_t type);

static void add_tables(choice *c, et_fb_vector tables, uint8_t type) {
  for (uint32_t i = 0; i < et_fb_count(tables); i++) {
    add_table(c, et_fb_child_at(tables, i), type);
  }
}

/* Adds the length and the elements of a vector of scalars. Long vectors are
 * weights. */
static void add_vector(choice *c, et_fb_table table, uint16_t number, field f) {
  const et_fb_vector vector = et_fb_list(table, number);
  const uint32_t at = et_fb_position(c->flatbuffer, vector);
  const uint32_t count = et_fb_count(vector);
  field length = f;
  length.role = LENGTH;
  length.at = at;
  length.width = 4;
  add(c, length);
  for (uint32_t i = 0; i < count && i < 16; i++) {
    f.at = at + 4 + i * f.width;
    add(c, f);
  }
  if (strcmp(f.name, "dims") != 0 || number == 0) {
    return;
  }
  const uint32_t rank = et_fb_find(table, number - 1u, 4);
  if (rank > ET_FB_BROKEN) {
    field ranks = length;
    ranks.role = RANK;
    ranks.id--;
    ranks.at = et_fb_position(c->flatbuffer, table) + rank;
    ranks.second = at;
    add(c, ranks);
  }
  if (c->section == VALUES && count > 0) {
    field size = f;
    size.role = SIZE;
    size.id = f.id / FIELDS_OF_TABLE * FIELDS_OF_TABLE + SIZE_FIELD;
    size.at = at + 4 + 4 * (uint32_t)et_random_below(c->random, count);
    add(c, size);
    add(c, size);
    add(c, size);
  }
}

/* Adds the members of a node's union only if the node has the kind to change. */
static void add_member(choice *c, et_fb_table table, uint16_t number,
                       uint8_t union_id) {
  const uint8_t tag = et_fb_u8(table, number - 1u);
  add_table(c, et_fb_child(table, number),
            et_xnn_schema.unions[union_id].members[tag]);
}

static void add_field(choice *c, et_fb_table table, uint8_t type,
                      uint16_t number) {
  const et_schema_field declared =
      et_schema_field_of(&et_xnn_schema, type, number);
  const uint8_t detail = et_schema_detail_of(declared);
  const uint8_t kind = et_schema_kind_of(declared);
  const char *name = et_schema_name_of(&et_xnn_schema, declared);
  field f = {.id = (size_t)type * FIELDS_OF_TABLE + number,
             .width = detail,
             .role = role_of(name, detail),
             .name = name};
  if (!et_fb_has(table, number)) {
    return;
  }
  if (kind == ET_KIND_SCALAR) {
    f.at = et_fb_position(c->flatbuffer, table) +
           et_fb_find(table, number, detail);
    add(c, f);
  } else if (kind == ET_KIND_SCALARS) {
    add_vector(c, table, number, f);
  } else if (kind == ET_KIND_TABLE) {
    add_table(c, et_fb_child(table, number), detail);
  } else if (kind == ET_KIND_TABLES) {
    add_tables(c, et_fb_list(table, number), detail);
  } else if (kind == ET_KIND_UNION) {
    add_member(c, table, number, detail);
  }
}

static void add_table(choice *c, et_fb_table table, uint8_t type) {
  for (uint16_t i = 0; i < et_xnn_schema.tables[type].field_count; i++) {
    add_field(c, table, type, i);
  }
}

/* Returns the number of the table that a vector of the graph has. */
static uint8_t type_in_graph(uint16_t number) {
  return et_schema_detail_of(
      et_schema_field_of(&et_xnn_schema, et_xnn_schema.root, number));
}

static void add_graph(choice *c, et_fb_table graph) {
  const et_fb_vector nodes = et_fb_list(graph, ET_XNN_GRAPH_NODES);
  for (uint32_t i = 0; i < et_fb_count(nodes); i++) {
    const et_fb_table node = et_fb_child_at(nodes, i);
    c->section = NODES;
    c->is_skipped = c->kind != 0 && et_fb_u8(node, ET_XNN_NODE_TAG) != c->kind;
    add_table(c, node, type_in_graph(ET_XNN_GRAPH_NODES));
  }
  c->is_skipped = false;
  for (uint16_t i = 0; i < et_xnn_schema.tables[et_xnn_schema.root].field_count;
       i++) {
    c->section = i == ET_XNN_GRAPH_VALUES ? VALUES : OTHERS;
    if (i != ET_XNN_GRAPH_NODES) {
      add_field(c, graph, et_xnn_schema.root, i);
    }
  }
}

static section draw_section(const choice *c) {
  for (;;) {
    size_t rest = et_random_below(c->random, 100);
    for (section s = NODES; s < SECTIONS; s++) {
      if (rest < chances[s]) {
        if (c->counts[s] > 0) {
          return s;
        }
        break;
      }
      rest -= chances[s];
    }
  }
}

/* ---- Changes ---- */

static int64_t get(const uint8_t *bytes, uint32_t at, uint8_t width) {
  int64_t value = 0;
  memcpy(&value, bytes + at, width);
  return width == 4 ? (int32_t)value : value;
}

static void set(uint8_t *bytes, uint32_t at, uint8_t width, int64_t value) {
  memcpy(bytes + at, &value, width);
}

/* Changes all dims that have the size, as if it were a symbolic size. */
static void change_size(const choice *c, et_fb_table graph, const field *f,
                        uint8_t *bytes) {
  const et_fb_vector values = et_fb_list(graph, ET_XNN_GRAPH_VALUES);
  const int64_t old = get(c->flatbuffer.data, f->at, 4);
  const int64_t size = et_near(c->random, old, 0, INT32_MAX);
  const bool has_constants = et_random_below(c->random, 2) == 0;
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    const et_fb_table value = et_fb_child_at(values, i);
    const bool is_plain =
        et_fb_u8(value, ET_XNN_VALUE_TAG) == ET_XNN_VALUE_PLAIN;
    const et_fb_table member = et_fb_child(value, ET_XNN_VALUE);
    const et_fb_table tensor =
        is_plain ? member : et_fb_child(member, ET_XNN_QUANTIZED_TENSOR);
    const et_fb_vector dims = et_fb_list(tensor, ET_XNN_TENSOR_DIMS);
    const uint32_t at = et_fb_position(c->flatbuffer, dims) + 4;
    for (uint32_t k = 0; k < et_fb_count(dims); k++) {
      if (et_fb_i32_at(dims, k) == old &&
          (has_constants || et_fb_u32(tensor, ET_XNN_TENSOR_CONSTANT) == 0)) {
        set(bytes, at + 4 * k, 4, size);
      }
    }
  }
}

static void change(const choice *c, et_fb_table graph, const field *f,
                   uint8_t *bytes) {
  const int64_t old = get(bytes, f->at, f->width);
  const bool is_outside = et_random_below(c->random, 12) == 0;
  int64_t value = old;
  switch (f->role) {
    case FLOAT:
      value = et_near_float(c->random, (uint32_t)old);
      break;
    case VALUE_ID:
      value = is_outside ? (et_random_below(c->random, 2) == 0 ? ET_XNN_NO_VALUE
                                                               : c->value_count)
                         : (int64_t)et_random_below(c->random, c->value_count);
      break;
    case FLAGS:
      value = old ^ (int64_t)(1u << et_random_below(c->random, 10));
      break;
    case DATATYPE:
      value = (int64_t)et_random_below(c->random, ET_XNN_DATATYPE_COUNT + 1);
      break;
    case TAG:
      value = (int64_t)et_random_below(c->random,
                                       ends_with(f->name, "xnode_union_type")
                                           ? ET_XNN_NODE_TAG_COUNT + 1
                                           : 6);
      break;
    case HALF:
      value = (int64_t)et_random_below(c->random, 1 << 16);
      break;
    case LENGTH:
    case RANK:
      value =
          old == 0 || et_random_below(c->random, 2) == 0 ? old + 1 : old - 1;
      break;
    case SIZE:
      change_size(c, graph, f, bytes);
      return;
    default:
      value = et_near(c->random, old, 0, INT32_MAX);
      break;
  }
  set(bytes, f->at, f->width, value);
  if (f->role == RANK) {
    set(bytes, f->second, 4, value);
  }
}

static et_mutation mutate(const et_seed *seed, et_random *random,
                          et_payload *payload) {
  const et_span flatbuffer = et_xnn_seed_flatbuffer(seed->payload);
  uint32_t root = 0;
  memcpy(&root, flatbuffer.data, sizeof root);
  const et_fb_table graph = et_fb_table_at(flatbuffer, root);
  choice c = {.random = random, .flatbuffer = flatbuffer, .kind = seed->kind};
  et_mutation mutation;
  c.value_count = et_fb_count(et_fb_list(graph, ET_XNN_GRAPH_VALUES));
  add_graph(&c, graph);
  const field f = c.fields[draw_section(&c)];
  uint8_t *bytes = payload->bytes + ET_XNN_SEED_FLATBUFFER;
  change(&c, graph, &f, bytes);
  mutation.kind = f.kind;
  mutation.field = f.id;
  snprintf(mutation.text, sizeof mutation.text,
           "%s (role %d, table %zu) at byte %u: %lld to %lld", f.name,
           (int)f.role, f.id / FIELDS_OF_TABLE, (unsigned)f.at,
           (long long)get(flatbuffer.data, f.at, f.width),
           (long long)get(bytes, f.at, f.width));
  return mutation;
}

/* ---- Arguments ---- */

static void describe_value(const et_xnn_value *value, et_random *random,
                           et_run_argument *out) {
  out->role =
      value->flags == ET_XNN_EXTERNAL_OUTPUT ? ET_RUN_OUTPUT : ET_RUN_INPUT;
  out->dtype = et_xnn_storage(value);
  out->rank = value->dims.rank;
  if (out->role == ET_RUN_OUTPUT && out->dtype == ET_SCALAR_TYPE_INT32 &&
      et_random_below(random, 2) == 0) {
    out->dtype = ET_SCALAR_TYPE_INT64;
  }
  for (uint8_t i = 0; i < out->rank; i++) {
    out->dim_order[i] = i;
    for (size_t call = 0; call < ET_RUN_CALLS; call++) {
      out->sizes[call][i] = value->dims.sizes[i];
    }
  }
}

/* Shrinks one size for the second call, in all inputs that have it. */
static void shrink(et_random *random, et_run *run) {
  const size_t first = et_random_below(random, run->argument_count);
  const et_run_argument *chosen = &run->arguments[first];
  if (chosen->rank == 0 || et_random_below(random, 2) == 0) {
    return;
  }
  const int32_t old = chosen->sizes[0][et_random_below(random, chosen->rank)];
  const int32_t size = (int32_t)et_random_below(random, (size_t)old + 1);
  for (size_t i = 0; i < run->argument_count; i++) {
    et_run_argument *argument = &run->arguments[i];
    for (uint8_t k = 0; k < argument->rank && argument->role == ET_RUN_INPUT;
         k++) {
      if (argument->sizes[0][k] == old) {
        argument->sizes[1][k] = size;
      }
    }
  }
}

static void describe_arguments(const et_xnn_graph *graph, et_random *random,
                               et_run *run) {
  run->argument_count = graph->external_count;
  for (uint32_t i = 0; i < et_fb_count(graph->values); i++) {
    const et_xnn_value value = et_xnn_value_at(graph, i);
    if (value.external != ET_XNN_NO_VALUE) {
      describe_value(&value, random, &run->arguments[value.external]);
    }
  }
  if (run->argument_count > 0) {
    shrink(random, run);
  }
}

static void describe(const et_seed *seed, et_random *random, et_run *run) {
  const et_backend_option winograd = {
      "winograd", {.tag = ET_VALUE_STRING, .u.as_string = {"never", 5}}};
  et_xnn_graph graph;
  (void)seed;
  et_draw_isas(random, run);
  run->options[0][1] = winograd;
  run->options[1][1] = winograd;
  run->option_count += et_random_below(random, 2);
  if (et_xnn_graph_open(run->payload, NULL, &graph) == ET_STATUS_OK &&
      graph.external_count <= ET_RUN_ARGUMENTS &&
      et_xnn_check_values(&graph, NULL) == ET_STATUS_OK) {
    describe_arguments(&graph, random, run);
  }
}

/* Kind 0 is the graph. Kind i is the node with tag i, if the backend supports
 * it. */
static size_t kind_count(void) { return ET_XNN_NODE_TAG_COUNT; }

static const char *kind_name(size_t kind) {
  const char *name = et_xnn_node_name((uint8_t)kind);
  return kind == 0 ? "graph" : strcmp(name, "unknown") == 0 ? NULL : name;
}

const et_target et_fuzz_target = {.name = "xnnpack_payload_fuzz",
                                  .backend = &et_xnnpack_backend,
                                  .alignment = 16,
                                  .kind_count = kind_count,
                                  .kind_name = kind_name,
                                  .add_seeds = et_xnn_add_seeds,
                                  .mutate = mutate,
                                  .describe = describe};
