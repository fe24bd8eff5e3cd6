// Client.
// Devices, memories, compilation and the key-value callbacks of multi-process jobs.

#ifndef PJRT_SYS_CORE_CLIENT_H_
#define PJRT_SYS_CORE_CLIENT_H_

#include "base.h"
#include "error.h"

typedef struct PJRT_Program PJRT_Program;

/// State of a process of the job.
typedef enum PJRT_ProcessState {
  PJRT_ProcessState_kUnspecified = 0,  ///< since 0.73
  PJRT_ProcessState_kUninitialized = 1,  ///< since 0.73
  PJRT_ProcessState_kDisconnected = 2,  ///< since 0.73
  PJRT_ProcessState_kConnected = 3,  ///< since 0.73
  PJRT_ProcessState_kError = 4,  ///< since 0.73
} PJRT_ProcessState;

/// Frees a value returned by the get callback. Since 0.2.
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);

/// Arguments of PJRT_KeyValueGetCallback.
typedef struct PJRT_KeyValueGetCallback_Args {
  size_t struct_size;  ///< in, since 0.2
  PJRT_Extension_Base* extension_start;  ///< in, since 0.2
  const char* key;  ///< in, since 0.2
  size_t key_size;  ///< in, since 0.2
  int timeout_in_ms;  ///< in, since 0.2
  PJRT_CallbackError* callback_error;  ///< in, since 0.2
  void* user_arg;  ///< in, since 0.2
  char* value;  ///< out, since 0.2
  size_t value_size;  ///< out, since 0.2
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;  ///< out, since 0.2
} PJRT_KeyValueGetCallback_Args;
PJRT_LAYOUT_SIZE_UNSET(PJRT_KeyValueGetCallback_Args, value_deleter_callback, 2:80)

/// Blocks until the key has a value or the time is over. The plugin copies the value, then
/// calls the deleter. Since 0.2.
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args);

/// Frees a value returned by the try-get callback. Since 0.61.
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value);

/// Arguments of PJRT_KeyValueTryGetCallback.
typedef struct PJRT_KeyValueTryGetCallback_Args {
  size_t struct_size;  ///< in, since 0.61
  PJRT_Extension_Base* extension_start;  ///< in, since 0.61
  const char* key;  ///< in, since 0.61
  size_t key_size;  ///< in, since 0.61
  PJRT_CallbackError* callback_error;  ///< in, since 0.61
  void* user_arg;  ///< in, since 0.61
  char* value;  ///< out, since 0.61
  size_t value_size;  ///< out, since 0.61
  PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;  ///< out, since 0.61
} PJRT_KeyValueTryGetCallback_Args;
PJRT_LAYOUT_SIZE_UNSET(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback, 61:72)

/// Like the get callback but never waits: an absent key is NOT_FOUND. Since 0.61.
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args);

/// Arguments of PJRT_KeyValuePutCallback.
typedef struct PJRT_KeyValuePutCallback_Args {
  size_t struct_size;  ///< in, since 0.2
  PJRT_Extension_Base* extension_start;  ///< in, since 0.2
  const char* key;  ///< in, since 0.2
  size_t key_size;  ///< in, since 0.2
  const char* value;  ///< in, since 0.2
  size_t value_size;  ///< in, since 0.2
  PJRT_CallbackError* callback_error;  ///< in, since 0.2
  void* user_arg;  ///< in, since 0.2
} PJRT_KeyValuePutCallback_Args;
PJRT_LAYOUT_SIZE_UNSET(PJRT_KeyValuePutCallback_Args, user_arg, 2:64)

/// Stores a value; everything is lent for the call. Since 0.2.
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args);

/// Arguments of PJRT_Client_Create.
typedef struct PJRT_Client_Create_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_NamedValue* create_options;  ///< in, since 0.0
  size_t num_options;  ///< in, since 0.0
  /// in, since 0.2: uninitialised unless the options say that the job has several processes, as
  /// are the other five of this group
  PJRT_KeyValueGetCallback kv_get_callback;
  void* kv_get_user_arg;  ///< in, since 0.2
  PJRT_KeyValuePutCallback kv_put_callback;  ///< in, since 0.2
  void* kv_put_user_arg;  ///< in, since 0.2
  PJRT_Client* client;  ///< out, since 0.2
  PJRT_KeyValueTryGetCallback kv_try_get_callback;  ///< in, since 0.61
  void* kv_try_get_user_arg;  ///< in, since 0.61
} PJRT_Client_Create_Args;
PJRT_LAYOUT(PJRT_Client_Create_Args, kv_try_get_user_arg, 1:40, 2:72, 61:88)

/// Makes a client. Options and callbacks are lent; the caller owns the result. Since 0.0.
typedef PJRT_Error* PJRT_Client_Create(PJRT_Client_Create_Args* args);

/// Arguments of PJRT_Client_Destroy.
typedef struct PJRT_Client_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
} PJRT_Client_Destroy_Args;
PJRT_LAYOUT(PJRT_Client_Destroy_Args, client, 1:24)

/// Frees a client and everything with its lifetime: devices, memories, topology. Null is
/// accepted. Since 0.0.
typedef PJRT_Error* PJRT_Client_Destroy(PJRT_Client_Destroy_Args* args);

/// Arguments of PJRT_Client_PlatformName.
typedef struct PJRT_Client_PlatformName_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  const char* platform_name;  ///< out, since 0.0
  size_t platform_name_size;  ///< out, since 0.0
} PJRT_Client_PlatformName_Args;
PJRT_LAYOUT(PJRT_Client_PlatformName_Args, platform_name_size, 1:40)

/// Name of the platform; client lifetime; callers treat failure as fatal. Since 0.0.
typedef PJRT_Error* PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args* args);

/// Arguments of PJRT_Client_ProcessIndex.
typedef struct PJRT_Client_ProcessIndex_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  int process_index;  ///< out, since 0.0
} PJRT_Client_ProcessIndex_Args;
PJRT_LAYOUT(PJRT_Client_ProcessIndex_Args, process_index, 1:28)

/// Rank of this process; 0 in a job of one process. Since 0.0.
typedef PJRT_Error* PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args* args);

/// Arguments of PJRT_Client_PlatformVersion.
typedef struct PJRT_Client_PlatformVersion_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  const char* platform_version;  ///< out, since 0.0
  size_t platform_version_size;  ///< out, since 0.0
} PJRT_Client_PlatformVersion_Args;
PJRT_LAYOUT(PJRT_Client_PlatformVersion_Args, platform_version_size, 1:40)

/// Free-form version text; client lifetime; callers treat failure as fatal. Since 0.0.
typedef PJRT_Error* PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args);

/// Arguments of PJRT_Client_TopologyDescription.
typedef struct PJRT_Client_TopologyDescription_Args {
  size_t struct_size;  ///< in, since 0.36
  PJRT_Extension_Base* extension_start;  ///< in, since 0.36
  PJRT_Client* client;  ///< in, since 0.36
  PJRT_TopologyDescription* topology;  ///< out, since 0.36
} PJRT_Client_TopologyDescription_Args;
PJRT_LAYOUT(PJRT_Client_TopologyDescription_Args, topology, 36:32)

/// Topology of the client, which keeps ownership: not to be destroyed by the caller. Since
/// 0.36.
typedef PJRT_Error* PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args* args);

/// Arguments of PJRT_Client_Devices.
typedef struct PJRT_Client_Devices_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  PJRT_Device *const* devices;  ///< out, since 0.0
  size_t num_devices;  ///< out, since 0.0
} PJRT_Client_Devices_Args;
PJRT_LAYOUT(PJRT_Client_Devices_Args, num_devices, 1:40)

/// Every device of the job, in a stable order; handles and array have client lifetime. Since
/// 0.0.
typedef PJRT_Error* PJRT_Client_Devices(PJRT_Client_Devices_Args* args);

/// Arguments of PJRT_Client_AddressableDevices.
typedef struct PJRT_Client_AddressableDevices_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  PJRT_Device *const* addressable_devices;  ///< out, since 0.0
  size_t num_addressable_devices;  ///< out, since 0.0
} PJRT_Client_AddressableDevices_Args;
PJRT_LAYOUT(PJRT_Client_AddressableDevices_Args, num_addressable_devices, 1:40)

/// The devices that this process can command: a subset of PJRT_Client_Devices. Since 0.0.
typedef PJRT_Error* PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args);

/// Arguments of PJRT_Client_LookupDevice.
typedef struct PJRT_Client_LookupDevice_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  int id;  ///< in, since 0.0
  PJRT_Device* device;  ///< out, since 0.0
} PJRT_Client_LookupDevice_Args;
PJRT_LAYOUT(PJRT_Client_LookupDevice_Args, device, 1:40)

/// Device by global id; an unknown id is INVALID_ARGUMENT. Since 0.0.
typedef PJRT_Error* PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args* args);

/// Arguments of PJRT_Client_LookupAddressableDevice.
typedef struct PJRT_Client_LookupAddressableDevice_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  int local_hardware_id;  ///< in, since 0.0
  PJRT_Device* addressable_device;  ///< out, since 0.0
} PJRT_Client_LookupAddressableDevice_Args;
PJRT_LAYOUT(PJRT_Client_LookupAddressableDevice_Args, addressable_device, 1:40)

/// Addressable device by local hardware id; an unknown id is INVALID_ARGUMENT. Since 0.0.
typedef PJRT_Error* PJRT_Client_LookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args* args);

/// State of one process of the job.
typedef struct PJRT_ProcessInfo {
  size_t struct_size;  ///< since 0.75
  int task_id;  ///< since 0.75
  uint64_t incarnation_id;  ///< since 0.75
  PJRT_ProcessState state;  ///< since 0.75
  int error_code;  ///< since 0.75
  const char* error_message;  ///< since 0.75
  size_t error_message_size;  ///< since 0.75
} PJRT_ProcessInfo;
PJRT_LAYOUT(PJRT_ProcessInfo, error_message_size, 73:40, 75:48)

/// Arguments of PJRT_Client_UpdateGlobalProcessInfo.
typedef struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  size_t struct_size;  ///< in, since 0.73
  PJRT_Extension_Base* extension_start;  ///< in, since 0.73
  PJRT_Client* client;  ///< in, since 0.73
  PJRT_ProcessInfo* process_infos;  ///< in, since 0.73
  size_t num_process_infos;  ///< in, since 0.73
} PJRT_Client_UpdateGlobalProcessInfo_Args;
PJRT_LAYOUT(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos, 73:40)

/// Tells the client the state of every process of the job; callers treat failure as fatal.
/// Since 0.73.
typedef PJRT_Error* PJRT_Client_UpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args* args);

/// Arguments of PJRT_Client_AddressableMemories.
typedef struct PJRT_Client_AddressableMemories_Args {
  size_t struct_size;  ///< in, since 0.20
  PJRT_Extension_Base* extension_start;  ///< in, since 0.20
  PJRT_Client* client;  ///< in, since 0.20
  PJRT_Memory *const* addressable_memories;  ///< out, since 0.20
  size_t num_addressable_memories;  ///< out, since 0.20
} PJRT_Client_AddressableMemories_Args;
PJRT_LAYOUT(PJRT_Client_AddressableMemories_Args, num_addressable_memories, 20:40)

/// Memories that this process can use; must not be empty. Since 0.20.
typedef PJRT_Error* PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args* args);

/// Arguments of PJRT_Client_Compile.
typedef struct PJRT_Client_Compile_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  const PJRT_Program* program;  ///< in, since 0.0
  const char* compile_options;  ///< in, since 0.0
  size_t compile_options_size;  ///< in, since 0.0
  PJRT_LoadedExecutable* executable;  ///< out, since 0.0
} PJRT_Client_Compile_Args;
PJRT_LAYOUT(PJRT_Client_Compile_Args, executable, 1:56)

/// Compiles a program and loads it onto devices. Program and options are lent for the call.
/// Since 0.0.
typedef PJRT_Error* PJRT_Client_Compile(PJRT_Client_Compile_Args* args);

/// Arguments of PJRT_Client_Load.
typedef struct PJRT_Client_Load_Args {
  size_t struct_size;  ///< in, since 0.95
  PJRT_Extension_Base* extension_start;  ///< in, since 0.95
  PJRT_Client* client;  ///< in, since 0.95
  PJRT_Executable* executable;  ///< in, since 0.95
  const char* compile_options;  ///< in, since 0.95
  size_t compile_options_size;  ///< in, since 0.95
  PJRT_LoadedExecutable* loaded_executable;  ///< out, since 0.95
} PJRT_Client_Load_Args;
PJRT_LAYOUT(PJRT_Client_Load_Args, loaded_executable, 95:56)

/// Loads an executable made by PJRT_Compile; the source stays with the caller. Since 0.95.
typedef PJRT_Error* PJRT_Client_Load(PJRT_Client_Load_Args* args);

/// Arguments of PJRT_Client_DefaultDeviceAssignment.
typedef struct PJRT_Client_DefaultDeviceAssignment_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  int num_replicas;  ///< in, since 0.0
  int num_partitions;  ///< in, since 0.0
  size_t default_assignment_size;  ///< in, since 0.0
  int* default_assignment;  ///< in and out, since 0.0
} PJRT_Client_DefaultDeviceAssignment_Args;
PJRT_LAYOUT(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment, 1:48)

/// Writes num_replicas x num_partitions device ids, replica outermost, into the caller's array.
/// Since 0.0.
typedef PJRT_Error* PJRT_Client_DefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args* args);

/// Arguments of PJRT_Client_DmaMap.
typedef struct PJRT_Client_DmaMap_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_Client* client;  ///< in, since 0.67
  void* data;  ///< in, since 0.67
  size_t size;  ///< in, since 0.67
} PJRT_Client_DmaMap_Args;
PJRT_LAYOUT(PJRT_Client_DmaMap_Args, size, 67:40)

/// Pins host memory for direct transfers. Since 0.67.
typedef PJRT_Error* PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args* args);

/// Arguments of PJRT_Client_DmaUnmap.
typedef struct PJRT_Client_DmaUnmap_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_Client* client;  ///< in, since 0.67
  void* data;  ///< in, since 0.67
} PJRT_Client_DmaUnmap_Args;
PJRT_LAYOUT(PJRT_Client_DmaUnmap_Args, data, 67:32)

/// Undoes PJRT_Client_DmaMap. Since 0.67.
typedef PJRT_Error* PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args);

#endif  // PJRT_SYS_CORE_CLIENT_H_
