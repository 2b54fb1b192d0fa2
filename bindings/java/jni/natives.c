/* Native functions that load and unload models, and their registration. */
#include "bindings/java/jni/natives.h"

#include <stdlib.h>
#include <string.h>

static void JNICALL natives_reset(JNIEnv *env, jobject self, jlong handle) {
  et_java_model *model = et_java_model_of(handle);
  (void)env;
  (void)self;
  for (size_t i = 0; i < model->spec.method_count; i++) {
    et_method_reset_state(model->methods[i].hosted.method);
  }
}

static void JNICALL natives_free(JNIEnv *env, jobject self, jlong handle) {
  (void)env;
  (void)self;
  et_java_model_free(et_java_model_of(handle));
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
    out->path = et_java_copy_text(env, file);
  } else {
    out->bytes.data = (*env)->GetDirectBufferAddress(env, file);
    out->bytes.size = (size_t)(*env)->GetDirectBufferCapacity(env, file);
  }
  (*env)->DeleteLocalRef(env, bytes);
  (*env)->DeleteLocalRef(env, file);
  return out->bytes.data != NULL || out->path != NULL;
}

/* The largest description of a program. Methods of larger programs would need
 * large frames. */
enum { MAX_DESCRIPTION_BYTES = 1 << 20 };

/* The longs of options that precede those of backends. Options.java writes them. */
enum { MAX_STEPS, HAS_SEED, SEED, THREADS, MAX_MEMORY, FIRST_OPTION };

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
    options->texts[i] = et_java_copy_text(env, text);
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
  options->max_memory = (uint64_t)values[MAX_MEMORY];
  options->has_seed = values[HAS_SEED] != 0;
  options->seed = (uint64_t)values[SEED];
  options->thread_count = (size_t)values[THREADS];
  const bool is_read =
      read_backend_options(env, texts, values + FIRST_OPTION, options);
  free(values);
  return is_read;
}

static et_status load_model(JNIEnv *env, const et_java_spec *spec,
                            jint selected, et_java_frame *frame,
                            size_t frame_bytes, jobjectArray files,
                            jlongArray numbers, jobjectArray texts,
                            et_java_model **out_model, et_error *error) {
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
  return et_java_model_create(spec, selected, frame, frame_bytes, read,
                              &options, out_model, error);
}

/* Returns the model that Java selects, or NULL if the class is that of another
 * library. A library for any program has one spec; `index` is then that of a
 * method. */
static const et_java_spec *find_spec(jint index, jlong digest) {
  if (et_java_describe_program != NULL) {
    return &et_java_specs[0];
  }
  return index >= 0 && (size_t)index < et_java_spec_count &&
                 et_java_specs[index].digest == digest
             ? &et_java_specs[index]
             : NULL;
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
  const et_java_spec *spec = find_spec(index, digest);
  if (spec == NULL) {
    status = et_fail(&error, ET_STATUS_INVALID_STATE,
                     "the native library differs from the Java class; build "
                     "both from the same target");
  } else {
    status = load_model(env, spec, index, frame, (size_t)frame_bytes, files,
                        numbers, texts, &model, &error);
  }
  (void)et_java_report(frame, status, &error);
  return (jlong)(intptr_t)model;
}

/* Returns the description of the program's methods, or null after a failure. */
static jbyteArray JNICALL natives_describe(JNIEnv *env, jobject self,
                                           jlong handle) {
  et_java_model *model = et_java_model_of(handle);
  size_t size = MAX_DESCRIPTION_BYTES;
  uint8_t *bytes = malloc(size);
  et_error error = ET_ERROR_INIT;
  jbyteArray described = NULL;
  (void)self;
  const et_status status =
      bytes == NULL
          ? et_fail(&error, ET_STATUS_MEMORY_TOO_SMALL,
                    "out of heap memory; free memory")
          : et_java_describe_program(&model->program, bytes, &size, &error);
  if (et_java_report(model->frame, status, &error) == ET_STATUS_OK) {
    described = (*env)->NewByteArray(env, (jsize)size);
  }
  if (described != NULL) {
    (*env)->SetByteArrayRegion(env, described, 0, (jsize)size,
                               (const jbyte *)bytes);
  }
  free(bytes);
  return described;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  static const JNINativeMethod functions[] = {
      {"load",
       "(IJLjava/nio/ByteBuffer;[Ljava/lang/Object;[J[Ljava/lang/Object;)J",
       (void *)natives_load},
      {"run", "(JI[Ljava/lang/Object;)I", (void *)et_java_natives_run},
      {"read", "(JIILjava/lang/Object;JZ)I", (void *)et_java_natives_read},
      {"text", "(JII)[B", (void *)et_java_natives_text},
      {"reset", "(J)V", (void *)natives_reset},
      {"free", "(J)V", (void *)natives_free},
      {"describe", "(J)[B", (void *)natives_describe},
  };
  const size_t count = sizeof functions / sizeof functions[0] -
                       (et_java_describe_program == NULL);
  (void)reserved;
  return et_java_register(vm, et_java_natives_class, functions, count);
}
