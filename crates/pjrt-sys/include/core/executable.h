// Executables.
// Compiled programs, with and without devices, and their execution.

#ifndef PJRT_SYS_CORE_EXECUTABLE_H_
#define PJRT_SYS_CORE_EXECUTABLE_H_

#include "base.h"
#include "buffer.h"
#include "error.h"

typedef struct PJRT_Chunk PJRT_Chunk;

/// A program to compile, or an optimised one. Format mlir (text or bytecode) or hlo; lengths in
/// bytes.
typedef struct PJRT_Program {
  size_t struct_size;  ///< since 0.0
  PJRT_Extension_Base* extension_start;  ///< since 0.0
  char* code;  ///< in and out, since 0.0
  size_t code_size;  ///< in and out, since 0.0
  const char* format;  ///< in and out, since 0.0
  size_t format_size;  ///< in and out, since 0.0
} PJRT_Program;
PJRT_LAYOUT(PJRT_Program, format_size, 1:48)

/// Arguments of PJRT_ExecuteContext_Create.
typedef struct PJRT_ExecuteContext_Create_Args {
  size_t struct_size;  ///< in, since 0.52
  PJRT_Extension_Base* extension_start;  ///< in, since 0.52
  PJRT_ExecuteContext* context;  ///< out, since 0.52
} PJRT_ExecuteContext_Create_Args;
PJRT_LAYOUT(PJRT_ExecuteContext_Create_Args, context, 52:24)

/// Makes a context that extensions fill with data for one execution. Since 0.52.
typedef PJRT_Error* PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args* args);

/// Arguments of PJRT_ExecuteContext_Destroy.
typedef struct PJRT_ExecuteContext_Destroy_Args {
  size_t struct_size;  ///< in, since 0.52
  PJRT_Extension_Base* extension_start;  ///< in, since 0.52
  PJRT_ExecuteContext* context;  ///< in, since 0.52
} PJRT_ExecuteContext_Destroy_Args;
PJRT_LAYOUT(PJRT_ExecuteContext_Destroy_Args, context, 52:24)

/// Frees the handle; an execution in flight keeps what it needs. Since 0.52.
typedef PJRT_Error* PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args* args);

/// Arguments of PJRT_Executable_Destroy.
typedef struct PJRT_Executable_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
} PJRT_Executable_Destroy_Args;
PJRT_LAYOUT(PJRT_Executable_Destroy_Args, executable, 1:24)

/// Frees an executable handle. Null is accepted. Since 0.0.
typedef PJRT_Error* PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args* args);

/// Arguments of PJRT_LoadedExecutable_Destroy.
typedef struct PJRT_LoadedExecutable_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< in, since 0.0
} PJRT_LoadedExecutable_Destroy_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_Destroy_Args, executable, 1:24)

/// Frees a loaded executable; executions in flight go on. Null is accepted. Since 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args);

/// Arguments of PJRT_LoadedExecutable_GetExecutable.
typedef struct PJRT_LoadedExecutable_GetExecutable_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* loaded_executable;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< out, since 0.0
} PJRT_LoadedExecutable_GetExecutable_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_GetExecutable_Args, executable, 1:32)

/// A new handle on the program without its devices; the caller destroys it. Since 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args* args);

/// Arguments of PJRT_LoadedExecutable_GetDeviceAssignment.
typedef struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  size_t struct_size;  ///< in, since 0.79
  PJRT_Extension_Base* extension_start;  ///< in, since 0.79
  PJRT_LoadedExecutable* executable;  ///< in, since 0.79
  const char* serialized_bytes;  ///< out, since 0.79
  size_t serialized_bytes_size;  ///< out, since 0.79
  PJRT_DeviceAssignmentSerialized* serialized_device_assignment;  ///< out, since 0.79
  /// out, since 0.79
  void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized*);
} PJRT_LoadedExecutable_GetDeviceAssignment_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment_deleter,
  79:56)

/// Serialized DeviceAssignmentProto in a holder that the caller frees with the returned
/// deleter, never null. Since 0.79.
typedef PJRT_Error* PJRT_LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args* args);

/// Arguments of PJRT_Executable_Name.
typedef struct PJRT_Executable_Name_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  const char* executable_name;  ///< out, since 0.0
  size_t executable_name_size;  ///< out, since 0.0
} PJRT_Executable_Name_Args;
PJRT_LAYOUT(PJRT_Executable_Name_Args, executable_name_size, 1:40)

/// Name of the module. Since 0.0.
typedef PJRT_Error* PJRT_Executable_Name(PJRT_Executable_Name_Args* args);

/// Arguments of PJRT_Executable_NumReplicas.
typedef struct PJRT_Executable_NumReplicas_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  size_t num_replicas;  ///< out, since 0.0
} PJRT_Executable_NumReplicas_Args;
PJRT_LAYOUT(PJRT_Executable_NumReplicas_Args, num_replicas, 1:32)

/// Number of replicas it was compiled for. Since 0.0.
typedef PJRT_Error* PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args* args);

/// Arguments of PJRT_Executable_NumPartitions.
typedef struct PJRT_Executable_NumPartitions_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  size_t num_partitions;  ///< out, since 0.0
} PJRT_Executable_NumPartitions_Args;
PJRT_LAYOUT(PJRT_Executable_NumPartitions_Args, num_partitions, 1:32)

/// Number of partitions it was compiled for. Since 0.0.
typedef PJRT_Error* PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args* args);

/// Place of a device in an execution.
typedef struct PJRT_LogicalDeviceIds {
  int replica;  ///< since 0.96
  int partition;  ///< since 0.96
} PJRT_LogicalDeviceIds;
PJRT_NO_LAYOUT(PJRT_LogicalDeviceIds)

/// Arguments of PJRT_LoadedExecutable_AddressableDevices.
typedef struct PJRT_LoadedExecutable_AddressableDevices_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< in, since 0.0
  PJRT_Device *const* addressable_devices;  ///< out, since 0.0
  size_t num_addressable_devices;  ///< out, since 0.0
} PJRT_LoadedExecutable_AddressableDevices_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices, 1:40)

/// Devices of this process on which it runs; the order in which Execute takes its lists. Since
/// 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args* args);

/// Arguments of PJRT_LoadedExecutable_AddressableDeviceLogicalIds.
typedef struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_Extension_Base* extension_start;  ///< in, since 0.96
  PJRT_LoadedExecutable* executable;  ///< in, since 0.96
  PJRT_LogicalDeviceIds* addressable_device_logical_ids;  ///< out, since 0.96
  size_t num_addressable_device_logical_ids;  ///< out, since 0.96
} PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, num_addressable_device_logical_ids,
  96:40)

/// Replica and partition of each addressable device, parallel to
/// PJRT_LoadedExecutable_AddressableDevices. Since 0.96.
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args);

/// Arguments of PJRT_Executable_OptimizedProgram.
typedef struct PJRT_Executable_OptimizedProgram_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  PJRT_Program* program;  ///< in and out, since 0.0
} PJRT_Executable_OptimizedProgram_Args;
PJRT_LAYOUT(PJRT_Executable_OptimizedProgram_Args, program, 1:32)

/// The program after compilation: called first with a null code pointer to learn the size, then
/// again to copy. Since 0.0.
typedef PJRT_Error* PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args);

/// Arguments of PJRT_LoadedExecutable_Delete.
typedef struct PJRT_LoadedExecutable_Delete_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< in, since 0.0
} PJRT_LoadedExecutable_Delete_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_Delete_Args, executable, 1:24)

/// Drops the device resources once running executions are done; executing later is an error.
/// Since 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args);

/// Arguments of PJRT_LoadedExecutable_IsDeleted.
typedef struct PJRT_LoadedExecutable_IsDeleted_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< in, since 0.0
  bool is_deleted;  ///< out, since 0.0
} PJRT_LoadedExecutable_IsDeleted_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 1:25)

/// Whether PJRT_LoadedExecutable_Delete was called. Since 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args);

/// Takes over one chunk that a program sends to the host and frees it with the chunk's deleter.
/// Since 0.0.
typedef PJRT_Error* (*PJRT_SendCallback)(
    PJRT_Chunk* chunk,
    PJRT_CallbackError* callback_error,
    size_t total_size_in_bytes,
    bool done,
    void* user_arg);

/// What to call for a send operation of a channel. Arrays of these step by sizeof.
typedef struct PJRT_SendCallbackInfo {
  int64_t channel_id;  ///< since 0.0
  void* user_arg;  ///< since 0.0
  PJRT_SendCallback send_callback;  ///< since 0.0
} PJRT_SendCallbackInfo;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_SendCallbackInfo, send_callback, 1:24)

/// Feeds data to a program through the stream, which it owns. Since 0.0.
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg);

/// What to call for a receive operation of a channel. Arrays of these step by sizeof.
typedef struct PJRT_RecvCallbackInfo {
  int64_t channel_id;  ///< since 0.0
  void* user_arg;  ///< since 0.0
  PJRT_RecvCallback recv_callback;  ///< since 0.0
} PJRT_RecvCallbackInfo;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_RecvCallbackInfo, recv_callback, 1:24)

/// Receives one operand that a program hands to the host; a missing one has null data. Since
/// 0.112.
typedef void (*PJRT_HloOutputCallback)(
    int64_t replica_id,
    int64_t partition_id,
    const void* data,
    const int64_t* shape_dims,
    size_t shape_num_dims,
    PJRT_Buffer_Type shape_element_type,
    int64_t operand_index,
    void* user_arg);

/// What to call for operands that a program hands to the host.
typedef struct PJRT_HloOutputCallbackInfo {
  void* user_arg;  ///< since 0.112
  PJRT_HloOutputCallback callback;  ///< since 0.112
  int64_t callback_id;  ///< since 0.112
  size_t num_operands;  ///< since 0.112
} PJRT_HloOutputCallbackInfo;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_HloOutputCallbackInfo, num_operands, 112:32)

/// Options of one execution. Fields that a caller's struct does not have count as zero, except
/// that data layouts of callbacks are then major-to-minor.
typedef struct PJRT_ExecuteOptions {
  size_t struct_size;  ///< since 0.0
  PJRT_Extension_Base* extension_start;  ///< since 0.0
  PJRT_SendCallbackInfo** send_callbacks;  ///< since 0.0: [num_devices][num_send_ops]
  PJRT_RecvCallbackInfo** recv_callbacks;  ///< since 0.0: [num_devices][num_recv_ops]
  size_t num_send_ops;  ///< since 0.0
  size_t num_recv_ops;  ///< since 0.0
  /// since 0.0: correlates the launches of one execution; may be negative; 0 means none
  int launch_id;
  /// since 0.39: inputs that must not be donated this time
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;  ///< since 0.39
  PJRT_ExecuteContext* context;  ///< since 0.64
  const char* call_location;  ///< since 0.76: NUL-terminated, may be null
  size_t num_tasks;  ///< since 0.78
  int* task_ids;  ///< since 0.78
  int64_t* incarnation_ids;  ///< since 0.78
  PJRT_MultiSlice_Config* multi_slice_config;  ///< since 0.97
  bool use_major_to_minor_data_layout_for_callbacks;  ///< since 0.108
  PJRT_HloOutputCallbackInfo* hlo_output_callbacks;  ///< since 0.112
  size_t num_hlo_output_callbacks;  ///< since 0.112
} PJRT_ExecuteOptions;
PJRT_LAYOUT(PJRT_ExecuteOptions, num_hlo_output_callbacks,
  1:52, 46:72, 64:80, 76:88, 78:112, 97:120, 108:121, 112:144)

/// Arguments of PJRT_LoadedExecutable_Execute.
typedef struct PJRT_LoadedExecutable_Execute_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< in, since 0.0
  PJRT_ExecuteOptions* options;  ///< in, since 0.0
  PJRT_Buffer *const *const* argument_lists;  ///< in, since 0.0: [num_devices][num_args]
  size_t num_devices;  ///< in, since 0.0
  size_t num_args;  ///< in, since 0.0
  /// in and out, since 0.0: [num_devices][num_outputs], arrays of the caller
  PJRT_Buffer **const* output_lists;
  /// in and out, since 0.0: [num_devices], or null when not wanted
  PJRT_Event** device_complete_events;
  PJRT_Device* execute_device;  ///< in, since 0.0: null, or the one device to run on
} PJRT_LoadedExecutable_Execute_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_Execute_Args, execute_device, 1:80)

/// Starts the program on its devices. Arguments are borrowed; outputs are new buffers of the
/// caller, left untouched on failure. Since 0.0.
typedef PJRT_Error* PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args);

/// Arguments of PJRT_Executable_NumOutputs.
typedef struct PJRT_Executable_NumOutputs_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  size_t num_outputs;  ///< out, since 0.0
} PJRT_Executable_NumOutputs_Args;
PJRT_LAYOUT(PJRT_Executable_NumOutputs_Args, num_outputs, 1:32)

/// Number of flattened outputs per device. Asked before every execution, so it must be cheap.
/// Since 0.0.
typedef PJRT_Error* PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args);

/// Arguments of PJRT_Executable_SizeOfGeneratedCodeInBytes.
typedef struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< in, since 0.0
  int64_t size_in_bytes;  ///< out, since 0.0
} PJRT_Executable_SizeOfGeneratedCodeInBytes_Args;
PJRT_LAYOUT(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes, 1:32)

/// Size of the generated code; 0 or -1 when unknown. Since 0.0.
typedef PJRT_Error* PJRT_Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args);

/// Arguments of PJRT_Executable_Fingerprint.
typedef struct PJRT_Executable_Fingerprint_Args {
  size_t struct_size;  ///< in, since 0.35
  PJRT_Extension_Base* extension_start;  ///< in, since 0.35
  PJRT_Executable* executable;  ///< in, since 0.35
  const char* executable_fingerprint;  ///< out, since 0.35
  size_t executable_fingerprint_size;  ///< out, since 0.35
} PJRT_Executable_Fingerprint_Args;
PJRT_LAYOUT(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size, 35:40)

/// Bytes that identify the program. Since 0.35.
typedef PJRT_Error* PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args* args);

/// Arguments of PJRT_Executable_GetCostAnalysis.
typedef struct PJRT_Executable_GetCostAnalysis_Args {
  size_t struct_size;  ///< in, since 0.2
  PJRT_Extension_Base* extension_start;  ///< in, since 0.2
  PJRT_Executable* executable;  ///< in, since 0.2
  size_t num_properties;  ///< out, since 0.2
  const PJRT_NamedValue* properties;  ///< out, since 0.2
} PJRT_Executable_GetCostAnalysis_Args;
PJRT_LAYOUT(PJRT_Executable_GetCostAnalysis_Args, properties, 2:40)

/// Estimated costs by name; executable lifetime. Since 0.2.
typedef PJRT_Error* PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args);

/// Arguments of PJRT_Executable_GetCompiledMemoryStats.
typedef struct PJRT_Executable_GetCompiledMemoryStats_Args {
  size_t struct_size;  ///< in, since 0.40
  PJRT_Extension_Base* extension_start;  ///< in, since 0.40
  PJRT_Executable* executable;  ///< in, since 0.40
  int64_t generated_code_size_in_bytes;  ///< out, since 0.40
  int64_t argument_size_in_bytes;  ///< out, since 0.40
  int64_t output_size_in_bytes;  ///< out, since 0.40
  int64_t alias_size_in_bytes;  ///< out, since 0.40
  int64_t temp_size_in_bytes;  ///< out, since 0.40
  int64_t host_generated_code_size_in_bytes;  ///< out, since 0.43
  int64_t host_argument_size_in_bytes;  ///< out, since 0.43
  int64_t host_output_size_in_bytes;  ///< out, since 0.43
  int64_t host_alias_size_in_bytes;  ///< out, since 0.43
  int64_t host_temp_size_in_bytes;  ///< out, since 0.43
  int64_t peak_memory_in_bytes;  ///< out, since 0.72
  int64_t total_size_in_bytes;  ///< out, since 0.90
  int64_t total_allocation_bytes;  ///< out, since 0.104
  int64_t indefinite_allocations;  ///< out, since 0.104
  int64_t peak_unpadded_heap_bytes;  ///< out, since 0.104
} PJRT_Executable_GetCompiledMemoryStats_Args;
PJRT_LAYOUT(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes,
  40:64, 43:104, 72:112, 90:120, 104:144)

/// Memory that an execution needs, as planned at compile time, in bytes. Since 0.40.
typedef PJRT_Error* PJRT_Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args* args);

/// Arguments of PJRT_Executable_OutputElementTypes.
typedef struct PJRT_Executable_OutputElementTypes_Args {
  size_t struct_size;  ///< in, since 0.29
  PJRT_Extension_Base* extension_start;  ///< in, since 0.29
  PJRT_Executable* executable;  ///< in, since 0.29
  PJRT_Buffer_Type* output_types;  ///< out, since 0.29
  size_t num_output_types;  ///< out, since 0.29
} PJRT_Executable_OutputElementTypes_Args;
PJRT_LAYOUT(PJRT_Executable_OutputElementTypes_Args, num_output_types, 29:40)

/// One element type per flattened output; executable lifetime. Since 0.29.
typedef PJRT_Error* PJRT_Executable_OutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args* args);

/// Arguments of PJRT_Executable_OutputDimensions.
typedef struct PJRT_Executable_OutputDimensions_Args {
  size_t struct_size;  ///< in, since 0.29
  PJRT_Extension_Base* extension_start;  ///< in, since 0.29
  PJRT_Executable* executable;  ///< in, since 0.29
  size_t num_outputs;  ///< out, since 0.29
  const int64_t* dims;  ///< out, since 0.29
  const size_t* dim_sizes;  ///< out, since 0.29
} PJRT_Executable_OutputDimensions_Args;
PJRT_LAYOUT(PJRT_Executable_OutputDimensions_Args, dim_sizes, 29:48)

/// Ranks per output, and all dimensions in one array; executable lifetime. Since 0.29.
typedef PJRT_Error* PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args);

/// Arguments of PJRT_Executable_ParameterMemoryKinds.
typedef struct PJRT_Executable_ParameterMemoryKinds_Args {
  size_t struct_size;  ///< in, since 0.102
  PJRT_Extension_Base* extension_start;  ///< in, since 0.102
  PJRT_Executable* executable;  ///< in, since 0.102
  size_t num_parameters;  ///< out, since 0.102
  const char *const* memory_kinds;  ///< out, since 0.102
  const size_t* memory_kind_sizes;  ///< out, since 0.102
} PJRT_Executable_ParameterMemoryKinds_Args;
PJRT_LAYOUT(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes, 102:48)

/// Memory kind of every parameter; executable lifetime. Since 0.102.
typedef PJRT_Error* PJRT_Executable_ParameterMemoryKinds(
    PJRT_Executable_ParameterMemoryKinds_Args* args);

/// Arguments of PJRT_Executable_OutputMemoryKinds.
typedef struct PJRT_Executable_OutputMemoryKinds_Args {
  size_t struct_size;  ///< in, since 0.18
  PJRT_Extension_Base* extension_start;  ///< in, since 0.18
  PJRT_Executable* executable;  ///< in, since 0.18
  size_t num_outputs;  ///< out, since 0.18
  const char *const* memory_kinds;  ///< out, since 0.18
  const size_t* memory_kind_sizes;  ///< out, since 0.18
} PJRT_Executable_OutputMemoryKinds_Args;
PJRT_LAYOUT(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes, 18:48)

/// Memory kind of every output; executable lifetime. Since 0.18.
typedef PJRT_Error* PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args);

/// Arguments of PJRT_Executable_Serialize.
typedef struct PJRT_Executable_Serialize_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_Executable* executable;  ///< in, since 0.0
  const char* serialized_bytes;  ///< out, since 0.20
  size_t serialized_bytes_size;  ///< out, since 0.20
  PJRT_SerializedExecutable* serialized_executable;  ///< out, since 0.20
  void (*serialized_executable_deleter)(PJRT_SerializedExecutable*);  ///< out, since 0.20
} PJRT_Executable_Serialize_Args;
PJRT_LAYOUT(PJRT_Executable_Serialize_Args, serialized_executable_deleter, 1:32, 20:56)

/// Bytes for PJRT_Executable_DeserializeAndLoad, in a holder that the caller frees with the
/// returned deleter. Since 0.0.
typedef PJRT_Error* PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args* args);

/// Arguments of PJRT_Executable_GetCompileOptions.
typedef struct PJRT_Executable_GetCompileOptions_Args {
  size_t struct_size;  ///< in, since 0.87
  PJRT_Extension_Base* extension_start;  ///< in, since 0.87
  PJRT_Executable* executable;  ///< in, since 0.87
  const char* serialized_bytes;  ///< out, since 0.87
  size_t serialized_bytes_size;  ///< out, since 0.87
  PJRT_SerializedCompileOptions* serialized_compile_options;  ///< out, since 0.87
  void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions*);  ///< out, since 0.87
} PJRT_Executable_GetCompileOptions_Args;
PJRT_LAYOUT(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options_deleter, 87:56)

/// Serialized CompileOptionsProto in a holder that the caller frees with the returned deleter.
/// Since 0.87.
typedef PJRT_Error* PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args);

/// Options of loading a serialized executable; all may be empty.
typedef struct PJRT_LoadOptions {
  size_t struct_size;  ///< since 0.111
  const int32_t* computation_origin;  ///< since 0.111
  size_t computation_origin_size;  ///< since 0.111
  PJRT_MultiSlice_Config* multi_slice_config;  ///< since 0.111
} PJRT_LoadOptions;
PJRT_LAYOUT(PJRT_LoadOptions, multi_slice_config, 111:32)

/// Arguments of PJRT_Executable_DeserializeAndLoad.
typedef struct PJRT_Executable_DeserializeAndLoad_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  const char* serialized_executable;  ///< in, since 0.0
  size_t serialized_executable_size;  ///< in, since 0.0
  PJRT_LoadedExecutable* loaded_executable;  ///< out, since 0.0
  const char* overridden_serialized_compile_options;  ///< in, since 0.71
  size_t overridden_serialized_compile_options_size;  ///< in, since 0.71
  PJRT_LoadOptions* load_options;  ///< in, since 0.111
} PJRT_Executable_DeserializeAndLoad_Args;
PJRT_LAYOUT(PJRT_Executable_DeserializeAndLoad_Args, load_options, 1:48, 71:64, 111:72)

/// Loads what PJRT_Executable_Serialize wrote; options given here replace the stored ones.
/// Since 0.0.
typedef PJRT_Error* PJRT_Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args* args);

/// Arguments of PJRT_LoadedExecutable_Fingerprint.
typedef struct PJRT_LoadedExecutable_Fingerprint_Args {
  size_t struct_size;  ///< in, since 0.28
  PJRT_Extension_Base* extension_start;  ///< in, since 0.28
  PJRT_LoadedExecutable* executable;  ///< in, since 0.28
  const char* executable_fingerprint;  ///< out, since 0.28
  size_t executable_fingerprint_size;  ///< out, since 0.28
} PJRT_LoadedExecutable_Fingerprint_Args;
PJRT_LAYOUT(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size, 28:40)

/// Superseded by PJRT_Executable_Fingerprint; answers UNIMPLEMENTED. Since 0.28.
typedef PJRT_Error* PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args);

#endif  // PJRT_SYS_CORE_EXECUTABLE_H_
