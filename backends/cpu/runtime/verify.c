#include "backends/cpu/ops/op_schema.h"
#include "backends/cpu/runtime/handle.h"
#include "runtime/core/arithmetic.h"

/* Maximum number of comparisons of extents. It limits verification to milliseconds. */
#define MAX_COMPARISONS (UINT32_C(1) << 24)

typedef struct verifier {
  const et_cpu_handle *handle;
  et_error *error;
  uint32_t comparisons;
} verifier;

/* A byte range within a place. */
typedef struct extent {
  uint8_t place;
  uint32_t index;
  uint64_t start;
  uint64_t end;
} extent;

static extent extent_of(const et_cpu_handle *handle,
                        const et_cpu_tensor *tensor) {
  const et_cpu_slot slot = handle->slots[tensor - handle->tensors];
  const extent e = {tensor->place, slot.index, slot.offset,
                    slot.offset + (uint64_t)tensor->bytes};
  return e;
}

static bool same_place(const extent *a, const extent *b) {
  return a->place == b->place && a->index == b->index;
}

static bool overlap(const extent *a, const extent *b) {
  return same_place(a, b) && a->start < b->end && b->start < a->end;
}

static et_status fail_op(const verifier *v, uint32_t index,
                         const char *reason) {
  return et_fail(v->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload: ops[%u] %s", (unsigned)index, reason);
}

static bool is_spent(const verifier *v) {
  return v->comparisons >= MAX_COMPARISONS;
}

static et_status fail_spent(const verifier *v, uint32_t index) {
  return fail_op(v, index, "exceeds the verifier's limit");
}

static size_t tensor_count(const et_cpu_op *op) {
  return (size_t)op->input_count + op->output_count + op->workspace_count;
}

/* Returns true if output 0 may overwrite this input. */
static bool is_in_place(const et_cpu_op *op, size_t written, size_t other) {
  return written == op->input_count && other < op->input_count &&
         other + 1 == op->type->schema->in_place;
}

/* Checks that tensor `written` of the op does not overlap other tensors of the op, except for an
 * input that it may overwrite. */
static et_status check_apart(verifier *v, uint32_t index, const et_cpu_op *op,
                             size_t written) {
  const extent mine = extent_of(v->handle, op->tensors[written]);
  for (size_t i = 0; i < tensor_count(op); i++) {
    const extent other = extent_of(v->handle, op->tensors[i]);
    if (i == written || !overlap(&mine, &other) ||
        (is_in_place(op, written, i) && mine.start == other.start &&
         mine.end == other.end)) {
      continue;
    }
    return fail_op(v, index, "overwrites another of its tensors");
  }
  v->comparisons += (uint32_t)tensor_count(op);
  return is_spent(v) ? fail_spent(v, index) : ET_STATUS_OK;
}

static et_status check_writes(verifier *v, uint32_t index,
                              const et_cpu_op *op) {
  for (size_t i = op->input_count; i < tensor_count(op); i++) {
    const uint8_t place = op->tensors[i]->place;
    const bool is_output = i < (size_t)op->input_count + op->output_count;
    if (place != ET_CPU_PLACE_SCRATCH &&
        !(is_output &&
          (place == ET_CPU_PLACE_OUTPUT || place == ET_CPU_PLACE_STATE))) {
      return fail_op(v, index, "writes to memory that it must not modify");
    }
    ET_RETURN_IF_ERROR(check_apart(v, index, op, i));
  }
  return ET_STATUS_OK;
}

/* Returns the end of a byte range that starts at `read.start`, was written by an output of the
 * first `count` ops, and was not overwritten by a later workspace. Returns `read.start` if there is
 * none. Searches backward, because the writer is usually a recent op. */
static uint64_t covered_to(verifier *v, const extent *read, uint32_t count) {
  uint64_t end = read->end;
  for (uint32_t i = count; i > 0 && !is_spent(v); i--) {
    const et_cpu_op *op = &v->handle->ops[i - 1];
    size_t k = op->input_count;
    const size_t workspaces = k + op->output_count;
    v->comparisons++; /* limits the work for ops without outputs */
    for (; k < workspaces + op->workspace_count; k++) {
      const extent other = extent_of(v->handle, op->tensors[k]);
      v->comparisons++;
      if (!same_place(&other, read) || other.end <= read->start) {
        continue;
      }
      if (other.start > read->start) {
        end = et_min_u64(end, other.start);
        continue;
      }
      return k < workspaces ? et_min_u64(end, other.end) : read->start;
    }
  }
  return read->start;
}

/* Returns true if the first `count` ops have written all bytes of `tensor`. */
static bool is_written(verifier *v, const et_cpu_tensor *tensor,
                       uint32_t count) {
  extent left = extent_of(v->handle, tensor);
  if (tensor->place != ET_CPU_PLACE_SCRATCH &&
      tensor->place != ET_CPU_PLACE_OUTPUT) {
    return true;
  }
  while (left.start < left.end) {
    const uint64_t to = covered_to(v, &left, count);
    if (to == left.start) {
      return false;
    }
    left.start = to;
  }
  return true;
}

static et_status check_reads(verifier *v, uint32_t index, const et_cpu_op *op) {
  for (size_t i = 0; i < op->input_count; i++) {
    if (!is_written(v, op->tensors[i], index)) {
      return is_spent(v)
                 ? fail_spent(v, index)
                 : fail_op(v, index, "reads a tensor before it is written");
    }
  }
  return ET_STATUS_OK;
}

static et_status check_outputs(verifier *v) {
  const et_cpu_payload *payload = &v->handle->payload;
  for (uint32_t i = 0; i < payload->output_count; i++) {
    const uint32_t value = v->handle->arguments[payload->input_count + i].value;
    if (value == ET_CPU_NO_VALUE ||
        !is_written(v, &v->handle->tensors[value], payload->op_count)) {
      return et_fail(v->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                     "payload: output %u is not written", (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

/* If the op works in place, checks that the input and the output have the same dtype and number of
 * elements, because the op overwrites element by element. check_apart() has checked, with dims at
 * their maxima, that both have the same size in bytes. */
static et_status check_in_place(const et_cpu_handle *handle,
                                const et_cpu_op *op, et_error *error) {
  const size_t input = op->type->schema->in_place;
  if (input == 0 || input > op->input_count || op->output_count == 0) {
    return ET_STATUS_OK;
  }
  const et_cpu_tensor *x = op->tensors[input - 1];
  const et_cpu_tensor *y = op->tensors[op->input_count];
  const extent from = extent_of(handle, x);
  const extent to = extent_of(handle, y);
  const bool fits = x->dtype == y->dtype && x->numel == y->numel;
  return fits || !overlap(&from, &to) || from.start != to.start
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                       "%s: in-place input has %zu elements of %s, output has "
                       "%zu of %s",
                       op->type->schema->name, x->numel,
                       et_scalar_type_name(x->dtype), y->numel,
                       et_scalar_type_name(y->dtype));
}

/* Returns true if the sizes and dims of the op are the same in all calls. */
static bool is_static(const et_cpu_handle *handle, const et_cpu_op *op) {
  for (size_t i = 0; i < tensor_count(op); i++) {
    if (!op->tensors[i]->is_static) {
      return false;
    }
  }
  for (size_t i = 0; i < op->dim_count; i++) {
    const uint32_t dim = (uint32_t)(op->dims[i] - handle->dims);
    if (et_cpu_dim_at(&handle->payload, dim).op != ET_CPU_DIM_OP_CONST) {
      return false;
    }
  }
  return true;
}

/* Checks that each op type accepts its op. With dims at their maxima, the sizes of a dynamic op are
 * not compared: two dims that are equal in each call can have different maxima. */
static et_status check_op_types(const et_cpu_handle *handle, bool at_maxima,
                                et_error *error) {
  for (uint32_t i = 0; i < handle->payload.op_count; i++) {
    const et_cpu_op *op = &handle->ops[i];
    et_error reason;
    et_error_clear(&reason);
    et_status status = at_maxima && !is_static(handle, op)
                           ? et_cpu_check_schema(op, op->type->schema, &reason)
                           : et_cpu_check_op(op, &reason);
    if (status == ET_STATUS_OK) {
      status = check_in_place(handle, op, &reason);
    }
    if (status != ET_STATUS_OK) {
      return et_fail(error, status, "ops[%u]: %s", (unsigned)i,
                     reason.message[0] != '\0' ? reason.message
                                               : et_status_text(status));
    }
  }
  return ET_STATUS_OK;
}

static et_status check_written(const et_cpu_handle *handle, et_error *error) {
  verifier v = {handle, error, 0};
  for (uint32_t i = 0; i < handle->payload.op_count; i++) {
    ET_RETURN_IF_ERROR(check_reads(&v, i, &handle->ops[i]));
  }
  return check_outputs(&v);
}

et_status et_cpu_verify_call(et_cpu_handle *handle, et_error *error) {
  if (!handle->is_written) {
    ET_RETURN_IF_ERROR(check_written(handle, error));
  }
  handle->is_written = true;
  return check_op_types(handle, false, error);
}

et_status et_cpu_verify(et_cpu_handle *handle, et_error *error) {
  verifier v = {handle, error, 0};
  for (uint32_t i = 0; i < handle->payload.op_count; i++) {
    ET_RETURN_IF_ERROR(check_writes(&v, i, &handle->ops[i]));
  }
  return handle->is_static ? et_cpu_verify_call(handle, error)
                           : check_op_types(handle, true, error);
}
