// Devices.
// Devices and their descriptions; getters have the lifetime of client or topology.

#ifndef PJRT_SYS_CORE_DEVICE_H_
#define PJRT_SYS_CORE_DEVICE_H_

#include "base.h"
#include "error.h"

/// Arguments of PJRT_DeviceDescription_Id.
typedef struct PJRT_DeviceDescription_Id_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  int id;  ///< out, since 0.0
} PJRT_DeviceDescription_Id_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_Id_Args, id, 1:28)

/// Global id, unique within the job. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args);

/// Arguments of PJRT_DeviceDescription_ProcessIndex.
typedef struct PJRT_DeviceDescription_ProcessIndex_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  int process_index;  ///< out, since 0.0
} PJRT_DeviceDescription_ProcessIndex_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 1:28)

/// Process that commands the device. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_ProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args* args);

/// Arguments of PJRT_DeviceDescription_Attributes.
typedef struct PJRT_DeviceDescription_Attributes_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  size_t num_attributes;  ///< out, since 0.0
  const PJRT_NamedValue* attributes;  ///< out, since 0.0
} PJRT_DeviceDescription_Attributes_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_Attributes_Args, attributes, 1:40)

/// Static attributes; only strings, integers and integer lists. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args);

/// Arguments of PJRT_DeviceDescription_Kind.
typedef struct PJRT_DeviceDescription_Kind_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  const char* device_kind;  ///< out, since 0.0
  size_t device_kind_size;  ///< out, since 0.0
} PJRT_DeviceDescription_Kind_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_Kind_Args, device_kind_size, 1:40)

/// Marketing-style name of the device kind. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args);

/// Arguments of PJRT_DeviceDescription_DebugString.
typedef struct PJRT_DeviceDescription_DebugString_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  const char* debug_string;  ///< out, since 0.0
  size_t debug_string_size;  ///< out, since 0.0
} PJRT_DeviceDescription_DebugString_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_DebugString_Args, debug_string_size, 1:40)

/// Verbose text for logs. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_DebugString(
    PJRT_DeviceDescription_DebugString_Args* args);

/// Arguments of PJRT_DeviceDescription_ToString.
typedef struct PJRT_DeviceDescription_ToString_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< in, since 0.0
  const char* to_string;  ///< out, since 0.0
  size_t to_string_size;  ///< out, since 0.0
} PJRT_DeviceDescription_ToString_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_ToString_Args, to_string_size, 1:40)

/// Short text that users see. Since 0.0.
typedef PJRT_Error* PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args);

/// Arguments of PJRT_Device_GetDescription.
typedef struct PJRT_Device_GetDescription_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Device* device;  ///< in, since 0.0
  PJRT_DeviceDescription* device_description;  ///< out, since 0.0
} PJRT_Device_GetDescription_Args;
PJRT_LAYOUT(PJRT_Device_GetDescription_Args, device_description, 1:32)

/// Description of a device; client lifetime. Since 0.0.
typedef PJRT_Error* PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args* args);

/// Arguments of PJRT_Device_IsAddressable.
typedef struct PJRT_Device_IsAddressable_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Device* device;  ///< in, since 0.0
  bool is_addressable;  ///< out, since 0.0
} PJRT_Device_IsAddressable_Args;
PJRT_LAYOUT(PJRT_Device_IsAddressable_Args, is_addressable, 1:25)

/// Whether this process can command the device. Since 0.0.
typedef PJRT_Error* PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args* args);

/// Arguments of PJRT_Device_LocalHardwareId.
typedef struct PJRT_Device_LocalHardwareId_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Device* device;  ///< in, since 0.0
  int local_hardware_id;  ///< out, since 0.0
} PJRT_Device_LocalHardwareId_Args;
PJRT_LAYOUT(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 1:28)

/// Number of the device on its host, -1 when there is none. Since 0.0.
typedef PJRT_Error* PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args);

/// Arguments of PJRT_Device_AddressableMemories.
typedef struct PJRT_Device_AddressableMemories_Args {
  size_t struct_size;  ///< in, since 0.13
  PJRT_Extension_Base* extension_start;  ///< in, since 0.13
  PJRT_Device* device;  ///< in, since 0.13
  PJRT_Memory *const* memories;  ///< out, since 0.13
  size_t num_memories;  ///< out, since 0.13
} PJRT_Device_AddressableMemories_Args;
PJRT_LAYOUT(PJRT_Device_AddressableMemories_Args, num_memories, 13:40, 38:32, 46:40)

/// Memories attached to the device; the same handles as the client's list. Since 0.13.
typedef PJRT_Error* PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args);

/// Arguments of PJRT_Device_DefaultMemory.
typedef struct PJRT_Device_DefaultMemory_Args {
  size_t struct_size;  ///< in, since 0.17
  PJRT_Extension_Base* extension_start;  ///< in, since 0.17
  PJRT_Device* device;  ///< in, since 0.17
  PJRT_Memory* memory;  ///< out, since 0.17
} PJRT_Device_DefaultMemory_Args;
PJRT_LAYOUT(PJRT_Device_DefaultMemory_Args, memory, 17:32)

/// The memory used when a caller names only the device. Since 0.17.
typedef PJRT_Error* PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args);

/// Arguments of PJRT_Device_MemoryStats.
typedef struct PJRT_Device_MemoryStats_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Device* device;  ///< in, since 0.0
  int64_t bytes_in_use;  ///< out, since 0.0
  int64_t peak_bytes_in_use;  ///< out, since 0.0
  bool peak_bytes_in_use_is_set;  ///< out, since 0.0
  int64_t num_allocs;  ///< out, since 0.0
  bool num_allocs_is_set;  ///< out, since 0.0
  int64_t largest_alloc_size;  ///< out, since 0.0
  bool largest_alloc_size_is_set;  ///< out, since 0.0
  int64_t bytes_limit;  ///< out, since 0.0
  bool bytes_limit_is_set;  ///< out, since 0.0
  int64_t bytes_reserved;  ///< out, since 0.0
  bool bytes_reserved_is_set;  ///< out, since 0.0
  int64_t peak_bytes_reserved;  ///< out, since 0.0
  bool peak_bytes_reserved_is_set;  ///< out, since 0.0
  int64_t bytes_reservable_limit;  ///< out, since 0.0
  bool bytes_reservable_limit_is_set;  ///< out, since 0.0
  int64_t largest_free_block_bytes;  ///< out, since 0.0
  bool largest_free_block_bytes_is_set;  ///< out, since 0.0
  int64_t pool_bytes;  ///< out, since 0.0
  bool pool_bytes_is_set;  ///< out, since 0.0
  int64_t peak_pool_bytes;  ///< out, since 0.0
  bool peak_pool_bytes_is_set;  ///< out, since 0.0
  int64_t peak_allocated_bytes;  ///< out, since 0.113
  bool peak_allocated_bytes_is_set;  ///< out, since 0.113
} PJRT_Device_MemoryStats_Args;
PJRT_LAYOUT(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set, 1:185, 113:201)

/// Memory counters; every is_set flag is written, the number beside it only counts when set.
/// Since 0.0.
typedef PJRT_Error* PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args* args);

/// Arguments of PJRT_Device_ClearMemoryStats.
typedef struct PJRT_Device_ClearMemoryStats_Args {
  size_t struct_size;  ///< in, since 0.106
  PJRT_Extension_Base* extension_start;  ///< in, since 0.106
  PJRT_Device* device;  ///< in, since 0.106
} PJRT_Device_ClearMemoryStats_Args;
PJRT_LAYOUT(PJRT_Device_ClearMemoryStats_Args, device, 106:24)

/// Resets the peaks of the memory counters. Since 0.106.
typedef PJRT_Error* PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args);

/// Arguments of PJRT_Device_PoisonExecution.
typedef struct PJRT_Device_PoisonExecution_Args {
  size_t struct_size;  ///< in, since 0.85
  /// in, since 0.85: real callers leave it uninitialised: not to be walked
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;  ///< in, since 0.85
  int32_t launch_id;  ///< in, since 0.85
  PJRT_Error_Code error_code;  ///< in, since 0.85
  const char* error_message;  ///< in, since 0.85
  size_t error_message_size;  ///< in, since 0.85
  bool poisoned;  ///< out, since 0.85
  const PJRT_NamedValue* payload;  ///< in, since 0.100
  size_t num_payload;  ///< in, since 0.100
} PJRT_Device_PoisonExecution_Args;
PJRT_LAYOUT(PJRT_Device_PoisonExecution_Args, num_payload, 85:49, 100:72)

/// Makes the unfinished execution with a launch id fail; reports whether there was one. Since
/// 0.85.
typedef PJRT_Error* PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args);

/// Arguments of PJRT_Device_GetAttributes.
typedef struct PJRT_Device_GetAttributes_Args {
  size_t struct_size;  ///< in, since 0.92
  PJRT_Extension_Base* extension_start;  ///< in, since 0.92
  PJRT_Device* device;  ///< in, since 0.92
  const PJRT_NamedValue* attributes;  ///< out, since 0.92
  size_t num_attributes;  ///< out, since 0.92
  PJRT_Device_Attributes* device_attributes;  ///< out, since 0.92
  void (*attributes_deleter)(PJRT_Device_Attributes*);  ///< out, since 0.92
} PJRT_Device_GetAttributes_Args;
PJRT_LAYOUT(PJRT_Device_GetAttributes_Args, attributes_deleter, 92:56)

/// Static and current attributes in a holder that the caller frees with the returned deleter.
/// Since 0.92.
typedef PJRT_Error* PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args* args);

/// Arguments of PJRT_Device_CreateAsyncTrackingEvent.
typedef struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  size_t struct_size;  ///< in, since 0.86
  PJRT_Extension_Base* extension_start;  ///< in, since 0.86
  PJRT_Device* device;  ///< in, since 0.86
  const char* description;  ///< in, since 0.86
  size_t description_size;  ///< in, since 0.86
  PJRT_AsyncTrackingEvent* event;  ///< out, since 0.86
} PJRT_Device_CreateAsyncTrackingEvent_Args;
PJRT_LAYOUT(PJRT_Device_CreateAsyncTrackingEvent_Args, event, 86:48)

/// Starts a scoped marker for asynchronous work; success with null means unsupported. Since
/// 0.86.
typedef PJRT_Error* PJRT_Device_CreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args* args);

/// Arguments of PJRT_AsyncTrackingEvent_Destroy.
typedef struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;  ///< in, since 0.86
  PJRT_Extension_Base* extension_start;  ///< in, since 0.86
  PJRT_AsyncTrackingEvent* event;  ///< in, since 0.86
} PJRT_AsyncTrackingEvent_Destroy_Args;
PJRT_LAYOUT(PJRT_AsyncTrackingEvent_Destroy_Args, event, 86:24)

/// Ends and frees a marker. Since 0.86.
typedef PJRT_Error* PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args);

#endif  // PJRT_SYS_CORE_DEVICE_H_
