/* Products with packed weights: what steps of them have in common. */
#ifndef BACKENDS_CPU_STEPS_PRODUCTS_H_
#define BACKENDS_CPU_STEPS_PRODUCTS_H_

#include "backends/cpu/steps/product_blocks.h"
#include "backends/cpu/steps/step.h"

/* That x, input 0, and tensor `output` are floats with the same rows. */
et_status et_cpu_check_rows(const et_cpu_step *step, size_t output,
                            et_error *error);

/* All of a product but its weights, with so many workspaces, and attributes behind those of the
 * activation. */
et_status et_cpu_product_check_rows(const et_cpu_step *step,
                                    uint16_t workspaces, uint16_t attributes,
                                    et_error *error);

/* All of a product whose panels are of dtype `weights`. */
et_status et_cpu_product_check(const et_cpu_step *step, et_scalar_type weights,
                               et_error *error);

/* Without the panels. */
et_cpu_product et_cpu_product_read(const et_cpu_step *step);
const et_cpu_tensor *et_cpu_product_panels(const et_cpu_step *step);

/* Blocks of at most so many rows. */
et_cpu_blocks et_cpu_product_blocks(const et_cpu_step *step,
                                    const et_cpu_run *run, size_t most);

#endif /* BACKENDS_CPU_STEPS_PRODUCTS_H_ */
