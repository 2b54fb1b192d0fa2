#include <string.h>

#include "runtime/core/limits.h"
#include "runtime/core/reason.h"
#include "runtime/program/order.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

et_status et_verify_name(et_string name, const char *what, uint32_t index,
                         et_error *error) {
  if (name.size == 0) {
    return et_fail_program(error, "%s[%u] has no name", what, (unsigned)index);
  }
  if (name.size > ET_LIMIT_NAME_BYTES) {
    return et_fail_program(
        error, "%s[%u]: a name of %zu bytes, more than the limit of %d", what,
        (unsigned)index, name.size, ET_LIMIT_NAME_BYTES);
  }
  if (memchr(name.data, '\0', name.size) != NULL) {
    return et_fail_program(error, "%s[%u]: the name has a NUL inside", what,
                           (unsigned)index);
  }
  return ET_STATUS_OK;
}

/* Names are looked at in the order of their lengths and bytes. */
typedef struct name_walk {
  const et_fb_vector tables;
  uint16_t field;
  const char *what;
  const char *called;
  uint32_t before; /* UINT32_MAX: none yet */
} name_walk;

static int compare_names(void *context, uint32_t a, uint32_t b) {
  const name_walk *walk = context;
  const et_fb_table first = et_fb_child_at(walk->tables, a);
  const et_fb_table second = et_fb_child_at(walk->tables, b);
  const et_string x = et_fb_text(first, walk->field);
  const et_string y = et_fb_text(second, walk->field);
  return et_string_compare(x, y);
}

static et_status check_differs(void *context, uint32_t index, et_error *error) {
  name_walk *walk = context;
  if (walk->before != UINT32_MAX &&
      compare_names(walk, walk->before, index) == 0) {
    return et_fail_program(error, "%s[%u] has the %s of %s[%u]", walk->what,
                           (unsigned)index, walk->called, walk->what,
                           (unsigned)walk->before);
  }
  walk->before = index;
  return ET_STATUS_OK;
}

et_status et_verify_distinct(et_fb_vector tables, uint16_t field,
                             const char *what, const char *called,
                             et_error *error) {
  name_walk walk = {tables, field, what, called, UINT32_MAX};
  const et_order order = {what, compare_names, check_differs, &walk};
  return et_order_walk(&order, et_fb_count(tables), error);
}
