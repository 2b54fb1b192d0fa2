/* The native library of org.executorch.bazel.Program: any program that needs no
 * other kernels than those of et_linked_registry. */
#include <string.h>

#include "bindings/java/jni/model.h"

extern const et_registry et_linked_registry;

const char *const et_java_natives_class = "org/executorch/bazel/ProgramNatives";

const et_java_spec et_java_specs[] = {
    {.registry = &et_linked_registry, .check_weights = true},
};

const size_t et_java_spec_count = 1;

/* The runtime compares all names to find a method. */
enum { MAX_METHODS = 1024 };

/* The rest of the description's memory. */
typedef struct writer {
  uint8_t *at;
  size_t left;
  bool is_full;
} writer;

static void put(writer *out, const void *bytes, size_t size) {
  if (size > out->left) {
    out->is_full = true;
    return;
  }
  memcpy(out->at, bytes, size);
  out->at += size;
  out->left -= size;
}

static void put_int(writer *out, int32_t value) {
  put(out, &value, sizeof value);
}

static void put_text(writer *out, const char *text, size_t size) {
  put_int(out, size > INT32_MAX ? INT32_MAX : (int32_t)size);
  put(out, text, size);
}

static void put_value(writer *out, const et_value_meta *value) {
  put_int(out, (int32_t)value->tag);
  if (value->tag == ET_VALUE_INT) {
    const int64_t range[3] = {value->min, value->max, value->step};
    put(out, range, sizeof range);
  }
  if (value->tag != ET_VALUE_TENSOR) {
    return;
  }
  put_int(out, (int32_t)value->dtype);
  put_int(out, value->rank);
  for (size_t i = 0; i < value->rank; i++) {
    put_int(out, value->min_sizes[i]);
    put_int(out, value->sizes[i]);
    put_int(out, value->size_steps[i]);
    put_int(out, value->dim_order[i]);
  }
}

typedef et_status (*read_meta)(const et_method_meta *, size_t, et_value_meta *,
                               et_error *);

static et_status put_values(writer *out, const et_method_meta *meta,
                            size_t count, read_meta read, et_error *error) {
  put_int(out, count > INT32_MAX ? INT32_MAX : (int32_t)count);
  for (size_t i = 0; i < count && !out->is_full; i++) {
    et_value_meta value;
    ET_RETURN_IF_ERROR(read(meta, i, &value, error));
    put_value(out, &value);
  }
  return ET_STATUS_OK;
}

static et_status put_method(writer *out, const et_program *program,
                            et_string name, et_error *error) {
  et_method_meta meta;
  if (memchr(name.data, '\0', name.size) != NULL) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "the name of a method has a NUL");
  }
  put_text(out, name.data, name.size);
  /* Texts of programs end with a NUL. */
  ET_RETURN_IF_ERROR(et_program_method_meta(program, name.data, &meta, error));
  const char *conditions = et_method_meta_conditions(&meta);
  put_text(out, conditions, strlen(conditions));
  ET_RETURN_IF_ERROR(put_values(out, &meta, et_method_meta_input_count(&meta),
                                et_method_meta_input, error));
  return put_values(out, &meta, et_method_meta_output_count(&meta),
                    et_method_meta_output, error);
}

static et_status describe(const et_program *program, uint8_t *out_bytes,
                          size_t *size, et_error *error) {
  writer out = {out_bytes, *size, false};
  const size_t count = et_program_method_count(program);
  if (count > MAX_METHODS) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "the program has %zu methods; the limit is %d", count,
                   MAX_METHODS);
  }
  for (size_t i = 0; i < count && !out.is_full; i++) {
    et_string name;
    ET_RETURN_IF_ERROR(et_program_method_name(program, i, &name));
    ET_RETURN_IF_ERROR(put_method(&out, program, name, error));
  }
  if (out.is_full) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "the description of the program's methods has more than %zu "
                   "bytes; use a smaller program",
                   *size);
  }
  *size -= out.left;
  return ET_STATUS_OK;
}

et_java_describe *const et_java_describe_program = describe;
