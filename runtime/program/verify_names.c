#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

static et_status check_name(et_fb_vector name, const char *what, uint32_t index,
                            et_error *error) {
  const uint32_t size = et_fb_count(name);
  if (size == 0) {
    return et_fail_program(error, "%s[%u]: the name is empty", what,
                           (unsigned)index);
  }
  if (size > ET_LIMIT_NAME_BYTES) {
    return et_fail_program(
        error, "%s[%u]: a name of %u bytes exceeds the limit of %d", what,
        (unsigned)index, (unsigned)size, ET_LIMIT_NAME_BYTES);
  }
  if (memchr(et_fb_first(name), '\0', size) != NULL) {
    return et_fail_program(error, "%s[%u]: the name contains a NUL", what,
                           (unsigned)index);
  }
  return ET_STATUS_OK;
}

et_status et_verify_names(et_fb_vector tables, uint16_t field, const char *what,
                          et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(tables); i++) {
    const et_fb_vector name = et_fb_list(et_fb_child_at(tables, i), field);
    ET_RETURN_IF_ERROR(check_name(name, what, i, error));
  }
  return ET_STATUS_OK;
}

/* Visits names sorted by length, then by bytes. */
typedef struct name_walk {
  const et_fb_vector tables;
  uint16_t field;
  const char *what;
  const char *called;
  uint32_t before; /* previous element; UINT32_MAX at the start */
} name_walk;

static int compare_names(void *context, uint32_t a, uint32_t b) {
  const name_walk *walk = context;
  const et_fb_vector x =
      et_fb_list(et_fb_child_at(walk->tables, a), walk->field);
  const et_fb_vector y =
      et_fb_list(et_fb_child_at(walk->tables, b), walk->field);
  const uint32_t size = et_fb_count(x);
  if (size != et_fb_count(y)) {
    return size > et_fb_count(y) ? 1 : -1;
  }
  return memcmp(et_fb_first(x), et_fb_first(y), size);
}

static et_status check_differs(void *context, uint32_t index, et_error *error) {
  name_walk *walk = context;
  if (walk->before != UINT32_MAX &&
      compare_names(walk, walk->before, index) == 0) {
    return et_fail_program(error, "%s[%u] has the same %s as %s[%u]",
                           walk->what, (unsigned)index, walk->called,
                           walk->what, (unsigned)walk->before);
  }
  walk->before = index;
  return ET_STATUS_OK;
}

et_status et_verify_distinct(et_fb_vector tables, uint16_t field,
                             const char *what, const char *called,
                             et_error *error) {
  ET_RETURN_IF_ERROR(et_verify_names(tables, field, what, error));
  name_walk walk = {tables, field, what, called, UINT32_MAX};
  const et_order order = {what, compare_names, check_differs, &walk};
  return et_order_walk(&order, et_fb_count(tables), error);
}
