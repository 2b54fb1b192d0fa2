/* The native functions of language models. LlmNatives.java declares them.
 *
 * They throw no exceptions: a failed function writes its status and message to
 * the frame. Java code holds the lock of the object during each call except
 * `cancel`, and has checked the arguments. */
#include "bindings/java/jni/llm.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/java/jni/natives.h"
#include "executorch/llm/hosted.h"

/* An object of Llm.java: a model and a conversation. */
typedef struct llm_object {
  et_java_frame *frame;
  et_llm *llm;
  et_llm_session *session;
  /* Options of the generation in progress, which refer to the arrays. */
  et_llm_generation options;
  char **stops;
  int64_t *stop_tokens;
  et_llm_bias *biases;
  bool has_ended;
} llm_object;

static llm_object *object_of(jlong handle) {
  return (llm_object *)(intptr_t)handle;
}

static et_status fail_memory(et_error *error) {
  return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                 "out of heap memory; free memory");
}

/* ---- Arrays ---- */

/* Returns a copy of element `index` of an array of byte arrays, with a NUL at its
 * end, or NULL if the heap is exhausted. */
static char *copy_element(JNIEnv *env, jobjectArray texts, jsize index,
                          size_t *out_size) {
  jbyteArray bytes = (*env)->GetObjectArrayElement(env, texts, index);
  char *text = et_java_copy_text(env, bytes);
  *out_size = (size_t)(*env)->GetArrayLength(env, bytes);
  (*env)->DeleteLocalRef(env, bytes);
  return text;
}

static void free_texts(char **texts) {
  for (size_t i = 0; texts != NULL && texts[i] != NULL; ++i) {
    free(texts[i]);
  }
  free(texts);
}

/* Returns copies of texts, and NULL after the last one; NULL if the heap is
 * exhausted. */
static char **copy_texts(JNIEnv *env, jobjectArray texts) {
  const jsize count = (*env)->GetArrayLength(env, texts);
  char **copies = calloc((size_t)count + 1, sizeof *copies);
  for (jsize i = 0; copies != NULL && i < count; ++i) {
    size_t size = 0;
    copies[i] = copy_element(env, texts, i, &size);
    if (copies[i] == NULL) {
      free_texts(copies);
      return NULL;
    }
  }
  return copies;
}

/* Returns a copy of an array, or NULL if the heap is exhausted. */
static int64_t *copy_longs(JNIEnv *env, jlongArray longs) {
  const jsize count = (*env)->GetArrayLength(env, longs);
  int64_t *copy = calloc((size_t)count + 1, sizeof *copy);
  if (copy != NULL) {
    (*env)->GetLongArrayRegion(env, longs, 0, count, (jlong *)copy);
  }
  return copy;
}

/* Returns pairs of a token and the bits of a float, or NULL if the heap is
 * exhausted. */
static et_llm_bias *copy_biases(JNIEnv *env, jlongArray pairs) {
  const size_t count = (size_t)(*env)->GetArrayLength(env, pairs) / 2;
  int64_t *longs = copy_longs(env, pairs);
  et_llm_bias *biases = calloc(count + 1, sizeof *biases);
  if (longs != NULL && biases != NULL) {
    for (size_t i = 0; i < count; ++i) {
      const int32_t bits = (int32_t)longs[2 * i + 1];
      biases[i].token = longs[2 * i];
      memcpy(&biases[i].bias, &bits, sizeof bits);
    }
  } else {
    free(biases);
    biases = NULL;
  }
  free(longs);
  return biases;
}

/* ---- Options ---- */

/* The numbers of a generation. LlmGeneration.java writes them in this order. */
enum {
  SEED,
  MAX_TOKENS,
  OVERFLOW_POLICY,
  KEPT_TOKENS,
  TOP_K,
  GRAMMAR,
  NUMBERS
};
enum {
  TEMPERATURE,
  TOP_P,
  MIN_P,
  REPETITION,
  PRESENCE,
  FREQUENCY,
  SAMPLING_NUMBERS
};

static void free_options(llm_object *object) {
  free_texts(object->stops);
  free(object->stop_tokens);
  free(object->biases);
  object->stops = NULL;
  object->stop_tokens = NULL;
  object->biases = NULL;
}

static void read_numbers(JNIEnv *env, jlongArray numbers, jfloatArray sampling,
                         et_llm_generation *out) {
  jlong longs[NUMBERS];
  jfloat floats[SAMPLING_NUMBERS];
  (*env)->GetLongArrayRegion(env, numbers, 0, NUMBERS, longs);
  (*env)->GetFloatArrayRegion(env, sampling, 0, SAMPLING_NUMBERS, floats);
  out->seed = (uint64_t)longs[SEED];
  out->max_tokens = (size_t)longs[MAX_TOKENS];
  out->overflow = (et_llm_overflow)longs[OVERFLOW_POLICY];
  out->kept_tokens = (size_t)longs[KEPT_TOKENS];
  out->grammar =
      longs[GRAMMAR] < 0 ? NULL : et_java_llm_grammars[longs[GRAMMAR]];
  out->sampling.temperature = floats[TEMPERATURE];
  out->sampling.top_k = (uint32_t)longs[TOP_K];
  out->sampling.top_p = floats[TOP_P];
  out->sampling.min_p = floats[MIN_P];
  out->sampling.repetition = floats[REPETITION];
  out->sampling.presence = floats[PRESENCE];
  out->sampling.frequency = floats[FREQUENCY];
}

static et_status read_options(JNIEnv *env, llm_object *object,
                              jlongArray numbers, jfloatArray sampling,
                              jobjectArray stops, jlongArray stop_tokens,
                              jlongArray biases, et_error *error) {
  static const et_llm_generation defaults = {.max_tokens = 0};
  et_llm_generation *options = &object->options;
  free_options(object);
  *options = defaults;
  object->stops = copy_texts(env, stops);
  object->stop_tokens = copy_longs(env, stop_tokens);
  object->biases = copy_biases(env, biases);
  if (object->stops == NULL || object->stop_tokens == NULL ||
      object->biases == NULL) {
    return fail_memory(error);
  }
  read_numbers(env, numbers, sampling, options);
  options->stops = (const char *const *)object->stops;
  options->stop_count = (size_t)(*env)->GetArrayLength(env, stops);
  options->stop_tokens = object->stop_tokens;
  options->stop_token_count = (size_t)(*env)->GetArrayLength(env, stop_tokens);
  options->biases = object->biases;
  options->bias_count = (size_t)(*env)->GetArrayLength(env, biases) / 2;
  return ET_STATUS_OK;
}

/* ---- Generation ---- */

/* Sets the roles and texts of messages. The caller frees the texts, also after a
 * failure. */
static et_status read_messages(JNIEnv *env, jintArray roles, jobjectArray texts,
                               et_llm_message *out, et_error *error) {
  const jsize count = (*env)->GetArrayLength(env, texts);
  for (jsize i = 0; i < count; ++i) {
    jint role = 0;
    (*env)->GetIntArrayRegion(env, roles, i, 1, &role);
    out[i].role = (et_chat_role)role;
    out[i].text = copy_element(env, texts, i, &out[i].size);
    if (out[i].text == NULL) {
      return fail_memory(error);
    }
  }
  return ET_STATUS_OK;
}

static et_status begin_messages(JNIEnv *env, llm_object *object,
                                jintArray roles, jobjectArray texts,
                                bool continues, et_error *error) {
  const size_t count = (size_t)(*env)->GetArrayLength(env, texts);
  et_llm_message *messages = calloc(count + 1, sizeof *messages);
  if (messages == NULL) {
    return fail_memory(error);
  }
  et_status status = read_messages(env, roles, texts, messages, error);
  if (status == ET_STATUS_OK) {
    const et_llm_prompt prompt = {
        .messages = messages, .message_count = count, .continues = continues};
    status = et_llm_begin(object->session, &prompt, &object->options, error);
  }
  for (size_t i = 0; i < count; ++i) {
    free((char *)messages[i].text);
  }
  free(messages);
  return status;
}

static jint JNICALL llm_begin(JNIEnv *env, jobject self, jlong handle,
                              jintArray roles, jobjectArray texts,
                              jboolean continues, jlongArray numbers,
                              jfloatArray sampling, jobjectArray stops,
                              jlongArray stop_tokens, jlongArray biases) {
  llm_object *object = object_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)self;
  object->has_ended = false;
  et_status status = read_options(env, object, numbers, sampling, stops,
                                  stop_tokens, biases, &error);
  if (status == ET_STATUS_OK) {
    status = begin_messages(env, object, roles, texts, continues != 0, &error);
  }
  return et_java_report(object->frame, status, &error);
}

/* Returns the next text of the answer, or null at its end and after a failure.
 * The status is 0 at the end. */
static jbyteArray JNICALL llm_next(JNIEnv *env, jobject self, jlong handle) {
  llm_object *object = object_of(handle);
  et_llm_piece piece = {.finish = ET_LLM_FINISH_NONE};
  et_status status = ET_STATUS_OK;
  et_error error = ET_ERROR_INIT;
  (void)self;
  while (status == ET_STATUS_OK && piece.size == 0 && !object->has_ended) {
    status = et_llm_next(object->session, &piece, &error);
    object->has_ended = piece.finish != ET_LLM_FINISH_NONE;
  }
  object->frame->status = ET_STATUS_OK;
  if (et_java_report(object->frame, status, &error) != ET_STATUS_OK ||
      piece.size == 0) {
    return NULL;
  }
  jbyteArray text = (*env)->NewByteArray(env, (jsize)piece.size);
  if (text != NULL) {
    (*env)->SetByteArrayRegion(env, text, 0, (jsize)piece.size,
                               (const jbyte *)piece.text);
  }
  return text;
}

static void JNICALL llm_cancel(JNIEnv *env, jobject self, jlong handle) {
  (void)env;
  (void)self;
  et_llm_cancel(object_of(handle)->session);
}

/* ---- Conversation ---- */

static jint JNICALL llm_rewind(JNIEnv *env, jobject self, jlong handle,
                               jlong count) {
  llm_object *object = object_of(handle);
  et_error error = ET_ERROR_INIT;
  (void)env;
  (void)self;
  const et_status status =
      et_llm_rewind(object->session, (size_t)count, &error);
  return et_java_report(object->frame, status, &error);
}

/* Selects an adapter by its name, or none for null. */
static jint JNICALL llm_set_adapter(JNIEnv *env, jobject self, jlong handle,
                                    jbyteArray name) {
  llm_object *object = object_of(handle);
  et_error error = ET_ERROR_INIT;
  et_status status = ET_STATUS_OK;
  (void)self;
  char *text = name == NULL ? NULL : et_java_copy_text(env, name);
  if (name != NULL && text == NULL) {
    status = fail_memory(&error);
  } else {
    status = et_llm_set_adapter(object->session, text, &error);
  }
  free(text);
  return et_java_report(object->frame, status, &error);
}

/* Returns the name of an adapter, or null after the last one. */
static jbyteArray JNICALL llm_adapter(JNIEnv *env, jobject self, jint index) {
  (void)self;
  if ((size_t)index >= et_java_llm_model->adapter_count) {
    return NULL;
  }
  const char *name = et_java_llm_model->adapters[index].name;
  const jsize size = (jsize)strlen(name);
  jbyteArray bytes = (*env)->NewByteArray(env, size);
  if (bytes != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)name);
  }
  return bytes;
}

static jlongArray JNICALL llm_tokens(JNIEnv *env, jobject self, jlong handle) {
  size_t count = 0;
  const int64_t *tokens = et_llm_get_tokens(object_of(handle)->session, &count);
  jlongArray copy = (*env)->NewLongArray(env, (jsize)count);
  (void)self;
  if (copy != NULL) {
    (*env)->SetLongArrayRegion(env, copy, 0, (jsize)count,
                               (const jlong *)tokens);
  }
  return copy;
}

/* Returns the members of et_llm_stats, in their order. */
static jdoubleArray JNICALL llm_stats(JNIEnv *env, jobject self, jlong handle) {
  const et_llm_stats *stats = et_llm_get_stats(object_of(handle)->session);
  const jdouble values[] = {
      (jdouble)stats->prompt_tokens,    (jdouble)stats->reused_tokens,
      (jdouble)stats->generated_tokens, stats->prompt_seconds,
      stats->generation_seconds,        (jdouble)stats->finish,
  };
  const jsize count = (jsize)(sizeof values / sizeof values[0]);
  jdoubleArray array = (*env)->NewDoubleArray(env, count);
  (void)self;
  if (array != NULL) {
    (*env)->SetDoubleArrayRegion(env, array, 0, count, values);
  }
  return array;
}

static jlong JNICALL llm_context(JNIEnv *env, jobject self, jlong handle) {
  (void)env;
  (void)self;
  return (jlong)et_llm_get_info(object_of(handle)->llm)->context;
}

/* ---- Objects ---- */

static void JNICALL llm_free(JNIEnv *env, jobject self, jlong handle) {
  llm_object *object = object_of(handle);
  (void)env;
  (void)self;
  if (object != NULL) {
    et_llm_session_destroy(object->session);
    et_llm_destroy(object->llm);
    free_options(object);
    free(object);
  }
}

/* Returns a handle, or 0 after a failure. */
static jlong JNICALL llm_create(JNIEnv *env, jobject self, jobject buffer,
                                jint threads) {
  et_java_frame *frame = (*env)->GetDirectBufferAddress(env, buffer);
  llm_object *object = calloc(1, sizeof *object);
  et_error error = ET_ERROR_INIT;
  et_status status = ET_STATUS_OK;
  if (object == NULL) {
    status = fail_memory(&error);
  } else {
    object->frame = frame;
    object->has_ended = true;
    status =
        et_llm_create(et_java_llm_model, (size_t)threads, &object->llm, &error);
  }
  if (status == ET_STATUS_OK) {
    status = et_llm_session_create(object->llm, &object->session, &error);
  }
  if (et_java_report(frame, status, &error) != ET_STATUS_OK) {
    llm_free(env, self, (jlong)(intptr_t)object);
    return 0;
  }
  return (jlong)(intptr_t)object;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  static const JNINativeMethod functions[] = {
      {"create", "(Ljava/nio/ByteBuffer;I)J", (void *)llm_create},
      {"begin", "(J[I[Ljava/lang/Object;Z[J[F[Ljava/lang/Object;[J[J)I",
       (void *)llm_begin},
      {"next", "(J)[B", (void *)llm_next},
      {"cancel", "(J)V", (void *)llm_cancel},
      {"rewind", "(JJ)I", (void *)llm_rewind},
      {"setAdapter", "(J[B)I", (void *)llm_set_adapter},
      {"adapter", "(I)[B", (void *)llm_adapter},
      {"tokens", "(J)[J", (void *)llm_tokens},
      {"stats", "(J)[D", (void *)llm_stats},
      {"context", "(J)J", (void *)llm_context},
      {"free", "(J)V", (void *)llm_free},
  };
  (void)reserved;
  return et_java_register(vm, et_java_llm_class, functions,
                          sizeof functions / sizeof functions[0]);
}
