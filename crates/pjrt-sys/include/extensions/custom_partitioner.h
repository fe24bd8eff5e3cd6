// Extension: custom partitioner.
// Callbacks of JAX's custom partitioning, for plugins that use XLA's partitioner.

#ifndef PJRT_SYS_EXTENSIONS_CUSTOM_PARTITIONER_H_
#define PJRT_SYS_EXTENSIONS_CUSTOM_PARTITIONER_H_

#include "../core/base.h"
#include "../core/error.h"

#define PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION 1

/// Bytes with a function that frees them.
typedef struct JAX_CustomCallPartitioner_string {
  const char* data;  ///< since 0.47
  size_t size;  ///< since 0.47
} JAX_CustomCallPartitioner_string;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_string)

/// Shape, type and sharding of one value.
typedef struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;  ///< since 0.47
  bool has_sharding;  ///< since 0.47
  JAX_CustomCallPartitioner_string sharding;  ///< since 0.47
} JAX_CustomCallPartitioner_aval;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_aval)

/// Version of the caller, and an error that the callee may write.
typedef struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;  ///< since 0.47
  void* data;  ///< out, since 0.47
  void (*cleanup_fn)(void*);  ///< out, since 0.47
  bool has_error;  ///< out, since 0.47
  PJRT_Error_Code code;  ///< out, since 0.47
  JAX_CustomCallPartitioner_string error_msg;  ///< out, since 0.47
} JAX_CustomCallPartitioner_version_and_error;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_version_and_error)

/// Arguments of JAX_CustomCallPartitioner_Partition.
typedef struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;  ///< in and out, since 0.47
  size_t num_args;  ///< in, since 0.47
  JAX_CustomCallPartitioner_aval* op_args;  ///< in, since 0.47
  JAX_CustomCallPartitioner_aval op_result;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string backend_config;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string mlir_module;  ///< out, since 0.47
  JAX_CustomCallPartitioner_string* args_sharding;  ///< out, since 0.47
  JAX_CustomCallPartitioner_string result_sharding;  ///< out, since 0.47
} JAX_CustomCallPartitioner_Partition_Args;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_Partition_Args)

/// Arguments of JAX_CustomCallPartitioner_InferShardingFromOperands.
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;  ///< in and out, since 0.47
  size_t num_args;  ///< in, since 0.47
  JAX_CustomCallPartitioner_aval* op_args;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string result_shape;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string backend_config;  ///< in, since 0.47
  bool has_result_sharding;  ///< out, since 0.47
  JAX_CustomCallPartitioner_string result_sharding;  ///< out, since 0.47
} JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args)

/// Arguments of JAX_CustomCallPartitioner_PropagateUserSharding.
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;  ///< in and out, since 0.47
  JAX_CustomCallPartitioner_string backend_config;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string result_shape;  ///< in, since 0.47
  JAX_CustomCallPartitioner_string result_sharding;  ///< in and out, since 0.47
} JAX_CustomCallPartitioner_PropagateUserSharding_Args;
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_PropagateUserSharding_Args)

typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;

/// Callbacks that partition a custom call.
struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;  ///< since 0.47
  void* private_data;  ///< since 0.47
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks*);  ///< since 0.47
  /// since 0.47
  void (*partition)(
      JAX_CustomCallPartitioner_Callbacks*, JAX_CustomCallPartitioner_Partition_Args*);
  /// since 0.47
  void (*infer_sharding)(
      JAX_CustomCallPartitioner_Callbacks*, JAX_CustomCallPartitioner_InferShardingFromOperands_Args*);
  /// since 0.47
  void (*propagate_user_sharding)(
      JAX_CustomCallPartitioner_Callbacks*, JAX_CustomCallPartitioner_PropagateUserSharding_Args*);
  bool can_side_effecting_have_replicated_sharding;  ///< since 0.47
};
PJRT_NO_LAYOUT(JAX_CustomCallPartitioner_Callbacks)

/// Arguments of PJRT_Register_Custom_Partitioner.
typedef struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;  ///< in, since 0.47
  const char* name;  ///< in, since 0.47
  size_t name_size;  ///< in, since 0.47
  JAX_CustomCallPartitioner_Callbacks* callbacks;  ///< in, since 0.47
} PJRT_Register_Custom_Partitioner_Args;
PJRT_LAYOUT(PJRT_Register_Custom_Partitioner_Args, callbacks, 47:32)

/// Registers the callbacks that partition a custom call. Since 0.47.
typedef PJRT_Error* PJRT_Register_Custom_Partitioner(PJRT_Register_Custom_Partitioner_Args* args);

/// Arguments of PJRT_Register_Batch_Partitionable.
typedef struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;  ///< in, since 0.67
  const char* name;  ///< in, since 0.67
  size_t name_size;  ///< in, since 0.67
} PJRT_Register_Batch_Partitionable_Args;
PJRT_LAYOUT(PJRT_Register_Batch_Partitionable_Args, name_size, 67:24)

/// Declares that a custom call may be split along its batch dimensions. Since 0.67.
typedef PJRT_Error* PJRT_Register_Batch_Partitionable(PJRT_Register_Batch_Partitionable_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_Register_Custom_Partitioner* register_custom_partitioner;  ///< since 0.68
  PJRT_Register_Batch_Partitionable* register_batch_partitionable;  ///< since 0.68
} PJRT_Custom_Partitioner_Extension;
PJRT_LAYOUT(PJRT_Custom_Partitioner_Extension, register_batch_partitionable, 68:40)

PJRT_EXTENSION(PJRT_Custom_Partitioner_Extension, PJRT_Extension_Type_Custom_Partitioner, PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_CUSTOM_PARTITIONER_H_
