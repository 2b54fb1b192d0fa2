/* Functions of all native libraries for Java. */
#include <stdlib.h>
#include <string.h>

#include "bindings/java/jni/natives.h"

jint et_java_report(et_java_frame *frame, et_status status,
                    const et_error *error) {
  if (status != ET_STATUS_OK) {
    frame->status = (int64_t)status;
    memcpy(frame->message, error->message, sizeof frame->message);
  }
  return (jint)status;
}

char *et_java_copy_text(JNIEnv *env, jbyteArray bytes) {
  const jsize size = (*env)->GetArrayLength(env, bytes);
  char *text = malloc((size_t)size + 1);
  if (text != NULL) {
    (*env)->GetByteArrayRegion(env, bytes, 0, size, (jbyte *)text);
    text[size] = '\0';
  }
  return text;
}

jint et_java_register(JavaVM *vm, const char *class_name,
                      const JNINativeMethod *functions, size_t count) {
  JNIEnv *env = NULL;
  if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) {
    return JNI_ERR;
  }
  jclass type = (*env)->FindClass(env, class_name);
  if (type == NULL ||
      (*env)->RegisterNatives(env, type, functions, (jint)count) < 0) {
    return JNI_ERR;
  }
  (*env)->DeleteLocalRef(env, type);
  return JNI_VERSION_1_6;
}
