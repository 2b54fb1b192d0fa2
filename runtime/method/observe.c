#include "runtime/method/optional_parts.h"

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"

static et_event event_of(const et_instruction *instruction, uint32_t index,
                         et_event_kind kind, const char *name) {
  const et_event event = {kind, index, name, instruction->args,
                          instruction->arg_count};
  return event;
}

/* Returns false for instructions that are not reported. */
static bool describe(const et_method *method, uint32_t index, et_event *out) {
  const et_instruction *it = &method->instructions[index];
  switch (it->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      *out = event_of(it, index, ET_EVENT_KERNEL, it->u.kernel->name);
      return true;
    case ET_INSTRUCTION_DELEGATE_CALL:
      *out = event_of(it, index, ET_EVENT_DELEGATE,
                      method->delegates[it->u.delegate].backend->id);
      return true;
    case ET_INSTRUCTION_MOVE:
      *out = event_of(it, index, ET_EVENT_MOVE, "Move");
      return true;
    case ET_INSTRUCTION_JUMP_FALSE:
      *out = event_of(it, index, ET_EVENT_JUMP, "JumpFalse");
      return true;
    default:
      return false;
  }
}

static et_status run(const et_method *method, uint32_t index, bool *condition,
                     et_error *error) {
  const et_observer *observer = method->observer;
  et_event event;
  if (!describe(method, index, &event)) {
    return et_run_instruction(method, index, condition, error);
  }
  observer->begin(observer->context, &event);
  const et_status status = et_run_instruction(method, index, condition, error);
  observer->end(observer->context, &event, status);
  return status;
}

static void load(const et_observer *observer, const char *name,
                 const et_status *ended) {
  const et_event event = {ET_EVENT_METHOD_LOAD, 0, name, NULL, 0};
  if (ended == NULL) {
    observer->begin(observer->context, &event);
  } else {
    observer->end(observer->context, &event, *ended);
  }
}

const struct et_observation et_observation = {run, load};
