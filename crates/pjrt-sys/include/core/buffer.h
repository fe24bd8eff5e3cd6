// Buffers.
// Arrays on devices: creation, metadata, copies, life and death.

#ifndef PJRT_SYS_CORE_BUFFER_H_
#define PJRT_SYS_CORE_BUFFER_H_

#include "base.h"
#include "error.h"

/// Element types. Types narrower than a byte take a whole byte per element in host memory.
typedef enum PJRT_Buffer_Type {
  PJRT_Buffer_Type_INVALID = 0,  ///< since 0.0
  PJRT_Buffer_Type_PRED = 1,  ///< since 0.0
  PJRT_Buffer_Type_S8 = 2,  ///< since 0.0
  PJRT_Buffer_Type_S16 = 3,  ///< since 0.0
  PJRT_Buffer_Type_S32 = 4,  ///< since 0.0
  PJRT_Buffer_Type_S64 = 5,  ///< since 0.0
  PJRT_Buffer_Type_U8 = 6,  ///< since 0.0
  PJRT_Buffer_Type_U16 = 7,  ///< since 0.0
  PJRT_Buffer_Type_U32 = 8,  ///< since 0.0
  PJRT_Buffer_Type_U64 = 9,  ///< since 0.0
  PJRT_Buffer_Type_F16 = 10,  ///< since 0.0
  PJRT_Buffer_Type_F32 = 11,  ///< since 0.0
  PJRT_Buffer_Type_F64 = 12,  ///< since 0.0
  PJRT_Buffer_Type_BF16 = 13,  ///< since 0.0
  PJRT_Buffer_Type_C64 = 14,  ///< since 0.0
  PJRT_Buffer_Type_C128 = 15,  ///< since 0.0
  PJRT_Buffer_Type_F8E5M2 = 16,  ///< since 0.0
  PJRT_Buffer_Type_F8E4M3FN = 17,  ///< since 0.0
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,  ///< since 0.0
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,  ///< since 0.4
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,  ///< since 0.4
  PJRT_Buffer_Type_S4 = 21,  ///< since 0.4
  PJRT_Buffer_Type_U4 = 22,  ///< since 0.4
  PJRT_Buffer_Type_TOKEN = 23,  ///< since 0.50
  PJRT_Buffer_Type_S2 = 24,  ///< since 0.53
  PJRT_Buffer_Type_U2 = 25,  ///< since 0.53
  PJRT_Buffer_Type_F8E4M3 = 26,  ///< since 0.55
  PJRT_Buffer_Type_F8E3M4 = 27,  ///< since 0.55
  PJRT_Buffer_Type_F8E8M0FNU = 28,  ///< since 0.63
  PJRT_Buffer_Type_F4E2M1FN = 29,  ///< since 0.63
  PJRT_Buffer_Type_S1 = 30,  ///< since 0.94
  PJRT_Buffer_Type_U1 = 31,  ///< since 0.94
  PJRT_Buffer_Type_F6E2M3FN = 32,  ///< since 0.114
  PJRT_Buffer_Type_F6E3M2FN = 33,  ///< since 0.114
} PJRT_Buffer_Type;

/// Until when, and how, a plugin may use the host memory that a buffer was made from.
typedef enum PJRT_HostBufferSemantics {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,  ///< since 0.0
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,  ///< since 0.0
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,  ///< since 0.47
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3,  ///< since 0.48
} PJRT_HostBufferSemantics;

/// Which member of the layout union counts.
typedef enum PJRT_Buffer_MemoryLayout_Type {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,  ///< since 0.4
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,  ///< since 0.4
} PJRT_Buffer_MemoryLayout_Type;

/// Dimension order, minor to major, and tiles; no tiles means dense.
typedef struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;  ///< since 0.4
  PJRT_Extension_Base* extension_start;  ///< since 0.4
  const int64_t* minor_to_major;  ///< since 0.4
  size_t minor_to_major_size;  ///< since 0.4
  const int64_t* tile_dims;  ///< since 0.4
  const size_t* tile_dim_sizes;  ///< since 0.4
  size_t num_tiles;  ///< since 0.4
} PJRT_Buffer_MemoryLayout_Tiled;
PJRT_LAYOUT_SIZE_UNSET(PJRT_Buffer_MemoryLayout_Tiled, num_tiles, 4:56)

/// Byte strides, one per dimension.
typedef struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;  ///< since 0.4
  PJRT_Extension_Base* extension_start;  ///< since 0.4
  const int64_t* byte_strides;  ///< since 0.4
  size_t num_byte_strides;  ///< since 0.4
} PJRT_Buffer_MemoryLayout_Strides;
PJRT_LAYOUT_SIZE_UNSET(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides, 4:32)

/// A layout of one of the two kinds.
typedef struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;  ///< since 0.4
  PJRT_Extension_Base* extension_start;  ///< since 0.4
  /// since 0.4
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;  ///< since 0.4
} PJRT_Buffer_MemoryLayout;
PJRT_LAYOUT_SIZE_UNSET(PJRT_Buffer_MemoryLayout, type, 4:76)

/// Arguments of PJRT_Client_CreateUninitializedBuffer.
typedef struct PJRT_Client_CreateUninitializedBuffer_Args {
  size_t struct_size;  ///< in, since 0.69
  PJRT_Extension_Base* extension_start;  ///< in, since 0.69
  PJRT_Client* client;  ///< in, since 0.69
  const int64_t* shape_dims;  ///< in, since 0.69
  size_t shape_num_dims;  ///< in, since 0.69
  PJRT_Buffer_Type shape_element_type;  ///< in, since 0.69
  PJRT_Buffer_MemoryLayout* shape_layout;  ///< in, since 0.69
  PJRT_Device* device;  ///< in, since 0.69: wins over memory when not null
  PJRT_Memory* memory;  ///< in, since 0.69
  PJRT_Buffer* buffer;  ///< out, since 0.69
} PJRT_Client_CreateUninitializedBuffer_Args;
PJRT_LAYOUT(PJRT_Client_CreateUninitializedBuffer_Args, buffer, 69:80)

/// Allocates a buffer with undefined contents. Since 0.69.
typedef PJRT_Error* PJRT_Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args* args);

/// Arguments of PJRT_Client_CreateErrorBuffer.
typedef struct PJRT_Client_CreateErrorBuffer_Args {
  size_t struct_size;  ///< in, since 0.82
  PJRT_Extension_Base* extension_start;  ///< in, since 0.82
  PJRT_Client* client;  ///< in, since 0.82
  PJRT_Error_Code error_code;  ///< in, since 0.82
  const char* error_message;  ///< in, since 0.82
  size_t error_message_size;  ///< in, since 0.82
  const int64_t* shape_dims;  ///< in, since 0.82
  size_t shape_num_dims;  ///< in, since 0.82
  PJRT_Buffer_Type shape_element_type;  ///< in, since 0.82
  PJRT_Buffer_MemoryLayout* shape_layout;  ///< in, since 0.82
  PJRT_Memory* memory;  ///< in, since 0.82
  PJRT_Buffer* buffer;  ///< out, since 0.82
  const PJRT_NamedValue* payload;  ///< in, since 0.103
  size_t num_payload;  ///< in, since 0.103
} PJRT_Client_CreateErrorBuffer_Args;
PJRT_LAYOUT(PJRT_Client_CreateErrorBuffer_Args, num_payload, 82:96, 103:112)

/// Makes a buffer that never holds data and whose ready event is the given error. Since 0.82.
typedef PJRT_Error* PJRT_Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args);

/// Arguments of PJRT_Client_CreateAliasBuffer.
typedef struct PJRT_Client_CreateAliasBuffer_Args {
  size_t struct_size;  ///< in, since 0.77
  PJRT_Extension_Base* extension_start;  ///< in, since 0.77
  PJRT_Client* client;  ///< in, since 0.77
  PJRT_Memory* memory;  ///< in, since 0.77
  const int64_t* shape_dims;  ///< in, since 0.77
  size_t shape_num_dims;  ///< in, since 0.77
  PJRT_Buffer_Type shape_element_type;  ///< in, since 0.77
  PJRT_Buffer_MemoryLayout* shape_layout;  ///< in, since 0.77
  PJRT_Buffer* alias_buffer;  ///< out, since 0.77
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  ///< out, since 0.77
} PJRT_Client_CreateAliasBuffer_Args;
PJRT_LAYOUT(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb, 77:80)

/// Makes a placeholder that a later PJRT_Client_FulfillAliasBuffer binds to a real buffer or an
/// error. Since 0.77.
typedef PJRT_Error* PJRT_Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args);

/// Arguments of PJRT_Client_FulfillAliasBuffer.
typedef struct PJRT_Client_FulfillAliasBuffer_Args {
  size_t struct_size;  ///< in, since 0.77
  PJRT_Extension_Base* extension_start;  ///< in, since 0.77
  PJRT_Client* client;  ///< in, since 0.77
  PJRT_Buffer* buffer;  ///< in, since 0.77
  PJRT_Error_Code status_code;  ///< in, since 0.77
  const char* error_message;  ///< in, since 0.77
  size_t error_message_size;  ///< in, since 0.77
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  ///< in, since 0.77
} PJRT_Client_FulfillAliasBuffer_Args;
PJRT_LAYOUT(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb, 77:64)

/// Binds a placeholder; consumes the callback handle even when it fails. Since 0.77.
typedef PJRT_Error* PJRT_Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args);

/// Arguments of PJRT_Client_BufferFromHostBuffer.
typedef struct PJRT_Client_BufferFromHostBuffer_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  const void* data;  ///< in, since 0.0
  PJRT_Buffer_Type type;  ///< in, since 0.0
  const int64_t* dims;  ///< in, since 0.0
  size_t num_dims;  ///< in, since 0.0
  /// in, since 0.0: null means dense, row-major; may be negative or zero
  const int64_t* byte_strides;
  size_t num_byte_strides;  ///< in, since 0.0
  PJRT_HostBufferSemantics host_buffer_semantics;  ///< in, since 0.0
  PJRT_Device* device;  ///< in, since 0.0: used when memory is null
  PJRT_Memory* memory;  ///< in, since 0.23: wins over device when not null
  PJRT_Buffer_MemoryLayout* device_layout;  ///< in, since 0.23: null means the backend's default
  PJRT_Event* done_with_host_buffer;  ///< out, since 0.23: owned by the caller
  PJRT_Buffer* buffer;  ///< out, since 0.23
} PJRT_Client_BufferFromHostBuffer_Args;
PJRT_LAYOUT(PJRT_Client_BufferFromHostBuffer_Args, buffer, 1:104, 4:112, 23:120)

/// Makes a buffer from a strided host array. The semantics say when the caller may touch the
/// array again. Since 0.0.
typedef PJRT_Error* PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args);

/// Arguments of PJRT_Client_CreateViewOfDeviceBuffer.
typedef struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  size_t struct_size;  ///< in, since 0.33
  PJRT_Extension_Base* extension_start;  ///< in, since 0.33
  PJRT_Client* client;  ///< in, since 0.33
  void* device_buffer_ptr;  ///< in, since 0.33
  const int64_t* dims;  ///< in, since 0.33
  size_t num_dims;  ///< in, since 0.33
  PJRT_Buffer_Type element_type;  ///< in, since 0.33
  PJRT_Buffer_MemoryLayout* layout;  ///< in, since 0.33
  PJRT_Device* device;  ///< in, since 0.33: superseded by memory
  void (*on_delete_callback)(void*, void*);  ///< in, since 0.33
  void* on_delete_callback_arg;  ///< in, since 0.33
  intptr_t stream;  ///< in, since 0.33
  PJRT_Buffer* buffer;  ///< out, since 0.33
  PJRT_Memory* memory;  ///< in, since 0.66
} PJRT_Client_CreateViewOfDeviceBuffer_Args;
PJRT_LAYOUT(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory, 33:104, 66:112)

/// Wraps memory that somebody else owns; on_delete_callback runs once when the plugin no longer
/// uses it. Since 0.33.
typedef PJRT_Error* PJRT_Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args* args);

/// Arguments of PJRT_Buffer_Destroy.
typedef struct PJRT_Buffer_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
} PJRT_Buffer_Destroy_Args;
PJRT_LAYOUT(PJRT_Buffer_Destroy_Args, buffer, 1:24)

/// Frees the handle, and the data as PJRT_Buffer_Delete does. Null is accepted. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args* args);

/// Arguments of PJRT_Buffer_ElementType.
typedef struct PJRT_Buffer_ElementType_Args {
  size_t struct_size;  ///< in, since 0.5
  PJRT_Extension_Base* extension_start;  ///< in, since 0.5
  PJRT_Buffer* buffer;  ///< in, since 0.5
  PJRT_Buffer_Type type;  ///< out, since 0.5
} PJRT_Buffer_ElementType_Args;
PJRT_LAYOUT(PJRT_Buffer_ElementType_Args, type, 5:28)

/// Element type; valid in every state of the buffer. Since 0.5.
typedef PJRT_Error* PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args* args);

/// Arguments of PJRT_Buffer_Dimensions.
typedef struct PJRT_Buffer_Dimensions_Args {
  size_t struct_size;  ///< in, since 0.6
  PJRT_Extension_Base* extension_start;  ///< in, since 0.6
  PJRT_Buffer* buffer;  ///< in, since 0.6
  const int64_t* dims;  ///< out, since 0.6
  size_t num_dims;  ///< out, since 0.6
} PJRT_Buffer_Dimensions_Args;
PJRT_LAYOUT(PJRT_Buffer_Dimensions_Args, num_dims, 6:40)

/// Dimensions; valid in every state of the buffer, array lives as long as the handle. Since
/// 0.6.
typedef PJRT_Error* PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args);

/// Arguments of PJRT_Buffer_UnpaddedDimensions.
typedef struct PJRT_Buffer_UnpaddedDimensions_Args {
  size_t struct_size;  ///< in, since 0.7
  PJRT_Extension_Base* extension_start;  ///< in, since 0.7
  PJRT_Buffer* buffer;  ///< in, since 0.7
  const int64_t* unpadded_dims;  ///< out, since 0.7
  size_t num_dims;  ///< out, since 0.7
} PJRT_Buffer_UnpaddedDimensions_Args;
PJRT_LAYOUT(PJRT_Buffer_UnpaddedDimensions_Args, num_dims, 7:40)

/// Dimensions without padding; the same as the dimensions for static shapes. Since 0.7.
typedef PJRT_Error* PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args);

/// Arguments of PJRT_Buffer_DynamicDimensionIndices.
typedef struct PJRT_Buffer_DynamicDimensionIndices_Args {
  size_t struct_size;  ///< in, since 0.11
  PJRT_Extension_Base* extension_start;  ///< in, since 0.11
  PJRT_Buffer* buffer;  ///< in, since 0.11
  const size_t* dynamic_dim_indices;  ///< out, since 0.11
  size_t num_dynamic_dims;  ///< out, since 0.11
} PJRT_Buffer_DynamicDimensionIndices_Args;
PJRT_LAYOUT(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims, 11:40)

/// Which dimensions are dynamic; none for static shapes. Since 0.11.
typedef PJRT_Error* PJRT_Buffer_DynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args* args);

/// Arguments of PJRT_Buffer_GetMemoryLayout.
typedef struct PJRT_Buffer_GetMemoryLayout_Args {
  size_t struct_size;  ///< in, since 0.10
  PJRT_Extension_Base* extension_start;  ///< in, since 0.10
  PJRT_Buffer* buffer;  ///< in, since 0.10
  PJRT_Buffer_MemoryLayout layout;  ///< out, since 0.10
} PJRT_Buffer_GetMemoryLayout_Args;
PJRT_LAYOUT(PJRT_Buffer_GetMemoryLayout_Args, layout, 10:104)

/// Layout on the device; superseded by the layouts extension. Since 0.10.
typedef PJRT_Error* PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args);

/// Arguments of PJRT_Buffer_ToHostBuffer.
typedef struct PJRT_Buffer_ToHostBuffer_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* src;  ///< in, since 0.0
  /// in, since 0.8: null means the device layout's order without tiles
  PJRT_Buffer_MemoryLayout* host_layout;
  void* dst;  ///< in and out, since 0.8: null asks for dst_size only
  size_t dst_size;  ///< in and out, since 0.8
  PJRT_Event* event;  ///< out, since 0.8: null when only the size was asked
} PJRT_Buffer_ToHostBuffer_Args;
PJRT_LAYOUT(PJRT_Buffer_ToHostBuffer_Args, event, 1:48, 8:56)

/// Copies to a host array. A null destination asks for the size only, and yields no event.
/// Since 0.0.
typedef PJRT_Error* PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args);

/// Arguments of PJRT_Buffer_OnDeviceSizeInBytes.
typedef struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  size_t on_device_size_in_bytes;  ///< out, since 0.0
} PJRT_Buffer_OnDeviceSizeInBytes_Args;
PJRT_LAYOUT(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes, 1:32)

/// Size of the storage on the device, in bytes. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args);

/// Arguments of PJRT_Buffer_Delete.
typedef struct PJRT_Buffer_Delete_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
} PJRT_Buffer_Delete_Args;
PJRT_LAYOUT(PJRT_Buffer_Delete_Args, buffer, 1:24)

/// Drops the data once pending users are done; idempotent; the handle and its metadata stay
/// usable. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args* args);

/// Arguments of PJRT_Buffer_IsDeleted.
typedef struct PJRT_Buffer_IsDeleted_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  bool is_deleted;  ///< out, since 0.0
} PJRT_Buffer_IsDeleted_Args;
PJRT_LAYOUT(PJRT_Buffer_IsDeleted_Args, is_deleted, 1:25)

/// True once deleted, donated or consumed. By far the most frequent call. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args);

/// Arguments of PJRT_Buffer_CopyRawToHost.
typedef struct PJRT_Buffer_CopyRawToHost_Args {
  size_t struct_size;  ///< in, since 0.56
  PJRT_Extension_Base* extension_start;  ///< in, since 0.56
  PJRT_Buffer* buffer;  ///< in, since 0.56
  void* dst;  ///< in, since 0.56
  int64_t offset;  ///< in, since 0.56
  int64_t transfer_size;  ///< in, since 0.56
  PJRT_Event* event;  ///< out, since 0.56
} PJRT_Buffer_CopyRawToHost_Args;
PJRT_LAYOUT(PJRT_Buffer_CopyRawToHost_Args, event, 56:56)

/// Copies a range of the bytes on the device to the host. Since 0.56.
typedef PJRT_Error* PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args);

/// Handed to the callback that PJRT_Buffer_CopyRawToHostFuture returned; code OK starts the
/// copy.
typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;  ///< in, since 0.84
  void* callback_data;  ///< in, since 0.84
  PJRT_Error_Code error_code;  ///< in, since 0.84
  const char* error_message;  ///< in, since 0.84
  size_t error_message_size;  ///< in, since 0.84
  void* dst;  ///< in, since 0.84
} PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
PJRT_LAYOUT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst, 84:48)

/// Arguments of PJRT_Buffer_CopyRawToHostFuture.
typedef struct PJRT_Buffer_CopyRawToHostFuture_Args {
  size_t struct_size;  ///< in, since 0.84
  PJRT_Extension_Base* extension_start;  ///< in, since 0.84
  PJRT_Buffer* buffer;  ///< in, since 0.84
  int64_t offset;  ///< in, since 0.84
  int64_t transfer_size;  ///< in, since 0.84
  PJRT_Event* event;  ///< out, since 0.84
  void* callback_data;  ///< out, since 0.84
  /// out, since 0.84
  void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
} PJRT_Buffer_CopyRawToHostFuture_Args;
PJRT_LAYOUT(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback, 84:64)

/// Like PJRT_Buffer_CopyRawToHost, with the destination supplied later through the returned
/// callback, which is called exactly once. Since 0.84.
typedef PJRT_Error* PJRT_Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args);

/// Arguments of PJRT_Buffer_CopyToDevice.
typedef struct PJRT_Buffer_CopyToDevice_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  PJRT_Device* dst_device;  ///< in, since 0.0
  PJRT_Buffer* dst_buffer;  ///< out, since 0.0
} PJRT_Buffer_CopyToDevice_Args;
PJRT_LAYOUT(PJRT_Buffer_CopyToDevice_Args, dst_buffer, 1:40)

/// Copies to the default memory of a device; superseded by PJRT_Buffer_CopyToMemory. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args* args);

/// Arguments of PJRT_Buffer_CopyToMemory.
typedef struct PJRT_Buffer_CopyToMemory_Args {
  size_t struct_size;  ///< in, since 0.32
  PJRT_Extension_Base* extension_start;  ///< in, since 0.32
  PJRT_Buffer* buffer;  ///< in, since 0.32
  PJRT_Memory* dst_memory;  ///< in, since 0.32
  PJRT_Buffer* dst_buffer;  ///< out, since 0.32
} PJRT_Buffer_CopyToMemory_Args;
PJRT_LAYOUT(PJRT_Buffer_CopyToMemory_Args, dst_buffer, 32:40)

/// Copies to another memory; the result is a new buffer of the caller. Since 0.32.
typedef PJRT_Error* PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args);

/// Arguments of PJRT_Buffer_Bitcast.
typedef struct PJRT_Buffer_Bitcast_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Extension_Base* extension_start;  ///< in, since 0.98
  PJRT_Buffer* buffer;  ///< in, since 0.98
  PJRT_Buffer_Type element_type;  ///< in, since 0.98
  const int64_t* dims;  ///< in, since 0.98
  size_t num_dims;  ///< in, since 0.98
  PJRT_Buffer_MemoryLayout* device_layout;  ///< in, since 0.98
  PJRT_Buffer* out_buffer;  ///< out, since 0.98
} PJRT_Buffer_Bitcast_Args;
PJRT_LAYOUT(PJRT_Buffer_Bitcast_Args, out_buffer, 98:64)

/// Reads the same bytes as another type and shape of equal size; consumes the source. Since
/// 0.98.
typedef PJRT_Error* PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args);

/// Arguments of PJRT_Buffer_IsOnCpu.
typedef struct PJRT_Buffer_IsOnCpu_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  bool is_on_cpu;  ///< out, since 0.0
} PJRT_Buffer_IsOnCpu_Args;
PJRT_LAYOUT(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 1:25)

/// Whether the host can read the storage directly; decides how callers read back. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args);

/// Arguments of PJRT_Buffer_Device.
typedef struct PJRT_Buffer_Device_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  PJRT_Device* device;  ///< out, since 0.0
} PJRT_Buffer_Device_Args;
PJRT_LAYOUT(PJRT_Buffer_Device_Args, device, 1:32)

/// Device of the buffer: a handle of the client's list. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_Device(PJRT_Buffer_Device_Args* args);

/// Arguments of PJRT_Buffer_Memory.
typedef struct PJRT_Buffer_Memory_Args {
  size_t struct_size;  ///< in, since 0.24
  PJRT_Extension_Base* extension_start;  ///< in, since 0.24
  PJRT_Buffer* buffer;  ///< in, since 0.24
  PJRT_Memory* memory;  ///< out, since 0.24
} PJRT_Buffer_Memory_Args;
PJRT_LAYOUT(PJRT_Buffer_Memory_Args, memory, 24:32)

/// Memory of the buffer: a handle of the client's list. Since 0.24.
typedef PJRT_Error* PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args* args);

/// Arguments of PJRT_Buffer_ReadyEvent.
typedef struct PJRT_Buffer_ReadyEvent_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  PJRT_Event* event;  ///< out, since 0.0
} PJRT_Buffer_ReadyEvent_Args;
PJRT_LAYOUT(PJRT_Buffer_ReadyEvent_Args, event, 1:32)

/// A new event for when the data are there; the caller owns it. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args);

/// Arguments of PJRT_Buffer_UnsafePointer.
typedef struct PJRT_Buffer_UnsafePointer_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Buffer* buffer;  ///< in, since 0.0
  uintptr_t buffer_pointer;  ///< out, since 0.0
} PJRT_Buffer_UnsafePointer_Args;
PJRT_LAYOUT(PJRT_Buffer_UnsafePointer_Args, buffer_pointer, 1:32)

/// Address of the storage, with no promise about its lifetime. Since 0.0.
typedef PJRT_Error* PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args);

/// Arguments of PJRT_Buffer_IncreaseExternalReferenceCount.
typedef struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  size_t struct_size;  ///< in, since 0.19
  PJRT_Extension_Base* extension_start;  ///< in, since 0.19
  PJRT_Buffer* buffer;  ///< in, since 0.19
} PJRT_Buffer_IncreaseExternalReferenceCount_Args;
PJRT_LAYOUT(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer, 19:24)

/// Holds the storage in place, even across PJRT_Buffer_Delete. Since 0.19.
typedef PJRT_Error* PJRT_Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args* args);

/// Arguments of PJRT_Buffer_DecreaseExternalReferenceCount.
typedef struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  size_t struct_size;  ///< in, since 0.19
  PJRT_Extension_Base* extension_start;  ///< in, since 0.19
  PJRT_Buffer* buffer;  ///< in, since 0.19
} PJRT_Buffer_DecreaseExternalReferenceCount_Args;
PJRT_LAYOUT(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer, 19:24)

/// Releases one hold; INVALID_ARGUMENT when there is none. Since 0.19.
typedef PJRT_Error* PJRT_Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args* args);

/// Arguments of PJRT_Buffer_OpaqueDeviceMemoryDataPointer.
typedef struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  size_t struct_size;  ///< in, since 0.19
  PJRT_Extension_Base* extension_start;  ///< in, since 0.19
  PJRT_Buffer* buffer;  ///< in, since 0.19
  void* device_memory_ptr;  ///< out, since 0.19
} PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args;
PJRT_LAYOUT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr, 19:32)

/// Address of the storage, stable while an external reference is held. Since 0.19.
typedef PJRT_Error* PJRT_Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args);

/// Handed to the callback that PJRT_Buffer_DonateWithControlDependency returned.
typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;  ///< in, since 0.88
  void* callback_data;  ///< in, since 0.88
  PJRT_Error_Code error_code;  ///< in, since 0.88
  const char* error_message;  ///< in, since 0.88
  size_t error_message_size;  ///< in, since 0.88
} PJRT_Buffer_DonateWithControlDependency_Callback_Args;
PJRT_LAYOUT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size, 88:40)

/// Arguments of PJRT_Buffer_DonateWithControlDependency.
typedef struct PJRT_Buffer_DonateWithControlDependency_Args {
  size_t struct_size;  ///< in, since 0.88
  PJRT_Extension_Base* extension_start;  ///< in, since 0.88
  PJRT_Buffer* buffer;  ///< in, since 0.88
  void* callback_data;  ///< out, since 0.88
  /// out, since 0.88
  void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
  PJRT_Buffer* out_buffer;  ///< out, since 0.88
} PJRT_Buffer_DonateWithControlDependency_Args;
PJRT_LAYOUT(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer, 88:48)

/// Consumes the buffer; the result is ready when both the source and an outside dependency are.
/// Since 0.88.
typedef PJRT_Error* PJRT_Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args* args);

#endif  // PJRT_SYS_CORE_BUFFER_H_
