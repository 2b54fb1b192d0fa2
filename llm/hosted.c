/* clock_gettime is POSIX, not C11. */
#define _POSIX_C_SOURCE 199309L

#include "executorch/llm/hosted.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/cpu/threads/pool.h"
#include "executorch/method.h"
#include "runtime/extension/large_memory.h"

/* Precedes a session in its allocation. */
typedef struct block {
  void *allocation;
} block;

/* Precedes a model in its allocation. */
typedef struct host {
  et_cpu_pool pool;
  void *allocation;
} host;

enum {
  kHostBytes = (sizeof(host) + ET_MEMORY_ALIGNMENT - 1) &
      ~(ET_MEMORY_ALIGNMENT - 1),
  kBlockBytes = (sizeof(block) + ET_MEMORY_ALIGNMENT - 1) &
      ~(ET_MEMORY_ALIGNMENT - 1),
};

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Allocates `before` + `size` bytes. `*out_memory` is aligned, and starts after `before` bytes,
 * which are zero. Returns the allocation, or NULL. */
static void *allocate(size_t before, size_t size, uint8_t **out_memory) {
  const size_t large = et_large_page_of(size);
  const size_t alignment = large > 0 ? large : ET_MEMORY_ALIGNMENT;
  if (size > SIZE_MAX - before - alignment) {
    return NULL;
  }
  uint8_t *allocation = malloc(before + size + alignment);
  if (allocation == NULL) {
    return NULL;
  }
  const size_t over = ((uintptr_t)allocation + before) % alignment;
  *out_memory = allocation + before + (over == 0 ? 0 : alignment - over);
  memset(*out_memory - before, 0, before);
  et_request_large_pages(*out_memory, size);
  return allocation;
}

static et_status fail_heap(size_t bytes, et_error *error) {
  return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                 "out of heap memory: %zu bytes are needed; free memory, or "
                 "use a smaller model or context",
                 bytes);
}

et_status et_llm_create(const et_llm_model *model, size_t threads,
                        et_llm **out_llm, et_error *error) {
  et_llm_options options = {.clock = nanoseconds};
  et_llm_info info;
  uint8_t *memory = NULL;
  ET_RETURN_IF_ERROR(et_llm_measure(model, &options, &info, error));
  void *allocation = allocate(kHostBytes, info.llm_bytes, &memory);
  if (allocation == NULL) {
    return fail_heap(info.llm_bytes, error);
  }
  host *host = (void *)(memory - kHostBytes);
  host->allocation = allocation;
  et_status status = et_cpu_pool_create(&host->pool, threads, error);
  if (status == ET_STATUS_OK) {
    const et_mutable_span span = {memory, info.llm_bytes};
    options.parallel = &host->pool.parallel;
    status = et_llm_open(model, &options, span, out_llm, error);
    if (status != ET_STATUS_OK) {
      et_cpu_pool_destroy(&host->pool);
    }
  }
  if (status != ET_STATUS_OK) {
    free(allocation);
  }
  return status;
}

void et_llm_destroy(et_llm *llm) {
  if (llm != NULL) {
    host *host = (void *)((uint8_t *)llm - kHostBytes);
    et_cpu_pool_destroy(&host->pool);
    free(host->allocation);
  }
}

et_status et_llm_session_create(et_llm *llm, et_llm_session **out_session,
                                et_error *error) {
  const size_t size = et_llm_get_info(llm)->session_bytes;
  uint8_t *memory = NULL;
  et_error_clear(error);
  void *allocation = allocate(kBlockBytes, size, &memory);
  if (allocation == NULL) {
    return fail_heap(size, error);
  }
  ((block *)(void *)(memory - kBlockBytes))->allocation = allocation;
  const et_mutable_span span = {memory, size};
  const et_status status = et_llm_session_open(llm, span, out_session, error);
  if (status != ET_STATUS_OK) {
    free(allocation);
  }
  return status;
}

void et_llm_session_destroy(et_llm_session *session) {
  if (session != NULL) {
    et_llm_session_close(session);
    free(((block *)(void *)((uint8_t *)session - kBlockBytes))->allocation);
  }
}

et_status et_llm_chat(et_llm_session *session, const char *text,
                      const et_llm_generation *options, et_llm_text_fn on_text,
                      void *user, et_error *error) {
  const et_llm_message message = {ET_CHAT_USER, text, strlen(text)};
  const et_llm_prompt prompt = {
      .messages = &message, .message_count = 1, .continues = true};
  return et_llm_generate(session, &prompt, options, on_text, user, error);
}
