/* Includes the header after the standard headers that define the most
 * macros. */
#include <assert.h>
#include <complex.h>
#include <errno.h>
#include <iso646.h>
#include <stdio.h>
#include "reserved_names/models_cc.h"

et_status set_one(new_static_forward_method method, const float *x);

et_status set_one(new_static_forward_method method, const float *x) {
  return new_static_forward_set_errno(method, x, NULL);
}
