// Extension: raw buffers.
// Untyped storage with its own functions and completion events. Experimental upstream.

#ifndef PJRT_SYS_EXTENSIONS_RAW_BUFFER_H_
#define PJRT_SYS_EXTENSIONS_RAW_BUFFER_H_

#include "../core/base.h"

#define PJRT_API_RAW_BUFFER_EXTENSION_VERSION 2

typedef struct PJRT_DeviceEvent PJRT_DeviceEvent;
typedef struct PJRT_DeviceEventPromise PJRT_DeviceEventPromise;
typedef struct PJRT_DeviceEventVector PJRT_DeviceEventVector;

typedef struct PJRT_RawBuffer PJRT_RawBuffer;

/// Functions of a raw buffer object.
typedef struct PJRT_RawBuffer_FunctionTable {
  size_t struct_size;  ///< since 0.112
  size_t instance_size;  ///< since 0.112
  PJRT_Extension_Base* extension_start;  ///< since 0.112
  void (*inc_ref)(PJRT_RawBuffer*);  ///< since 0.112
  void (*dec_ref)(PJRT_RawBuffer*);  ///< since 0.112
  size_t (*get_on_device_size_in_bytes)(const PJRT_RawBuffer*);  ///< since 0.112
  PJRT_Memory*(*get_memory_space)(const PJRT_RawBuffer*);  ///< since 0.112
  void*(*get_host_pointer)(const PJRT_RawBuffer*);  ///< since 0.112
  /// since 0.112
  PJRT_Error*(*copy_raw_host_to_device_and_return_event)(
      PJRT_RawBuffer*, const void*, int64_t, int64_t, PJRT_DeviceEventVector*, PJRT_DeviceEvent*);
  /// since 0.112
  PJRT_Error*(*copy_raw_device_to_host_and_return_event)(
      PJRT_RawBuffer*, void*, int64_t, int64_t, PJRT_DeviceEventVector*, PJRT_DeviceEvent*);
  void*(*opaque_device_memory_data_pointer)(const PJRT_RawBuffer*);  ///< since 0.112
  PJRT_Error*(*make_allocation_ready_event)(PJRT_RawBuffer*, PJRT_DeviceEvent*);  ///< since 0.112
  PJRT_Error*(*get_raw_buffer_async_value)(PJRT_RawBuffer*, PJRT_DeviceEvent*);  ///< since 0.112
  bool (*is_mutable)(const PJRT_RawBuffer*);  ///< since 0.112
  PJRT_Error*(*slice)(PJRT_RawBuffer*, int64_t, int64_t, PJRT_RawBuffer**);  ///< since 0.113
  /// since 0.113
  void (*schedule_copy_to)(
      PJRT_RawBuffer*, PJRT_DeviceEventVector*, PJRT_RawBuffer*, PJRT_DeviceEventPromise*, PJRT_DeviceEventPromise*, void (*)(
      PJRT_Error*, void*), void*);
} PJRT_RawBuffer_FunctionTable;
PJRT_LAYOUT(PJRT_RawBuffer_FunctionTable, schedule_copy_to, 112:112, 113:128)

/// A raw buffer begins with a pointer to its function table.
struct PJRT_RawBuffer {
  const PJRT_RawBuffer_FunctionTable* vtable;  ///< since 0.112
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_RawBuffer, vtable, 112:8)

/// Arguments of PJRT_RawBuffer_CreateRawAliasOfBuffer.
typedef struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_Buffer* buffer;  ///< in, since 0.67
  PJRT_RawBuffer* raw_buffer;  ///< out, since 0.67
} PJRT_RawBuffer_CreateRawAliasOfBuffer_Args;
PJRT_LAYOUT(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, raw_buffer, 67:32)

/// A raw view of the storage of a buffer. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_CreateRawAliasOfBuffer(
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args);

/// Arguments of PJRT_RawBuffer_Destroy.
typedef struct PJRT_RawBuffer_Destroy_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_RawBuffer* buffer;  ///< in, since 0.67
} PJRT_RawBuffer_Destroy_Args;
PJRT_LAYOUT(PJRT_RawBuffer_Destroy_Args, buffer, 67:24)

/// Frees a raw buffer handle. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_Destroy(PJRT_RawBuffer_Destroy_Args* args);

/// Arguments of PJRT_RawBuffer_GetHostPointer.
typedef struct PJRT_RawBuffer_GetHostPointer_Args {
  size_t struct_size;  ///< in, since 0.73
  PJRT_Extension_Base* extension_start;  ///< in, since 0.73
  PJRT_RawBuffer* buffer;  ///< in, since 0.73
  void* host_pointer;  ///< out, since 0.73
} PJRT_RawBuffer_GetHostPointer_Args;
PJRT_LAYOUT(PJRT_RawBuffer_GetHostPointer_Args, host_pointer, 73:32)

/// Host address of the storage, null when the host cannot read it. Since 0.73.
typedef PJRT_Error* PJRT_RawBuffer_GetHostPointer(PJRT_RawBuffer_GetHostPointer_Args* args);

/// Arguments of PJRT_RawBuffer_GetOnDeviceSizeInBytes.
typedef struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_RawBuffer* buffer;  ///< in, since 0.67
  size_t on_device_size_in_bytes;  ///< out, since 0.67
} PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args;
PJRT_LAYOUT(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, on_device_size_in_bytes, 67:32)

/// Size of the storage, in bytes. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_GetOnDeviceSizeInBytes(
    PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args);

/// Arguments of PJRT_RawBuffer_GetMemorySpace.
typedef struct PJRT_RawBuffer_GetMemorySpace_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_RawBuffer* buffer;  ///< in, since 0.67
  PJRT_Memory* memory_space;  ///< out, since 0.67
} PJRT_RawBuffer_GetMemorySpace_Args;
PJRT_LAYOUT(PJRT_RawBuffer_GetMemorySpace_Args, memory_space, 67:32)

/// Memory that holds the storage. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_GetMemorySpace(PJRT_RawBuffer_GetMemorySpace_Args* args);

/// Arguments of PJRT_RawBuffer_CopyRawDeviceToHost.
typedef struct PJRT_RawBuffer_CopyRawDeviceToHost_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_RawBuffer* buffer;  ///< in, since 0.67
  void* dst;  ///< in, since 0.67
  int64_t offset;  ///< in, since 0.67
  int64_t transfer_size;  ///< in, since 0.67
  PJRT_Event* event;  ///< out, since 0.67
} PJRT_RawBuffer_CopyRawDeviceToHost_Args;
PJRT_LAYOUT(PJRT_RawBuffer_CopyRawDeviceToHost_Args, event, 67:56)

/// Copies a range of bytes to the host. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_CopyRawDeviceToHost(
    PJRT_RawBuffer_CopyRawDeviceToHost_Args* args);

/// Arguments of PJRT_RawBuffer_CopyRawHostToDevice.
typedef struct PJRT_RawBuffer_CopyRawHostToDevice_Args {
  size_t struct_size;  ///< in, since 0.67
  PJRT_Extension_Base* extension_start;  ///< in, since 0.67
  PJRT_RawBuffer* buffer;  ///< in, since 0.67
  const void* src;  ///< in, since 0.67
  int64_t offset;  ///< in, since 0.67
  int64_t transfer_size;  ///< in, since 0.67
  PJRT_Event* event;  ///< out, since 0.67
} PJRT_RawBuffer_CopyRawHostToDevice_Args;
PJRT_LAYOUT(PJRT_RawBuffer_CopyRawHostToDevice_Args, event, 67:56)

/// Copies a range of bytes from the host. Since 0.67.
typedef PJRT_Error* PJRT_RawBuffer_CopyRawHostToDevice(
    PJRT_RawBuffer_CopyRawHostToDevice_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_RawBuffer_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_RawBuffer_CreateRawAliasOfBuffer* PJRT_RawBuffer_CreateRawAliasOfBuffer;  ///< since 0.68
  PJRT_RawBuffer_Destroy* PJRT_RawBuffer_Destroy;  ///< since 0.68
  PJRT_RawBuffer_GetOnDeviceSizeInBytes* PJRT_RawBuffer_GetOnDeviceSizeInBytes;  ///< since 0.68
  PJRT_RawBuffer_GetMemorySpace* PJRT_RawBuffer_GetMemorySpace;  ///< since 0.68
  PJRT_RawBuffer_CopyRawHostToDevice* PJRT_RawBuffer_CopyRawHostToDevice;  ///< since 0.68
  PJRT_RawBuffer_CopyRawDeviceToHost* PJRT_RawBuffer_CopyRawDeviceToHost;  ///< since 0.68
  PJRT_RawBuffer_GetHostPointer* PJRT_RawBuffer_GetHostPointer;  ///< since 0.73
} PJRT_RawBuffer_Extension;
PJRT_LAYOUT(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetHostPointer, 68:72, 73:80)

PJRT_EXTENSION(PJRT_RawBuffer_Extension, PJRT_Extension_Type_RawBuffer, PJRT_API_RAW_BUFFER_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_RAW_BUFFER_H_
