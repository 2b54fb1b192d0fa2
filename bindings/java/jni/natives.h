/* The native functions of generated Java classes. Natives.java declares them.
 *
 * They throw no exceptions: a failed function returns its status, and writes the
 * message to the frame. Java code holds the lock of an object during each call,
 * and has checked all ranges of arrays and buffers. */
#ifndef BINDINGS_JAVA_JNI_NATIVES_H_
#define BINDINGS_JAVA_JNI_NATIVES_H_

#include <jni.h>

#include "bindings/java/jni/model.h"

static inline et_java_model *et_java_model_of(jlong handle) {
  return (et_java_model *)(intptr_t)handle;
}

/* Writes a failure to the frame, and returns the status. */
jint et_java_report(et_java_frame *frame, et_status status,
                    const et_error *error);

/* Returns a copy of a byte array with a NUL at its end, or NULL if the heap is
 * exhausted. */
char *et_java_copy_text(JNIEnv *env, jbyteArray bytes);

/* Registers the native functions of a class. Returns the result of JNI_OnLoad. */
jint et_java_register(JavaVM *vm, const char *class_name,
                      const JNINativeMethod *functions, size_t count);

/* Sets the inputs that the frame describes, and runs a method. */
jint JNICALL et_java_natives_run(JNIEnv *env, jobject self, jlong handle,
                                 jint method, jobjectArray tensors);

/* Copies the elements of an output to an array or a direct buffer. */
jint JNICALL et_java_natives_read(JNIEnv *env, jobject self, jlong handle,
                                  jint method, jint output, jobject target,
                                  jlong begin, jboolean is_direct);

/* Returns the bytes of a string, or null if the output is not a string. */
jbyteArray JNICALL et_java_natives_text(JNIEnv *env, jobject self, jlong handle,
                                        jint method, jint output);

#endif /* BINDINGS_JAVA_JNI_NATIVES_H_ */
