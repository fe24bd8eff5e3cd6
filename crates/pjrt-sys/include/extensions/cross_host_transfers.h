// Extension: cross-host transfers.
// Two generations of transfers between processes: by descriptor, and by device ids and transfer
// keys. Upstream declares device ids and keys as C++ types that wrap a 64-bit integer.

#ifndef PJRT_SYS_EXTENSIONS_CROSS_HOST_TRANSFERS_H_
#define PJRT_SYS_EXTENSIONS_CROSS_HOST_TRANSFERS_H_

#include "../core/base.h"
#include "../core/buffer.h"
#include "../core/error.h"

#define PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION 6

typedef struct PJRT_Buffer_MemoryLayout PJRT_Buffer_MemoryLayout;

/// Arguments of PJRT_Transfers_PJRT_Client_CrossHostSendBuffers.
typedef struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Extension_Base* extension_start;  ///< in, since 0.91
  PJRT_Client* client;  ///< in, since 0.91
  size_t num_buffers;  ///< in, since 0.91
  PJRT_Buffer** buffers;  ///< in, since 0.91
  const int64_t* dst_global_device_ids;  ///< in, since 0.91
  const int64_t* transfer_keys;  ///< in, since 0.91
  PJRT_Event** send_events;  ///< in and out, since 0.91
} PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args;
PJRT_LAYOUT(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events, 91:64)

/// Sends buffers to devices of other processes, each under a transfer key. Since 0.81.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);

/// Arguments of PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers.
typedef struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Extension_Base* extension_start;  ///< in, since 0.91
  PJRT_Client* client;  ///< in, since 0.91
  size_t num_shapes;  ///< in, since 0.91
  size_t* shape_num_dims;  ///< in, since 0.91
  const int64_t** num_dims;  ///< in, since 0.91
  PJRT_Buffer_Type* element_types;  ///< in, since 0.91
  PJRT_Buffer_MemoryLayout** layouts;  ///< in, since 0.91
  PJRT_Device* device;  ///< in, since 0.91
  const int64_t* src_global_device_ids;  ///< in, since 0.91
  const int64_t* transfer_keys;  ///< in, since 0.91
  PJRT_Buffer** buffers;  ///< in and out, since 0.91
} PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args;
PJRT_LAYOUT(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers, 91:96)

/// Receives buffers that other processes send under the given transfer keys. Since 0.81.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);

/// Runs when a cancellation has been carried out. Since 0.107.
typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(PJRT_Error* error, void* user_arg);

/// Tells the receiving side that a send will not happen.
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(
    const char* serialized_descriptor,
    size_t serialized_descriptor_size,
    PJRT_Error_Code reason,
    const char* error_message,
    size_t error_message_size,
    PJRT_Transfers_CrossHostOnCanceledCallback on_canceled,
    void* on_canceled_user_arg,
    void* user_arg);

/// Receives either an error or the descriptors that the senders need. Since 0.107.
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error,
    const char** serialized_descriptors,
    size_t* descriptors_sizes,
    size_t num_descriptors,
    void* user_arg,
    PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier,
    void* cancel_notifier_user_arg);

/// Whom to tell about the descriptors of receive buffers.
typedef struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  void* user_arg;  ///< since 0.74
  PJRT_Transfers_CrossHostRecvNotifier notifier;  ///< since 0.74
} PJRT_Transfers_CrossHostRecvNotifierInfo;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier, 74:16)

/// Arguments of PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers.
typedef struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;  ///< in, since 0.74
  PJRT_Extension_Base* extension_start;  ///< in, since 0.74
  PJRT_Client* client;  ///< in, since 0.74
  size_t num_shapes;  ///< in, since 0.74
  size_t* shape_num_dims;  ///< in, since 0.74
  const int64_t** num_dims;  ///< in, since 0.74
  PJRT_Buffer_Type* element_types;  ///< in, since 0.74
  PJRT_Buffer_MemoryLayout** layouts;  ///< in, since 0.74
  PJRT_Device* device;  ///< in, since 0.74
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;  ///< in, since 0.74
  PJRT_Buffer** buffers;  ///< in and out, since 0.74
  size_t num_buffers;  ///< out, since 0.74
} PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args;
PJRT_LAYOUT(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_buffers, 74:104)

/// Makes pending buffers and reports their descriptors to the notifier, once. Since 0.74.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);

/// Runs when a remote copy was enqueued or failed. Since 0.107.
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(
    PJRT_Error* error, bool sends_were_enqueued, void* user_arg);

/// Whom to tell about the outcome of a remote copy.
typedef struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  void* user_arg;  ///< since 0.81
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;  ///< since 0.81
} PJRT_Transfers_CrossHostRemoteSendCallbackInfo;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done, 81:16)

/// Frees a descriptor that the caller allocated.
typedef void (*PJRT_Transfers_DescriptorDestructor)(
    char** descriptor_data, size_t* descriptor_size);

/// Arguments of PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice.
typedef struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;  ///< in, since 0.74
  PJRT_Extension_Base* extension_start;  ///< in, since 0.74
  PJRT_Buffer* buffer;  ///< in, since 0.74
  PJRT_Event* event;  ///< in, since 0.74
  char** serialized_descriptor;  ///< in, since 0.74
  size_t* serialized_descriptor_size;  ///< in, since 0.90
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;  ///< in, since 0.90
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;  ///< in, since 0.104
} PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args;
PJRT_LAYOUT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, descriptor_destructor,
  74:40, 90:64, 104:72)

/// Sends a buffer to the owner of a descriptor; the outcome goes to the callback. Since 0.74.
typedef void PJRT_Buffer_CopyToRemoteDevice(
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;  ///< since 0.74
  /// since 0.74
  PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers* PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers;
  PJRT_Buffer_CopyToRemoteDevice* PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;  ///< since 0.74
  /// since 0.81
  PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers* PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers;
  /// since 0.81
  PJRT_Transfers_PJRT_Client_CrossHostSendBuffers* PJRT_Transfers_PJRT_Client_CrossHostSendBuffers;
} PJRT_CrossHostTransfers_Extension;
PJRT_LAYOUT(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Client_CrossHostSendBuffers,
  74:40, 81:56)

PJRT_EXTENSION(PJRT_CrossHostTransfers_Extension, PJRT_Extension_Type_CrossHostTransfers, PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_CROSS_HOST_TRANSFERS_H_
