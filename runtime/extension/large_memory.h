/* Memory of many megabytes. */
#ifndef RUNTIME_EXTENSION_LARGE_MEMORY_H_
#define RUNTIME_EXTENSION_LARGE_MEMORY_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Asks the operating system for large pages where `size` bytes at `data`, which have
 * not been written yet, have room for some: they are there for a tenth of the time,
 * and reading all of them misses no address translation. A wish: where there are no
 * such pages nothing happens. */
void et_wish_large_pages(void *data, size_t size);

/* Where memory of `size` bytes should begin so that its first bytes lie in a large
 * page: at a multiple of this; 0: anywhere, there is none. What is skipped for that is
 * never written, and takes no memory. */
size_t et_large_page_of(size_t size);

#ifdef __cplusplus
}
#endif

#endif /* RUNTIME_EXTENSION_LARGE_MEMORY_H_ */
