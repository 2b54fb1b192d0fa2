/* Native functions that run methods: inputs, outputs and their elements. */
#include <string.h>

#include "bindings/java/jni/natives.h"

/* ---- Elements ---- */

/* Defines a function that copies elements [begin, begin + count) of a Java array
 * to `data`, or back. A complex number is two elements of the array.
 *
 * The function returns false for an unknown dtype, and if an exception is
 * pending. */
#define MOVE_FUNCTION(name, direction, pointer)                                \
  static bool name(JNIEnv *env, et_scalar_type dtype, jobject array,           \
                   jsize begin, jsize count, pointer data) {                   \
    switch (dtype) {                                                           \
      case ET_SCALAR_TYPE_BOOL:                                                \
        (*env)->direction##BooleanArrayRegion(env, array, begin, count, data); \
        break;                                                                 \
      case ET_SCALAR_TYPE_UINT8:                                               \
      case ET_SCALAR_TYPE_INT8:                                                \
        (*env)->direction##ByteArrayRegion(env, array, begin, count, data);    \
        break;                                                                 \
      case ET_SCALAR_TYPE_INT16:                                               \
      case ET_SCALAR_TYPE_UINT16:                                              \
      case ET_SCALAR_TYPE_FLOAT16:                                             \
      case ET_SCALAR_TYPE_BFLOAT16:                                            \
        (*env)->direction##ShortArrayRegion(env, array, begin, count, data);   \
        break;                                                                 \
      case ET_SCALAR_TYPE_INT32:                                               \
      case ET_SCALAR_TYPE_UINT32:                                              \
        (*env)->direction##IntArrayRegion(env, array, begin, count, data);     \
        break;                                                                 \
      case ET_SCALAR_TYPE_INT64:                                               \
      case ET_SCALAR_TYPE_UINT64:                                              \
        (*env)->direction##LongArrayRegion(env, array, begin, count, data);    \
        break;                                                                 \
      case ET_SCALAR_TYPE_FLOAT32:                                             \
      case ET_SCALAR_TYPE_COMPLEX64:                                           \
        (*env)->direction##FloatArrayRegion(env, array, begin, count, data);   \
        break;                                                                 \
      case ET_SCALAR_TYPE_FLOAT64:                                             \
      case ET_SCALAR_TYPE_COMPLEX128:                                          \
        (*env)->direction##DoubleArrayRegion(env, array, begin, count, data);  \
        break;                                                                 \
      default:                                                                 \
        return false;                                                          \
    }                                                                          \
    return !(*env)->ExceptionCheck(env);                                       \
  }
MOVE_FUNCTION(copy_from_array, Get, void *)
MOVE_FUNCTION(copy_to_array, Set, const void *)

/* Returns the size of an element of the Java array or buffer. */
static size_t java_element_bytes(et_scalar_type dtype) {
  return et_scalar_type_size((int32_t)et_scalar_type_of_parts(dtype));
}

/* Returns the elements of a direct buffer from `begin` on. An empty buffer may
 * have no address. */
static uint8_t *direct_data(JNIEnv *env, jobject buffer, et_scalar_type dtype,
                            int64_t begin) {
  static uint8_t none[1];
  uint8_t *start = (*env)->GetDirectBufferAddress(env, buffer);
  return start == NULL ? none
                       : start + (size_t)begin * java_element_bytes(dtype);
}

/* Java's booleans are 0 and 1. */
static bool are_booleans(const uint8_t *bytes, size_t count) {
  uint8_t all = 0;
  for (size_t i = 0; i < count; i++) {
    all |= bytes[i];
  }
  return all <= 1;
}

/* ---- Inputs ---- */

/* Returns the elements of a tensor input, which exist during the run.
 *
 * A direct buffer is used in place if the runtime copies its elements, because
 * another thread could change them. Otherwise, they are copied to the input's
 * memory. */
static const void *input_data(JNIEnv *env, const et_java_slot *slot,
                              et_java_input *input, size_t nbytes,
                              jobject tensor) {
  const et_scalar_type dtype = (et_scalar_type)slot->dtype;
  const uint8_t *direct = slot->kind == ET_JAVA_DIRECT
                              ? direct_data(env, tensor, dtype, slot->value)
                              : NULL;
  if (direct != NULL && input->is_planned && dtype != ET_SCALAR_TYPE_BOOL) {
    return direct;
  }
  uint8_t *memory = et_java_input_memory(input);
  /* Larger inputs are rejected by the runtime, which does not read them. */
  if (memory == NULL || nbytes > input->capacity) {
    return memory;
  }
  if (direct != NULL) {
    memcpy(memory, direct, nbytes);
    return memory;
  }
  const size_t count = nbytes / java_element_bytes(dtype);
  return copy_from_array(env, dtype, tensor, (jsize)slot->value, (jsize)count,
                         memory)
             ? memory
             : NULL;
}

static et_status set_tensor(JNIEnv *env, et_java_loaded *method, size_t index,
                            jobject tensor, et_error *error) {
  const et_java_slot *slot = &method->slots[index];
  const size_t element_bytes = et_scalar_type_size((int32_t)slot->dtype);
  int32_t sizes[ET_MAX_RANK];
  if (element_bytes == 0 || slot->rank < 0 || slot->rank > ET_MAX_RANK ||
      slot->count < 0 || (uint64_t)slot->count > SIZE_MAX / element_bytes) {
    return et_fail(error, ET_STATUS_INTERNAL, "inputs[%zu]: invalid slot",
                   index);
  }
  for (int64_t i = 0; i < slot->rank; i++) {
    sizes[i] = (int32_t)slot->sizes[i];
  }
  const size_t nbytes = (size_t)slot->count * element_bytes;
  const void *data =
      input_data(env, slot, &method->inputs[index], nbytes, tensor);
  if (data == NULL) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "inputs[%zu]: its %zu bytes cannot be copied; free memory",
                   index, nbytes);
  }
  if (slot->dtype == ET_SCALAR_TYPE_BOOL && slot->kind == ET_JAVA_DIRECT &&
      nbytes <= method->inputs[index].capacity && !are_booleans(data, nbytes)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: bytes of booleans are neither 0 nor 1; pass 0 "
                   "or 1",
                   index);
  }
  return et_method_set_input(method->hosted.method, index,
                             (et_scalar_type)slot->dtype, sizes,
                             (size_t)slot->rank, data, nbytes, error);
}

static et_status set_input(JNIEnv *env, et_java_loaded *method, size_t index,
                           jobjectArray tensors, et_error *error) {
  const et_java_slot *slot = &method->slots[index];
  if (slot->kind == ET_JAVA_NOT_PASSED) {
    return ET_STATUS_OK;
  }
  if (slot->kind == ET_JAVA_INT) {
    const et_value value = {.tag = ET_VALUE_INT, .u = {.as_int = slot->value}};
    return et_method_set_scalar_input(method->hosted.method, index, &value,
                                      error);
  }
  jobject tensor = (*env)->GetObjectArrayElement(env, tensors, (jsize)index);
  if (tensor == NULL) {
    return et_fail(error, ET_STATUS_INTERNAL, "inputs[%zu]: no tensor", index);
  }
  const et_status status = set_tensor(env, method, index, tensor, error);
  (*env)->DeleteLocalRef(env, tensor);
  return status;
}

static et_status run_method(JNIEnv *env, et_java_loaded *method,
                            jobjectArray tensors, et_error *error) {
  for (size_t i = 0; i < method->input_count; i++) {
    ET_RETURN_IF_ERROR(set_input(env, method, i, tensors, error));
  }
  ET_RETURN_IF_ERROR(et_method_execute(method->hosted.method, error));
  return et_java_describe_outputs(method, error);
}

jint JNICALL et_java_natives_run(JNIEnv *env, jobject self, jlong handle,
                                 jint method, jobjectArray tensors) {
  et_java_model *model = et_java_model_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)self;
  return et_java_report(
      model->frame, run_method(env, &model->methods[method], tensors, &error),
      &error);
}

/* ---- Outputs ---- */

static et_status read_tensor(JNIEnv *env, et_java_loaded *method, size_t index,
                             jobject target, jlong begin, bool is_direct,
                             et_error *error) {
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(
      et_method_get_output(method->hosted.method, index, &value, error));
  if (value->tag != ET_VALUE_TENSOR) {
    return et_fail(error, ET_STATUS_INVALID_TYPE,
                   "outputs[%zu] is not a tensor", index);
  }
  const et_tensor *tensor = value->u.as_tensor;
  const size_t nbytes = et_tensor_nbytes(tensor);
  if (nbytes == 0) {
    return ET_STATUS_OK;
  }
  if (tensor->dtype == ET_SCALAR_TYPE_BOOL &&
      !are_booleans(tensor->data, nbytes)) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "outputs[%zu] has bytes other than 0 and 1, so it is not a "
                   "bool tensor",
                   index);
  }
  if (is_direct) {
    memcpy(direct_data(env, target, tensor->dtype, begin), tensor->data,
           nbytes);
    return ET_STATUS_OK;
  }
  const size_t count = nbytes / java_element_bytes(tensor->dtype);
  return copy_to_array(env, tensor->dtype, target, (jsize)begin, (jsize)count,
                       tensor->data)
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INTERNAL,
                       "outputs[%zu] does not fit the array", index);
}

jint JNICALL et_java_natives_read(JNIEnv *env, jobject self, jlong handle,
                                  jint method, jint output, jobject target,
                                  jlong begin, jboolean is_direct) {
  et_java_model *model = et_java_model_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)self;
  return et_java_report(
      model->frame,
      read_tensor(env, &model->methods[method], (size_t)output, target, begin,
                  is_direct != JNI_FALSE, &error),
      &error);
}

jbyteArray JNICALL et_java_natives_text(JNIEnv *env, jobject self, jlong handle,
                                        jint method, jint output) {
  const et_value *value = NULL;
  const et_method *loaded =
      et_java_model_of(handle)->methods[method].hosted.method;
  (void)self;
  if (et_method_get_output(loaded, (size_t)output, &value, NULL) !=
          ET_STATUS_OK ||
      value->tag != ET_VALUE_STRING || value->u.as_string.size > INT32_MAX) {
    return NULL;
  }
  const et_string text = value->u.as_string;
  jbyteArray bytes = (*env)->NewByteArray(env, (jsize)text.size);
  if (bytes != NULL && text.size > 0) {
    (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)text.size,
                               (const jbyte *)text.data);
  }
  return bytes;
}
