#include "backends/demo/compiler_demo.h"

#include <stdbool.h>
#include <string.h>

#include "backends/demo/handle.h"
#include "backends/demo/ops.h"
#include "backends/demo/payload.h"

static et_status fail_memory(et_error *error) {
  return et_fail(error, ET_STATUS_DELEGATE_MEMORY,
                 "the method's memory is too small");
}

/* Allocates memory, rounded up to the alignment as in DEMO_HANDLE_BYTES. */
static bool take(et_arena *arena, size_t count, size_t size, void **out) {
  return et_arena_take(arena, DEMO_ALIGNED(count * size), 1, DEMO_ALIGNMENT,
                       out);
}

/* Allocates memory for the result of an op. `op` is NULL while measuring. */
static et_status init_op(const demo_op_text *text, et_arena *arena, demo_op *op,
                         et_error *error) {
  void *result = NULL;
  if (!take(arena, text->numel, sizeof(float), &result)) {
    return fail_memory(error);
  }
  if (op != NULL) {
    memset(op, 0, sizeof *op);
    op->kind = (uint8_t)text->kind;
    op->operand_count = (uint8_t)text->operand_count;
    memcpy(op->operands, text->operands, sizeof op->operands);
    op->stride = text->stride;
    op->padding = text->padding;
    op->capacity = text->numel;
    op->result = result;
  }
  return ET_STATUS_OK;
}

static et_status init_ops(demo_reader *reader, et_arena *arena, demo_op *ops) {
  for (uint32_t i = 0; i < reader->op_count; i++) {
    demo_op_text text = {.numel = 0};
    ET_RETURN_IF_ERROR(demo_reader_op(reader, &text));
    ET_RETURN_IF_ERROR(
        init_op(&text, arena, ops != NULL ? &ops[i] : NULL, reader->error));
  }
  return ET_STATUS_OK;
}

/* Copies a constant, which may be unaligned in the payload. */
static void load_constant(const demo_constant_text *text, const uint8_t *bytes,
                          float *data, demo_constant *out) {
  memcpy(out->sizes, text->sizes, sizeof out->sizes);
  out->rank = text->rank;
  out->data = data;
  for (size_t i = 0; i < text->numel; i++, bytes += sizeof(uint32_t)) {
    const uint32_t bits = bytes[0] | (uint32_t)bytes[1] << 8 |
                          (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    memcpy(&data[i], &bits, sizeof bits);
  }
}

/* Allocates memory for the constants, and loads them. `constants` is NULL while
 * measuring. */
static et_status init_constants(const demo_reader *reader, const uint8_t *bytes,
                                et_arena *arena, demo_constant *constants) {
  for (uint32_t i = 0; i < reader->constant_count; i++) {
    const demo_constant_text *text = &reader->constants[i];
    void *data = NULL;
    if (!take(arena, text->numel, sizeof(float), &data)) {
      return fail_memory(reader->error);
    }
    if (constants != NULL) {
      load_constant(text, bytes, data, &constants[i]);
    }
    bytes += sizeof(float) * (size_t)text->numel;
  }
  return ET_STATUS_OK;
}

/* Builds the program in the arena, or measures it. */
static et_status build(const et_backend_context *context, et_arena *arena,
                       demo_program *out_program, void **out_handle) {
  demo_reader reader;
  demo_program program = {.ops = NULL};
  void *handle = NULL;
  void *ops = NULL;
  void *constants = NULL;
  const uint8_t *data = NULL;
  ET_RETURN_IF_ERROR(
      demo_reader_open(context->payload, context->error, &reader));
  if (!take(arena, 1, sizeof program, &handle) ||
      !take(arena, reader.op_count, sizeof(demo_op), &ops) ||
      !take(arena, reader.constant_count, sizeof(demo_constant), &constants)) {
    return fail_memory(context->error);
  }
  ET_RETURN_IF_ERROR(init_ops(&reader, arena, ops));
  ET_RETURN_IF_ERROR(demo_reader_outputs(&reader, program.outputs,
                                         &program.output_count, &data));
  ET_RETURN_IF_ERROR(init_constants(&reader, data, arena, constants));
  program.op_count = reader.op_count;
  program.input_count = reader.input_count;
  program.ops = ops;
  program.constants = constants;
  *out_program = program;
  *out_handle = handle;
  return ET_STATUS_OK;
}

static et_status check_options(const et_backend_context *context) {
  return context->option_count == 0
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                       "unknown option '%s'; this backend has no options",
                       context->options[0].key);
}

static et_status demo_measure(const et_backend_context *context,
                              et_backend_requirements *out) {
  et_arena arena = et_arena_measuring();
  demo_program program;
  void *handle = NULL;
  ET_RETURN_IF_ERROR(check_options(context));
  ET_RETURN_IF_ERROR(build(context, &arena, &program, &handle));
  out->handle_bytes = arena.used;
  out->output_count = program.output_count;
  return ET_STATUS_OK;
}

static et_status demo_init(const et_backend_context *context,
                           void **out_handle) {
  demo_program program;
  ET_RETURN_IF_ERROR(build(context, context->arena, &program, out_handle));
  memcpy(*out_handle, &program, sizeof program);
  return ET_STATUS_OK;
}

static demo_view view_of(const demo_program *program, et_value **args,
                         demo_value value) {
  if (value < DEMO_MAX_INPUTS) {
    const et_tensor *tensor = args[value]->u.as_tensor;
    const demo_view view = {tensor->data, tensor->sizes, tensor->rank};
    return view;
  }
  if (value < DEMO_FIRST_RESULT) {
    const demo_constant *constant =
        &program->constants[value - DEMO_FIRST_CONSTANT];
    const demo_view view = {constant->data, constant->sizes, constant->rank};
    return view;
  }
  const demo_op *op = &program->ops[value - DEMO_FIRST_RESULT];
  const demo_view view = {op->result, op->sizes, op->rank};
  return view;
}

static void operand_views(const demo_program *program, et_value **args,
                          const demo_op *op, demo_view out[DEMO_MAX_OPERANDS]) {
  for (size_t i = 0; i < op->operand_count; i++) {
    out[i] = view_of(program, args, op->operands[i]);
  }
}

static et_status check_args(const demo_program *program, et_value **args,
                            size_t count, et_error *error) {
  if (count != (size_t)program->input_count + program->output_count) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%zu arguments; the payload has %u inputs and %u outputs",
                   count, (unsigned)program->input_count,
                   (unsigned)program->output_count);
  }
  for (size_t i = 0; i < count; i++) {
    if (args[i]->tag != ET_VALUE_TENSOR ||
        args[i]->u.as_tensor->dtype != ET_SCALAR_TYPE_FLOAT32 ||
        !et_tensor_is_contiguous(args[i]->u.as_tensor)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "argument %zu is not a contiguous float32 tensor", i);
    }
  }
  return ET_STATUS_OK;
}

/* Computes the sizes of all results for the inputs of this call. */
static et_status infer_all(const demo_program *program, et_value **args,
                           et_error *error) {
  for (uint32_t i = 0; i < program->op_count; i++) {
    demo_op *op = &program->ops[i];
    demo_view operands[DEMO_MAX_OPERANDS] = {{NULL, NULL, 0}};
    operand_views(program, args, op, operands);
    ET_RETURN_IF_ERROR(demo_infer(op, operands, error));
  }
  return ET_STATUS_OK;
}

static et_status resize_outputs(const demo_program *program, et_value **args,
                                et_error *error) {
  for (uint32_t i = 0; i < program->output_count; i++) {
    const demo_view view = view_of(program, args, program->outputs[i]);
    et_tensor *out = args[program->input_count + i]->u.as_tensor;
    ET_RETURN_IF_ERROR(et_tensor_resize(out, view.sizes, view.rank, error));
  }
  return ET_STATUS_OK;
}

/* Reports op `index` to the observer. The compiler's debug handle map maps the
 * index to the nodes of the model. */
static void compute_op(const demo_op *op, const demo_view *operands,
                       uint32_t index, const et_observer *observer) {
  const et_event event = {ET_EVENT_STEP, index, demo_name((demo_kind)op->kind),
                          NULL, 0};
  if (observer != NULL) {
    observer->begin(observer->context, &event);
  }
  demo_compute(op, operands);
  if (observer != NULL) {
    observer->end(observer->context, &event, ET_STATUS_OK);
  }
}

static void compute_all(const demo_program *program, et_value **args,
                        const et_observer *observer) {
  for (uint32_t i = 0; i < program->op_count; i++) {
    const demo_op *op = &program->ops[i];
    demo_view operands[DEMO_MAX_OPERANDS] = {{NULL, NULL, 0}};
    operand_views(program, args, op, operands);
    compute_op(op, operands, i, observer);
  }
  for (uint32_t i = 0; i < program->output_count; i++) {
    const demo_view view = view_of(program, args, program->outputs[i]);
    const et_tensor *out = args[program->input_count + i]->u.as_tensor;
    memcpy(out->data, view.data, et_tensor_nbytes(out));
  }
}

static et_status demo_execute(void *handle, const et_execute_context *context,
                              et_value **args, size_t count) {
  const demo_program *program = handle;
  ET_RETURN_IF_ERROR(check_args(program, args, count, context->error));
  ET_RETURN_IF_ERROR(infer_all(program, args, context->error));
  ET_RETURN_IF_ERROR(resize_outputs(program, args, context->error));
  compute_all(program, args, context->observer);
  return ET_STATUS_OK;
}

const et_backend et_compiler_demo_backend = {
    .id = "BackendWithCompilerDemo",
    .measure = demo_measure,
    .init = demo_init,
    .execute = demo_execute,
};

const et_backend et_mapping_demo_backend = {
    .id = "BackendWithDelegateMappingDemo",
    .measure = demo_measure,
    .init = demo_init,
    .execute = demo_execute,
};
