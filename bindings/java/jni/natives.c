/* The native functions of generated Java classes. Natives.java declares them.
 *
 * They throw no exceptions: a failed function returns its status, and writes the
 * message to the frame. Java code holds the lock of an object during each call,
 * and has checked all ranges of arrays and buffers. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/java/jni/model.h"

static et_java_model *model_of(jlong handle) {
  return (et_java_model *)(intptr_t)handle;
}

static jint report(et_java_frame *frame, et_status status,
                   const et_error *error) {
  if (status != ET_STATUS_OK) {
    frame->status = (int64_t)status;
    memcpy(frame->message, error->message, sizeof frame->message);
  }
  return (jint)status;
}

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

static jint JNICALL natives_run(JNIEnv *env, jobject self, jlong handle,
                                jint method, jobjectArray tensors) {
  et_java_model *model = model_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)self;
  return report(model->frame,
                run_method(env, &model->methods[method], tensors, &error),
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

static jint JNICALL natives_read(JNIEnv *env, jobject self, jlong handle,
                                 jint method, jint output, jobject target,
                                 jlong begin, jboolean is_direct) {
  et_java_model *model = model_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)self;
  return report(model->frame,
                read_tensor(env, &model->methods[method], (size_t)output,
                            target, begin, is_direct != JNI_FALSE, &error),
                &error);
}

/* Returns the bytes of a string, or null if the output is not a string. */
static jbyteArray JNICALL natives_text(JNIEnv *env, jobject self, jlong handle,
                                       jint method, jint output) {
  const et_value *value = NULL;
  const et_method *loaded = model_of(handle)->methods[method].hosted.method;
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

/* ---- Objects ---- */

static void JNICALL natives_reset(JNIEnv *env, jobject self, jlong handle) {
  et_java_model *model = model_of(handle);
  (void)env;
  (void)self;
  for (size_t i = 0; i < model->spec->method_count; i++) {
    et_method_reset_state(model->methods[i].hosted.method);
  }
}

static void JNICALL natives_free(JNIEnv *env, jobject self, jlong handle) {
  (void)env;
  (void)self;
  et_java_model_free(model_of(handle));
}

/* Returns a copy of a byte array with a NUL at its end, or NULL. */
static char *copy_text(JNIEnv *env, jbyteArray bytes) {
  const jsize size = (*env)->GetArrayLength(env, bytes);
  char *text = malloc((size_t)size + 1);
  if (text != NULL) {
    (*env)->GetByteArrayRegion(env, bytes, 0, size, (jbyte *)text);
    text[size] = '\0';
  }
  return text;
}

/* Reads a file: null, a path as bytes, or a direct buffer. */
static bool read_file(JNIEnv *env, jobjectArray files, jsize index,
                      et_java_file *out) {
  jobject file = (*env)->GetObjectArrayElement(env, files, index);
  jclass bytes = (*env)->FindClass(env, "[B");
  if (file == NULL || bytes == NULL) {
    return file == NULL;
  }
  if ((*env)->IsInstanceOf(env, file, bytes)) {
    out->path = copy_text(env, file);
  } else {
    out->bytes.data = (*env)->GetDirectBufferAddress(env, file);
    out->bytes.size = (size_t)(*env)->GetDirectBufferCapacity(env, file);
  }
  (*env)->DeleteLocalRef(env, bytes);
  (*env)->DeleteLocalRef(env, file);
  return out->bytes.data != NULL || out->path != NULL;
}

/* The longs of options that precede those of backends. Options.java writes them. */
enum { MAX_STEPS, HAS_SEED, SEED, THREADS, FIRST_OPTION };

static et_value option_value(int64_t tag, int64_t bits, const char *text) {
  et_value value = {.tag = (et_value_tag)tag, .u = {.as_int = bits}};
  if (value.tag == ET_VALUE_STRING) {
    value.u.as_string.data = text;
    value.u.as_string.size = strlen(text);
  } else if (value.tag == ET_VALUE_BOOL) {
    value.u.as_bool = bits != 0;
  } else if (value.tag == ET_VALUE_DOUBLE) {
    memcpy(&value.u.as_double, &bits, sizeof bits);
  }
  return value;
}

/* Adds an option of a backend. Options of one backend are adjacent. */
static void add_option(et_java_options *options, size_t index, char **texts,
                       const jlong *value) {
  et_backend_option *option = &options->options[index];
  option->key = texts[1];
  option->value = option_value(value[0], value[1], texts[2]);
  et_backend_options *last = options->backends + options->backend_count;
  if (options->backend_count > 0 && strcmp(last[-1].id, texts[0]) == 0) {
    last[-1].count++;
    return;
  }
  last->id = texts[0];
  last->options = option;
  last->count = 1;
  options->backend_count++;
}

/* Each option has three texts: the backend, the key, and the value or "". Each
 * has two longs: the tag of the value, and its bits. */
static bool read_backend_options(JNIEnv *env, jobjectArray texts,
                                 const jlong *values,
                                 et_java_options *options) {
  const size_t count = (size_t)(*env)->GetArrayLength(env, texts) / 3;
  options->texts = calloc(3 * count + 1, sizeof *options->texts);
  options->options = calloc(count + 1, sizeof *options->options);
  options->backends = calloc(count + 1, sizeof *options->backends);
  if (options->texts == NULL || options->options == NULL ||
      options->backends == NULL) {
    return false;
  }
  for (size_t i = 0; i < 3 * count; i++) {
    jobject text = (*env)->GetObjectArrayElement(env, texts, (jsize)i);
    options->texts[i] = copy_text(env, text);
    options->text_count = i + 1;
    (*env)->DeleteLocalRef(env, text);
    if (options->texts[i] == NULL) {
      return false;
    }
  }
  for (size_t i = 0; i < count; i++) {
    add_option(options, i, options->texts + 3 * i, values + 2 * i);
  }
  return true;
}

static bool read_options(JNIEnv *env, jlongArray numbers, jobjectArray texts,
                         et_java_options *options) {
  const jsize count = (*env)->GetArrayLength(env, numbers);
  jlong *values = malloc((size_t)(count + 1) * sizeof *values);
  if (values == NULL) {
    return false;
  }
  (*env)->GetLongArrayRegion(env, numbers, 0, count, values);
  options->max_steps = (uint64_t)values[MAX_STEPS];
  options->has_seed = values[HAS_SEED] != 0;
  options->seed = (uint64_t)values[SEED];
  options->thread_count = (size_t)values[THREADS];
  const bool is_read =
      read_backend_options(env, texts, values + FIRST_OPTION, options);
  free(values);
  return is_read;
}

static et_status load_model(JNIEnv *env, const et_java_spec *spec,
                            et_java_frame *frame, size_t frame_bytes,
                            jobjectArray files, jlongArray numbers,
                            jobjectArray texts, et_java_model **out_model,
                            et_error *error) {
  static const et_java_file no_file = {.path = NULL};
  static const et_java_options no_options = {.texts = NULL};
  et_java_file read[2] = {no_file, no_file};
  et_java_options options = no_options;
  const bool is_read = read_file(env, files, 0, &read[0]) &&
                       read_file(env, files, 1, &read[1]) &&
                       read_options(env, numbers, texts, &options);
  if (!is_read) {
    et_java_discard(read, &options);
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "out of heap memory for options; free memory");
  }
  return et_java_model_create(spec, frame, frame_bytes, read, &options,
                              out_model, error);
}

/* Returns a handle, or 0 after a failure. */
static jlong JNICALL natives_load(JNIEnv *env, jobject self, jint index,
                                  jlong digest, jobject buffer,
                                  jobjectArray files, jlongArray numbers,
                                  jobjectArray texts) {
  et_java_frame *frame = (*env)->GetDirectBufferAddress(env, buffer);
  const jlong frame_bytes = (*env)->GetDirectBufferCapacity(env, buffer);
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  et_status status = ET_STATUS_OK;
  (void)self;
  if (frame == NULL || frame_bytes < (jlong)sizeof *frame) {
    return 0;
  }
  if (index < 0 || (size_t)index >= et_java_spec_count ||
      et_java_specs[index].digest != digest) {
    status = et_fail(&error, ET_STATUS_INVALID_STATE,
                     "the native library differs from the Java class; build "
                     "both from the same target");
  } else {
    status = load_model(env, &et_java_specs[index], frame, (size_t)frame_bytes,
                        files, numbers, texts, &model, &error);
  }
  (void)report(frame, status, &error);
  return (jlong)(intptr_t)model;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  static const JNINativeMethod functions[] = {
      {"load",
       "(IJLjava/nio/ByteBuffer;[Ljava/lang/Object;[J[Ljava/lang/Object;)J",
       (void *)natives_load},
      {"run", "(JI[Ljava/lang/Object;)I", (void *)natives_run},
      {"read", "(JIILjava/lang/Object;JZ)I", (void *)natives_read},
      {"text", "(JII)[B", (void *)natives_text},
      {"reset", "(J)V", (void *)natives_reset},
      {"free", "(J)V", (void *)natives_free},
  };
  JNIEnv *env = NULL;
  (void)reserved;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) {
    return JNI_ERR;
  }
  jclass type = (*env)->FindClass(env, et_java_natives_class);
  if (type == NULL || (*env)->RegisterNatives(
                          env, type, functions,
                          (jint)(sizeof functions / sizeof functions[0])) < 0) {
    return JNI_ERR;
  }
  (*env)->DeleteLocalRef(env, type);
  return JNI_VERSION_1_6;
}
