/* Prints the latency of each call of MobileNetV2 in milliseconds, and a hash of the results.
 *
 *   latency [CALLS] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include NET_HEADER

static net_forward_memory memory;

static double milliseconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* FNV-1a */
static uint32_t hash_of(const void *data, size_t size) {
  const uint8_t *bytes = data;
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ bytes[i]) * 16777619u;
  }
  return hash;
}

static et_status run(int calls, et_error *error) {
  static float image[NET_FORWARD_INPUT_X_COUNT];
  net_forward_method method = {NULL};
  const float *logits = NULL;
  uint32_t state = 1;
  for (size_t i = 0; i < NET_FORWARD_INPUT_X_COUNT; i++) {
    state = state * 1664525u + 1013904223u;
    image[i] = (float)(state >> 8) * 0x1p-23f - 1.0f;
  }
  ET_RETURN_IF_ERROR(net_forward_load(&memory, NULL, &method, error));
  for (int i = 0; i < calls; i++) {
    const double start = milliseconds();
    ET_RETURN_IF_ERROR(net_forward_set_x(method, image, error));
    ET_RETURN_IF_ERROR(net_forward_execute(method, error));
    ET_RETURN_IF_ERROR(net_forward_get_output_0(method, &logits, error));
    printf("%.3f\n", milliseconds() - start);
  }
  printf("hash %08x\n", (unsigned)hash_of(logits, 1000 * sizeof(float)));
  return ET_STATUS_OK;
}

int main(int argc, char **argv) {
  et_error error = ET_ERROR_INIT;
  const int calls = argc > 1 ? atoi(argv[1]) : 20;
  if (run(calls, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
