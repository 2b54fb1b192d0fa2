/* Requests large pages for allocations of many megabytes. */
#ifndef RUNTIME_EXTENSION_LARGE_MEMORY_H_
#define RUNTIME_EXTENSION_LARGE_MEMORY_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Requests large pages for `size` bytes at `data`, which have not been written
 * yet.
 *
 * Large pages take about a tenth of the time to allocate, and avoid TLB misses
 * in sequential reads. The request is a hint: without support for large pages,
 * nothing happens. */
void et_request_large_pages(void *data, size_t size);

/* Returns the alignment that places memory of `size` bytes at the start of a
 * large page, or 0 if alignment does not matter. Padding is never written and
 * takes no physical memory. */
size_t et_large_page_of(size_t size);

#ifdef __cplusplus
}
#endif

#endif /* RUNTIME_EXTENSION_LARGE_MEMORY_H_ */
