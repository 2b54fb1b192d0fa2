#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif

#include "runtime/extension/large_memory.h"

#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* madvise is called only for complete pages, so that other memory is not
 * affected. The size is a multiple of all common page sizes. */
#define LARGE_PAGE ((size_t)2 << 20)

#if defined(MADV_HUGEPAGE)
size_t et_large_page_of(size_t size) {
  return size >= LARGE_PAGE ? LARGE_PAGE : 0;
}

void et_request_large_pages(void *data, size_t size) {
  const size_t skip = (LARGE_PAGE - (uintptr_t)data % LARGE_PAGE) % LARGE_PAGE;
  if (size >= skip + LARGE_PAGE) {
    const size_t whole = (size - skip) / LARGE_PAGE * LARGE_PAGE;
    (void)madvise((uint8_t *)data + skip, whole, MADV_HUGEPAGE);
  }
}
#else
size_t et_large_page_of(size_t size) {
  (void)size;
  return 0;
}

void et_request_large_pages(void *data, size_t size) {
  (void)data;
  (void)size;
}
#endif
