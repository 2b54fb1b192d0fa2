/* The tables of schema/program.fbs and schema/flat_tensor.fbs: their fields' numbers and, for the
 * verifier, what each field holds. */
#ifndef ET_RUNTIME_PROGRAM_SCHEMA_H_
#define ET_RUNTIME_PROGRAM_SCHEMA_H_

#include <stddef.h>
#include <stdint.h>

/* Fields in the order of the schema: the number of a field is its place. A
 * union takes two: its tag and its value. */
enum {
  ET_PROGRAM_VERSION,
  ET_PROGRAM_EXECUTION_PLAN,
  ET_PROGRAM_CONSTANT_BUFFER,
  ET_PROGRAM_DELEGATE_DATA,
  ET_PROGRAM_SEGMENTS,
  ET_PROGRAM_CONSTANT_SEGMENT,
  ET_PROGRAM_MUTABLE_DATA_SEGMENTS,
  ET_PROGRAM_NAMED_DATA
};
enum {
  ET_PLAN_NAME,
  ET_PLAN_CONTAINER_META,
  ET_PLAN_VALUES,
  ET_PLAN_INPUTS,
  ET_PLAN_OUTPUTS,
  ET_PLAN_CHAINS,
  ET_PLAN_OPERATORS,
  ET_PLAN_DELEGATES,
  ET_PLAN_BUFFER_SIZES,
  ET_PLAN_BUFFER_DEVICES
};
enum { ET_BUFFER_DEVICE_INDEX, ET_BUFFER_DEVICE_TYPE, ET_BUFFER_DEVICE_NUMBER };
enum { ET_CONTAINER_INPUTS, ET_CONTAINER_OUTPUTS };
enum { ET_EVALUE_TAG, ET_EVALUE_VALUE };
enum {
  ET_CHAIN_INPUTS,
  ET_CHAIN_OUTPUTS,
  ET_CHAIN_INSTRUCTIONS,
  ET_CHAIN_STACKTRACE
};
enum { ET_FRAME_LIST_ITEMS };
enum { ET_FRAME_FILENAME, ET_FRAME_LINE, ET_FRAME_NAME, ET_FRAME_CONTEXT };
enum { ET_OPERATOR_NAME, ET_OPERATOR_OVERLOAD };
enum { ET_DELEGATE_ID, ET_DELEGATE_PROCESSED, ET_DELEGATE_SPECS };
enum { ET_PROCESSED_LOCATION, ET_PROCESSED_INDEX };
enum { ET_SPEC_KEY, ET_SPEC_VALUE };
enum { ET_INSTRUCTION_TAG, ET_INSTRUCTION_ARGS };
enum { ET_KERNEL_CALL_OPERATOR, ET_KERNEL_CALL_ARGS };
enum { ET_DELEGATE_CALL_DELEGATE, ET_DELEGATE_CALL_ARGS };
enum { ET_MOVE_FROM, ET_MOVE_TO };
enum { ET_JUMP_CONDITION, ET_JUMP_DESTINATION };
enum { ET_FREE_VALUE };
enum {
  ET_TENSOR_SCALAR_TYPE,
  ET_TENSOR_STORAGE_OFFSET,
  ET_TENSOR_SIZES,
  ET_TENSOR_DIM_ORDER,
  ET_TENSOR_REQUIRES_GRAD,
  ET_TENSOR_DATA_BUFFER,
  ET_TENSOR_ALLOCATION,
  ET_TENSOR_LAYOUT,
  ET_TENSOR_DYNAMISM,
  ET_TENSOR_EXTRA
};
enum {
  ET_ALLOCATION_MEMORY_ID,
  ET_ALLOCATION_OFFSET_LOW,
  ET_ALLOCATION_OFFSET_HIGH
};
enum {
  ET_EXTRA_MUTABLE_SEGMENT,
  ET_EXTRA_NAME,
  ET_EXTRA_LOCATION,
  ET_EXTRA_DEVICE_TYPE,
  ET_EXTRA_DEVICE_INDEX
};
enum {
  ET_SINGLE_FIELD
}; /* of a table that holds just a scalar, text or list */
enum { ET_SEGMENT_OFFSET, ET_SEGMENT_SIZE };
enum { ET_SUBSEGMENT_INDEX, ET_SUBSEGMENT_OFFSETS };
enum { ET_NAMED_DATA_KEY, ET_NAMED_DATA_SEGMENT, ET_NAMED_DATA_LAYOUT };

/* Those of schema/flat_tensor.fbs. NamedData has a layout there. */
enum { ET_FLAT_VERSION, ET_FLAT_SEGMENTS, ET_FLAT_NAMED_DATA };
enum { ET_LAYOUT_SCALAR_TYPE, ET_LAYOUT_SIZES, ET_LAYOUT_DIM_ORDER };

/* Tags of InstructionArguments. Those of KernelTypes are et_value_tag. */
enum {
  ET_INSTRUCTION_KERNEL_CALL = 1,
  ET_INSTRUCTION_DELEGATE_CALL,
  ET_INSTRUCTION_MOVE,
  ET_INSTRUCTION_JUMP_FALSE,
  ET_INSTRUCTION_FREE
};

/* Where a delegate's payload lies, and where a tensor's data comes from. */
enum { ET_LOCATION_INLINE, ET_LOCATION_SEGMENT };
enum { ET_DATA_IN_SEGMENT, ET_DATA_EXTERNAL };

/* Type of a table, or of the member of a union. */
typedef enum et_schema_table_id {
  ET_TABLE_PROGRAM,
  ET_TABLE_PLAN,
  ET_TABLE_BUFFER_DEVICE,
  ET_TABLE_CONTAINER,
  ET_TABLE_EVALUE,
  ET_TABLE_CHAIN,
  ET_TABLE_FRAME_LIST,
  ET_TABLE_FRAME,
  ET_TABLE_OPERATOR,
  ET_TABLE_DELEGATE,
  ET_TABLE_PROCESSED,
  ET_TABLE_SPEC,
  ET_TABLE_INSTRUCTION,
  ET_TABLE_KERNEL_CALL,
  ET_TABLE_DELEGATE_CALL,
  ET_TABLE_MOVE,
  ET_TABLE_JUMP,
  ET_TABLE_FREE,
  ET_TABLE_NULL,
  ET_TABLE_INT,
  ET_TABLE_BOOL,
  ET_TABLE_DOUBLE,
  ET_TABLE_STRING,
  ET_TABLE_TENSOR,
  ET_TABLE_LIST_OF_8, /* [i64], [f64] */
  ET_TABLE_LIST_OF_4, /* [i32] */
  ET_TABLE_LIST_OF_1, /* [bool] */
  ET_TABLE_ALLOCATION,
  ET_TABLE_EXTRA,
  ET_TABLE_BUFFER, /* Buffer and BackendDelegateInlineData: one [u8] */
  ET_TABLE_SEGMENT,
  ET_TABLE_SUBSEGMENTS,
  ET_TABLE_NAMED_DATA,
  ET_TABLE_FLAT_TENSOR,
  ET_TABLE_FLAT_NAMED_DATA,
  ET_TABLE_LAYOUT,
  ET_TABLE_COUNT
} et_schema_table_id;

typedef enum et_schema_kind {
  ET_KIND_SCALAR,  /* `detail` bytes */
  ET_KIND_TEXT,    /* bytes, then a NUL that the length does not count */
  ET_KIND_SCALARS, /* vector, `detail` bytes an element */
  ET_KIND_TABLE,   /* `detail` is its et_schema_table_id */
  ET_KIND_TABLES,  /* vector of them */
  ET_KIND_UNION, /* value of a union; `detail` is an et_schema_union_id; the tag
                    * is the field before */
} et_schema_kind;

typedef enum et_schema_union_id {
  ET_UNION_VALUE,       /* KernelTypes */
  ET_UNION_INSTRUCTION, /* InstructionArguments */
  ET_UNION_COUNT
} et_schema_union_id;

typedef struct et_schema_field {
  const char *name;
  uint8_t kind; /* et_schema_kind */
  uint8_t detail;
} et_schema_field;

typedef struct et_schema_table {
  const et_schema_field *fields;
  uint16_t field_count;
} et_schema_table;

/* Member types by tag; entry 0, NONE, is unused. */
typedef struct et_schema_union {
  const uint8_t *members; /* et_schema_table_id */
  uint8_t count;
} et_schema_union;

extern const et_schema_table et_schema_tables[ET_TABLE_COUNT];
extern const et_schema_union et_schema_unions[ET_UNION_COUNT];

#endif /* ET_RUNTIME_PROGRAM_SCHEMA_H_ */
