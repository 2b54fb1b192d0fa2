/* Programs with the weights files of adapters. */
#include <string.h>

#include "llm/session.h"

et_status llm_open_variant(const et_llm_model *model, const char *name,
                           et_span weights, llm_variant *out, et_error *error) {
  const char *const names[] = {"program", name};
  const et_span files[] = {model->program, weights};
  if (weights.data == NULL) {
    return et_program_load(model->program, &out->program, error);
  }
  for (size_t i = 0; i < 2; ++i) {
    const et_extent extent = {0, files[i]};
    const et_data_source source = {names[i], files[i].size, &out->extents[i],
                                   1,        NULL,          NULL};
    out->extents[i] = extent;
    out->sources[i] = source;
  }
  return et_program_load_sources(out->sources, 2, &out->program, error);
}

/* Returns the adapter with a name, or NULL with an error that lists the names. */
static const et_llm_adapter *find_adapter(const et_llm_model *model,
                                          const char *name, et_error *error) {
  char names[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < model->adapter_count; ++i) {
    const char *known = model->adapters[i].name;
    const size_t size = strlen(known);
    if (strcmp(known, name) == 0) {
      return &model->adapters[i];
    }
    if (size + 3 < sizeof names - used) {
      memcpy(names + used, used == 0 ? "" : ", ", used == 0 ? 0 : 2);
      used += used == 0 ? 0 : 2;
      memcpy(names + used, known, size + 1);
      used += size;
    }
  }
  (void)et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                "unknown adapter '%s'; the model has: %s", name,
                used != 0 ? names : "none");
  return NULL;
}

/* Replaces the methods of a session. If that fails, loads those of `previous` again. */
static et_status replace_methods(et_llm_session *session,
                                 const llm_variant *variant,
                                 const llm_variant *previous, et_error *error) {
  et_error ignored = ET_ERROR_INIT;
  llm_unload_methods(session);
  const et_status status = llm_load_methods(session, variant, error);
  if (status != ET_STATUS_OK) {
    (void)llm_load_methods(session, previous, &ignored);
  }
  return status;
}

et_status et_llm_set_adapter(et_llm_session *session, const char *name,
                             et_error *error) {
  const et_llm *llm = session->llm;
  const et_llm_adapter *adapter = NULL;
  const llm_variant *variant = &llm->base;
  et_error_clear(error);
  if (name != NULL) {
    adapter = find_adapter(&llm->model, name, error);
    if (adapter == NULL) {
      return ET_STATUS_INVALID_ARGUMENT;
    }
  }
  llm_stop_generation(session);
  if (adapter == session->adapter) {
    return ET_STATUS_OK;
  }
  if (adapter != NULL) {
    /* The other one may be in use. */
    llm_variant *unused = session->variant == &session->variants[0]
                              ? &session->variants[1]
                              : &session->variants[0];
    ET_RETURN_IF_ERROR(llm_open_variant(&llm->model, adapter->name,
                                        adapter->weights, unused, error));
    variant = unused;
  }
  session->scores = NULL;
  session->cached = 0; /* keys and values depend on the adapter */
  ET_RETURN_IF_ERROR(
      replace_methods(session, variant, session->variant, error));
  session->adapter = adapter;
  session->variant = variant;
  return ET_STATUS_OK;
}

const char *et_llm_get_adapter(const et_llm_session *session) {
  return session->adapter != NULL ? session->adapter->name : NULL;
}
