/* The C side of JavaCalls.java: the same calls of the same models. */
#define _POSIX_C_SOURCE 200809L
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "models/mobilenet_cpu_cc.h"
#include "runtime/size/add_cc.h"

enum { IMAGE_ELEMENTS = 3 * 224 * 224 };

static add_forward_memory add_memory;
static add_forward_method add;
static models_mobilenet_cpu_forward_memory net_memory;
static models_mobilenet_cpu_forward_method net;
static float image[IMAGE_ELEMENTS];

/* Nanoseconds of CPU time of this thread. */
static int64_t cpu_time(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

JNIEXPORT jlong JNICALL Java_benchmarks_JavaCalls_cpuTime(JNIEnv *env,
                                                          jclass type) {
  (void)env;
  (void)type;
  return cpu_time();
}

/* Loads the models. Returns 0, or a status. */
JNIEXPORT jint JNICALL Java_benchmarks_JavaCalls_load(JNIEnv *env,
                                                      jclass type) {
  (void)env;
  (void)type;
  for (size_t i = 0; i < IMAGE_ELEMENTS; i++) {
    image[i] = (float)(i % 255) / 255;
  }
  const et_status status = add_forward_load(&add_memory, NULL, &add, NULL);
  return (jint)(status != ET_STATUS_OK ? status
                                       : models_mobilenet_cpu_forward_load(
                                             &net_memory, NULL, &net, NULL));
}

/* Returns the CPU time of `count` additions. */
JNIEXPORT jlong JNICALL Java_benchmarks_JavaCalls_addInC(JNIEnv *env,
                                                         jclass type,
                                                         jint count) {
  static const float a[9] = {1}, b[9] = {2};
  et_error error;
  const float *result = NULL;
  const int64_t begin = cpu_time();
  (void)env;
  (void)type;
  for (jint i = 0; i < count; i++) {
    if (add_forward_set_input_0(add, a, &error) != ET_STATUS_OK ||
        add_forward_set_input_1(add, b, &error) != ET_STATUS_OK ||
        add_forward_execute(add, &error) != ET_STATUS_OK ||
        add_forward_get_output_0(add, &result, &error) != ET_STATUS_OK) {
      return -1;
    }
  }
  return cpu_time() - begin;
}

/* Returns the CPU time of a call of MobileNetV2. */
JNIEXPORT jlong JNICALL Java_benchmarks_JavaCalls_classifyInC(JNIEnv *env,
                                                              jclass type) {
  et_error error;
  const int64_t begin = cpu_time();
  (void)env;
  (void)type;
  if (models_mobilenet_cpu_forward_set_x(net, image, &error) != ET_STATUS_OK ||
      models_mobilenet_cpu_forward_execute(net, &error) != ET_STATUS_OK) {
    return -1;
  }
  return cpu_time() - begin;
}
