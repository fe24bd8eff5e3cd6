// Transfers.
// Asynchronous transfer manager and streams to a device.

#ifndef PJRT_SYS_CORE_TRANSFER_H_
#define PJRT_SYS_CORE_TRANSFER_H_

#include "base.h"
#include "buffer.h"
#include "error.h"

typedef struct PJRT_Buffer_MemoryLayout PJRT_Buffer_MemoryLayout;

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_Destroy.
typedef struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  size_t struct_size;  ///< in, since 0.60
  PJRT_Extension_Base* extension_start;  ///< in, since 0.60
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.60
} PJRT_AsyncHostToDeviceTransferManager_Destroy_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager, 60:24)

/// Frees the manager; retrieved buffers live on. Since 0.60.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_TransferData.
typedef struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  size_t struct_size;  ///< in, since 0.60
  PJRT_Extension_Base* extension_start;  ///< in, since 0.60
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.60
  int buffer_index;  ///< in, since 0.60
  const void* data;  ///< in, since 0.60
  int64_t offset;  ///< in, since 0.60
  int64_t transfer_size;  ///< in, since 0.60
  bool is_last_transfer;  ///< in, since 0.60
  PJRT_Event* done_with_h2d_transfer;  ///< out, since 0.60
} PJRT_AsyncHostToDeviceTransferManager_TransferData_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, done_with_h2d_transfer, 60:72)

/// Copies bytes that are already in device layout into a range of one buffer. The buffer is
/// ready once the transfer marked as last is done. Since 0.60.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer.
typedef struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  int buffer_index;  ///< in, since 0.62
  PJRT_Buffer* buffer_out;  ///< out, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out, 62:40)

/// Hands out one of the buffers, pending until filled; once per index. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_Device.
typedef struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  PJRT_Device* device_out;  ///< out, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_Device_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out, 62:32)

/// Device of the buffers. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_BufferCount.
typedef struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  size_t buffer_count;  ///< out, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count, 62:32)

/// Number of buffers of the manager. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_BufferSize.
typedef struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  int buffer_index;  ///< in, since 0.62
  size_t buffer_size;  ///< out, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size, 62:40)

/// Size of one buffer on the device, in bytes. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_SetBufferError.
typedef struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  int buffer_index;  ///< in, since 0.62
  PJRT_Error_Code error_code;  ///< in, since 0.62
  const char* error_message;  ///< in, since 0.62
  size_t error_message_size;  ///< in, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size, 62:48)

/// Ends one buffer with an error; nothing may be transferred to it afterwards. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_AddMetadata.
typedef struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  size_t struct_size;  ///< in, since 0.62
  PJRT_Extension_Base* extension_start;  ///< in, since 0.62
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.62
  const PJRT_NamedValue* transfer_metadata;  ///< in, since 0.62
  size_t num_metadata;  ///< in, since 0.62
} PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata, 62:40)

/// Attaches debugging hints (strings only), which a plugin may ignore. Since 0.62.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args);

/// Arguments of PJRT_AsyncHostToDeviceTransferManager_TransferLiteral.
typedef struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  size_t struct_size;  ///< in, since 0.83
  PJRT_Extension_Base* extension_start;  ///< in, since 0.83
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< in, since 0.83
  int buffer_index;  ///< in, since 0.83
  const void* data;  ///< in, since 0.83
  const int64_t* shape_dims;  ///< in, since 0.83
  size_t shape_num_dims;  ///< in, since 0.83
  PJRT_Buffer_Type shape_element_type;  ///< in, since 0.83
  PJRT_Buffer_MemoryLayout* shape_layout;  ///< in, since 0.83
  PJRT_Event* done_with_h2d_transfer;  ///< out, since 0.83
} PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args;
PJRT_LAYOUT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer,
  83:80)

/// Copies a whole host array in host layout into one buffer, as its only transfer. Since 0.83.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args);

/// Element type and dimensions of an array to be transferred. Arrays of these step by sizeof.
typedef struct PJRT_ShapeSpec {
  size_t struct_size;  ///< since 0.60
  PJRT_Extension_Base* extension_start;  ///< since 0.60
  const int64_t* dims;  ///< since 0.60
  size_t num_dims;  ///< since 0.60
  PJRT_Buffer_Type element_type;  ///< since 0.60
} PJRT_ShapeSpec;
PJRT_LAYOUT_SIZE_UNSET(PJRT_ShapeSpec, element_type, 60:36)

/// Arguments of PJRT_Client_CreateBuffersForAsyncHostToDevice.
typedef struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  size_t struct_size;  ///< in, since 0.60
  PJRT_Extension_Base* extension_start;  ///< in, since 0.60
  PJRT_Client* client;  ///< in, since 0.60
  PJRT_ShapeSpec* shape_specs;  ///< in, since 0.60
  size_t num_shape_specs;  ///< in, since 0.60
  PJRT_Buffer_MemoryLayout** device_layouts;  ///< in, since 0.60
  size_t num_device_layouts;  ///< in, since 0.60
  PJRT_Memory* memory;  ///< in, since 0.60
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  ///< out, since 0.60
} PJRT_Client_CreateBuffersForAsyncHostToDevice_Args;
PJRT_LAYOUT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager, 60:72)

/// Makes a transfer manager with one pending buffer per shape. Since 0.60.
typedef PJRT_Error* PJRT_Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args);

/// Bytes that change owner: the receiver calls the deleter once with data and deleter_arg.
typedef struct PJRT_Chunk {
  void* data;  ///< since 0.0
  size_t size;  ///< since 0.0
  void (*deleter)(void*, void*);  ///< since 0.0
  void* deleter_arg;  ///< since 0.0
} PJRT_Chunk;
PJRT_NO_LAYOUT(PJRT_Chunk)

/// Arguments of PJRT_CopyToDeviceStream_Destroy.
typedef struct PJRT_CopyToDeviceStream_Destroy_Args {
  size_t struct_size;  ///< in, since 0.11
  PJRT_Extension_Base* extension_start;  ///< in, since 0.11
  PJRT_CopyToDeviceStream* stream;  ///< in, since 0.11
} PJRT_CopyToDeviceStream_Destroy_Args;
PJRT_LAYOUT(PJRT_CopyToDeviceStream_Destroy_Args, stream, 11:24)

/// Frees a stream. Since 0.11.
typedef PJRT_Error* PJRT_CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args* args);

/// Arguments of PJRT_CopyToDeviceStream_AddChunk.
typedef struct PJRT_CopyToDeviceStream_AddChunk_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_CopyToDeviceStream* stream;  ///< in, since 0.0
  PJRT_Chunk* chunk;  ///< in, since 0.0
  PJRT_Event* transfer_complete;  ///< out, since 0.0
} PJRT_CopyToDeviceStream_AddChunk_Args;
PJRT_LAYOUT(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete, 1:40)

/// Appends a chunk and takes over its data; failures arrive through the event. Since 0.0.
typedef PJRT_Error* PJRT_CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args* args);

/// Arguments of PJRT_CopyToDeviceStream_TotalBytes.
typedef struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_CopyToDeviceStream* stream;  ///< in, since 0.0
  int64_t total_bytes;  ///< out, since 0.0
} PJRT_CopyToDeviceStream_TotalBytes_Args;
PJRT_LAYOUT(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes, 1:32)

/// Bytes that the stream expects in all. Since 0.0.
typedef PJRT_Error* PJRT_CopyToDeviceStream_TotalBytes(
    PJRT_CopyToDeviceStream_TotalBytes_Args* args);

/// Arguments of PJRT_CopyToDeviceStream_GranuleSize.
typedef struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_CopyToDeviceStream* stream;  ///< in, since 0.0
  int64_t granule_size_in_bytes;  ///< out, since 0.0
} PJRT_CopyToDeviceStream_GranuleSize_Args;
PJRT_LAYOUT(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes, 1:32)

/// Chunks must be a multiple of this many bytes. Since 0.0.
typedef PJRT_Error* PJRT_CopyToDeviceStream_GranuleSize(
    PJRT_CopyToDeviceStream_GranuleSize_Args* args);

/// Arguments of PJRT_CopyToDeviceStream_CurrentBytes.
typedef struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_CopyToDeviceStream* stream;  ///< in, since 0.0
  int64_t current_bytes;  ///< out, since 0.0
} PJRT_CopyToDeviceStream_CurrentBytes_Args;
PJRT_LAYOUT(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes, 1:32)

/// Bytes received so far. Since 0.0.
typedef PJRT_Error* PJRT_CopyToDeviceStream_CurrentBytes(
    PJRT_CopyToDeviceStream_CurrentBytes_Args* args);

#endif  // PJRT_SYS_CORE_TRANSFER_H_
