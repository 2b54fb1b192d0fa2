#include "tests/feature_models/bias_backend/bias_backend.h"

static float apply(float x, float constant) { return x + constant; }

static const bias_operation operation = {apply};

extern const et_backend_part bias_add;
const et_backend_part bias_add = {BIAS_ADD, &operation};
