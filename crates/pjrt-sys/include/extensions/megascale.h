// Extension: Megascale.
// Transfers between TPU slices. Published by TPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_MEGASCALE_H_
#define PJRT_SYS_EXTENSIONS_MEGASCALE_H_

#include "../core/base.h"

#define PJRT_API_MEGASCALE_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_Megascale_ClientContext PJRT_Megascale_ClientContext;
typedef struct PJRT_Collectives PJRT_Collectives;
typedef struct PJRT_Megascale_NumDevicesPerSlice PJRT_Megascale_NumDevicesPerSlice;
typedef struct PJRT_Megascale_SerializedConfig PJRT_Megascale_SerializedConfig;
typedef struct PJRT_Megascale_ErrorAggregator PJRT_Megascale_ErrorAggregator;
typedef struct PJRT_Megascale_ErrorDigest PJRT_Megascale_ErrorDigest;
typedef struct PJRT_Megascale_SerializedAddresses PJRT_Megascale_SerializedAddresses;
typedef struct PJRT_Megascale_SerializedError PJRT_Megascale_SerializedError;

/// Arguments of PJRT_Megascale_CreateClientContextFromPjRtClient.
typedef struct PJRT_Megascale_CreateClientContextFromPjRtClient_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Client* client;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< out, since 0.90
} PJRT_Megascale_CreateClientContextFromPjRtClient_Args;
PJRT_LAYOUT(PJRT_Megascale_CreateClientContextFromPjRtClient_Args, client_context, 90:24)

/// Context for transfers between slices that belongs to a client. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_CreateClientContextFromPjRtClient(
    PJRT_Megascale_CreateClientContextFromPjRtClient_Args* args);

/// Arguments of PJRT_Megascale_CreateDefaultClientContext.
typedef struct PJRT_Megascale_CreateDefaultClientContext_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< out, since 0.90
} PJRT_Megascale_CreateDefaultClientContext_Args;
PJRT_LAYOUT(PJRT_Megascale_CreateDefaultClientContext_Args, client_context, 90:16)

/// Context for transfers between slices without a client. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_CreateDefaultClientContext(
    PJRT_Megascale_CreateDefaultClientContext_Args* args);

/// Arguments of PJRT_Megascale_DeleteClientContext.
typedef struct PJRT_Megascale_DeleteClientContext_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.90
} PJRT_Megascale_DeleteClientContext_Args;
PJRT_LAYOUT(PJRT_Megascale_DeleteClientContext_Args, client_context, 90:16)

/// Frees a context. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_DeleteClientContext(
    PJRT_Megascale_DeleteClientContext_Args* args);

/// Arguments of PJRT_Megascale_CreateAoTConfig.
typedef struct PJRT_Megascale_CreateAoTConfig_Args {
  size_t struct_size;  ///< in, since 0.90
  const PJRT_TopologyDescription* topology;  ///< in, since 0.90
  int32_t num_slices;  ///< in, since 0.90
  PJRT_MultiSlice_Config* multi_slice_config;  ///< out, since 0.90
} PJRT_Megascale_CreateAoTConfig_Args;
PJRT_LAYOUT(PJRT_Megascale_CreateAoTConfig_Args, multi_slice_config, 90:32)

/// Multi-slice configuration for ahead-of-time compilation. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_CreateAoTConfig(PJRT_Megascale_CreateAoTConfig_Args* args);

/// Arguments of PJRT_Megascale_CreateMultiSliceConfig.
typedef struct PJRT_Megascale_CreateMultiSliceConfig_Args {
  size_t struct_size;  ///< in, since 0.90
  const PJRT_TopologyDescription* topology;  ///< in, since 0.90
  int32_t num_slices;  ///< in, since 0.90
  int32_t local_slice_id;  ///< in, since 0.90
  int32_t local_host_id;  ///< in, since 0.90
  const char* endpoint_addresses;  ///< in, since 0.90
  int32_t endpoint_addresses_size;  ///< in, since 0.90
  const char* dcn_topology;  ///< in, since 0.90
  int32_t dcn_topology_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.90
  PJRT_MultiSlice_Config* multi_slice_config;  ///< out, since 0.90
} PJRT_Megascale_CreateMultiSliceConfig_Args;
PJRT_LAYOUT(PJRT_Megascale_CreateMultiSliceConfig_Args, multi_slice_config, 90:80)

/// Multi-slice configuration of a running job. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_CreateMultiSliceConfig(
    PJRT_Megascale_CreateMultiSliceConfig_Args* args);

/// Arguments of PJRT_Megascale_ClientContext_Initialize.
typedef struct PJRT_Megascale_ClientContext_Initialize_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.90
} PJRT_Megascale_ClientContext_Initialize_Args;
PJRT_LAYOUT(PJRT_Megascale_ClientContext_Initialize_Args, client_context, 90:16)

/// Prepares a context for use. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_ClientContext_Initialize(
    PJRT_Megascale_ClientContext_Initialize_Args* args);

/// Arguments of PJRT_Megascale_ClientContext_UnblockPendingWork.
typedef struct PJRT_Megascale_ClientContext_UnblockPendingWork_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.90
  int32_t launch_id;  ///< in, since 0.90
  int64_t expire_after_ms;  ///< in, since 0.90
} PJRT_Megascale_ClientContext_UnblockPendingWork_Args;
PJRT_LAYOUT(PJRT_Megascale_ClientContext_UnblockPendingWork_Args, expire_after_ms, 90:32)

/// Lets work of a launch that waits for peers end. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_ClientContext_UnblockPendingWork(
    PJRT_Megascale_ClientContext_UnblockPendingWork_Args* args);

/// Arguments of PJRT_Megascale_ClientContext_MegascalePort.
typedef struct PJRT_Megascale_ClientContext_MegascalePort_Args {
  size_t struct_size;  ///< in, since 0.90
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.90
  int32_t port;  ///< out, since 0.90
} PJRT_Megascale_ClientContext_MegascalePort_Args;
PJRT_LAYOUT(PJRT_Megascale_ClientContext_MegascalePort_Args, port, 90:20)

/// Network port of a context. Since 0.90.
typedef PJRT_Error* PJRT_Megascale_ClientContext_MegascalePort(
    PJRT_Megascale_ClientContext_MegascalePort_Args* args);

/// Addresses and slices of the processes of a job.
typedef struct PJRT_Megascale_ProcessesInfo {
  const char** addresses;  ///< since 0.94
  size_t* address_sizes;  ///< since 0.94
  size_t num_addresses;  ///< since 0.94
  int32_t* slice_indexes;  ///< since 0.94
  size_t num_slice_indexes;  ///< since 0.94
  int32_t* per_slice_indexes;  ///< since 0.94
  size_t num_per_slice_indexes;  ///< since 0.94
  int32_t num_devices_per_process;  ///< since 0.94
} PJRT_Megascale_ProcessesInfo;
PJRT_NO_LAYOUT(PJRT_Megascale_ProcessesInfo)

/// Arguments of PJRT_Megascale_CreateMegascaleCollectives.
typedef struct PJRT_Megascale_CreateMegascaleCollectives_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Megascale_ClientContext* client_context;  ///< in, since 0.94
  PJRT_Megascale_ProcessesInfo* processes_info;  ///< in, since 0.94
  const char* dcn_topology;  ///< in, since 0.94
  size_t dcn_topology_size;  ///< in, since 0.94
  PJRT_Collectives* collectives;  ///< out, since 0.94
} PJRT_Megascale_CreateMegascaleCollectives_Args;
PJRT_LAYOUT(PJRT_Megascale_CreateMegascaleCollectives_Args, collectives, 94:48)

/// Collectives between slices. Since 0.94.
typedef PJRT_Error* PJRT_Megascale_CreateMegascaleCollectives(
    PJRT_Megascale_CreateMegascaleCollectives_Args* args);

/// Arguments of PJRT_Megascale_DeviceId_To_MegascaleId.
typedef struct PJRT_Megascale_DeviceId_To_MegascaleId_Args {
  size_t struct_size;  ///< in, since 0.98
  int32_t slice_id;  ///< in, since 0.98
  int32_t per_slice_device_id;  ///< in, since 0.98
  int64_t megascale_id;  ///< out, since 0.98
} PJRT_Megascale_DeviceId_To_MegascaleId_Args;
PJRT_LAYOUT(PJRT_Megascale_DeviceId_To_MegascaleId_Args, megascale_id, 98:24)

/// Number of a device within the transport. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_DeviceId_To_MegascaleId(
    PJRT_Megascale_DeviceId_To_MegascaleId_Args* args);

/// Arguments of PJRT_Megascale_MegascaleId_To_DeviceId.
typedef struct PJRT_Megascale_MegascaleId_To_DeviceId_Args {
  size_t struct_size;  ///< in, since 0.98
  int64_t megascale_id;  ///< in, since 0.98
  int32_t slice_id;  ///< out, since 0.98
  int32_t per_slice_device_id;  ///< out, since 0.98
} PJRT_Megascale_MegascaleId_To_DeviceId_Args;
PJRT_LAYOUT(PJRT_Megascale_MegascaleId_To_DeviceId_Args, per_slice_device_id, 98:24)

/// Device with a number of the transport. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_MegascaleId_To_DeviceId(
    PJRT_Megascale_MegascaleId_To_DeviceId_Args* args);

/// Receives a serialized error, lent for the call.
typedef void (*PJRT_Megascale_ErrorHandler)(
    const char* serialized_error, size_t serialized_error_size, void* user_data);

/// Arguments of PJRT_Megascale_RegisterErrorHandler.
typedef struct PJRT_Megascale_RegisterErrorHandler_Args {
  size_t struct_size;  ///< in, since 0.98
  const char* handler_name;  ///< in, since 0.98
  size_t handler_name_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorHandler handler;  ///< in, since 0.98
  void* user_data;  ///< in, since 0.98
} PJRT_Megascale_RegisterErrorHandler_Args;
PJRT_LAYOUT(PJRT_Megascale_RegisterErrorHandler_Args, user_data, 98:40)

/// Registers a handler of transport errors. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_RegisterErrorHandler(
    PJRT_Megascale_RegisterErrorHandler_Args* args);

/// Arguments of PJRT_Megascale_UnregisterErrorHandler.
typedef struct PJRT_Megascale_UnregisterErrorHandler_Args {
  size_t struct_size;  ///< in, since 0.98
  const char* handler_name;  ///< in, since 0.98
  size_t handler_name_size;  ///< in, since 0.98
} PJRT_Megascale_UnregisterErrorHandler_Args;
PJRT_LAYOUT(PJRT_Megascale_UnregisterErrorHandler_Args, handler_name_size, 98:24)

/// Removes the handler. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_UnregisterErrorHandler(
    PJRT_Megascale_UnregisterErrorHandler_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_Create.
typedef struct PJRT_Megascale_ErrorAggregator_Create_Args {
  size_t struct_size;  ///< in, since 0.98
  const char* app_type;  ///< in, since 0.98
  size_t app_type_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< out, since 0.98
} PJRT_Megascale_ErrorAggregator_Create_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_Create_Args, aggregator, 98:32)

/// Makes a collector of errors from many hosts. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Create(
    PJRT_Megascale_ErrorAggregator_Create_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_Delete.
typedef struct PJRT_Megascale_ErrorAggregator_Delete_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
} PJRT_Megascale_ErrorAggregator_Delete_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_Delete_Args, aggregator, 98:16)

/// Frees a collector. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Delete(
    PJRT_Megascale_ErrorAggregator_Delete_Args* args);

/// Arguments of PJRT_Megascale_ErrorDigest_Delete.
typedef struct PJRT_Megascale_ErrorDigest_Delete_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorDigest* digest;  ///< in, since 0.98
} PJRT_Megascale_ErrorDigest_Delete_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorDigest_Delete_Args, digest, 98:16)

/// Frees a digest. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorDigest_Delete(PJRT_Megascale_ErrorDigest_Delete_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_AddError.
typedef struct PJRT_Megascale_ErrorAggregator_AddError_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
  const char* worker_id;  ///< in, since 0.98
  size_t worker_id_size;  ///< in, since 0.98
  const char* serialized_error;  ///< in, since 0.98
  size_t serialized_error_size;  ///< in, since 0.98
} PJRT_Megascale_ErrorAggregator_AddError_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_AddError_Args, serialized_error_size, 98:48)

/// Adds a serialized error. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_AddError(
    PJRT_Megascale_ErrorAggregator_AddError_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_ProcessAndShutdown.
typedef struct PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
  PJRT_Megascale_ErrorDigest* digest;  ///< out, since 0.98
} PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args, digest, 98:24)

/// Ends collecting and returns the digest. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_ProcessAndShutdown(
    PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_LogErrorDigest.
typedef struct PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
  PJRT_Megascale_ErrorDigest* digest;  ///< in, since 0.98
} PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args, digest, 98:24)

/// Writes a digest to the log. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_LogErrorDigest(
    PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_Size.
typedef struct PJRT_Megascale_ErrorAggregator_Size_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
  size_t size;  ///< out, since 0.98
} PJRT_Megascale_ErrorAggregator_Size_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_Size_Args, size, 98:24)

/// Number of errors collected. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Size(
    PJRT_Megascale_ErrorAggregator_Size_Args* args);

/// Arguments of PJRT_Megascale_ErrorAggregator_Active.
typedef struct PJRT_Megascale_ErrorAggregator_Active_Args {
  size_t struct_size;  ///< in, since 0.98
  PJRT_Megascale_ErrorAggregator* aggregator;  ///< in, since 0.98
  bool active;  ///< out, since 0.98
} PJRT_Megascale_ErrorAggregator_Active_Args;
PJRT_LAYOUT(PJRT_Megascale_ErrorAggregator_Active_Args, active, 98:17)

/// Whether it still collects. Since 0.98.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Active(
    PJRT_Megascale_ErrorAggregator_Active_Args* args);

/// Arguments of PJRT_Megascale_GetInterfaceAddressesHelper.
typedef struct PJRT_Megascale_GetInterfaceAddressesHelper_Args {
  size_t struct_size;  ///< in, since 0.101
  const char* megascale_port_name;  ///< in, since 0.101
  size_t megascale_port_name_size;  ///< in, since 0.101
  int32_t megascale_port;  ///< in, since 0.101
  const char** interface_prefixes;  ///< in, since 0.101
  const size_t* interface_prefixes_sizes;  ///< in, since 0.101
  size_t num_interface_prefixes;  ///< in, since 0.101
  bool use_all_interfaces;  ///< in, since 0.101
  bool limit_to_process_numa_local_interfaces;  ///< in, since 0.101
  const char** serialized_addresses;  ///< out, since 0.101
  size_t* serialized_addresses_sizes;  ///< out, since 0.101
  size_t num_addresses;  ///< out, since 0.101
  PJRT_Megascale_SerializedAddresses* addresses;  ///< out, since 0.101
  void (*addresses_deleter)(PJRT_Megascale_SerializedAddresses*);  ///< out, since 0.101
} PJRT_Megascale_GetInterfaceAddressesHelper_Args;
PJRT_LAYOUT(PJRT_Megascale_GetInterfaceAddressesHelper_Args, addresses_deleter, 101:104)

/// Network addresses of this host, in a holder that the caller frees. Since 0.101.
typedef PJRT_Error* PJRT_Megascale_GetInterfaceAddressesHelper(
    PJRT_Megascale_GetInterfaceAddressesHelper_Args* args);

/// Arguments of PJRT_Megascale_GetOrCreateRuntimeError.
typedef struct PJRT_Megascale_GetOrCreateRuntimeError_Args {
  size_t struct_size;  ///< in, since 0.103
  int32_t error_type;  ///< in, since 0.103
  int64_t start_time_nanos;  ///< in, since 0.103
  int32_t status_code;  ///< in, since 0.103
  const char* status_message;  ///< in, since 0.103
  size_t status_message_size;  ///< in, since 0.103
  int32_t launch_id;  ///< in, since 0.103
  bool has_unrecoverable_error_type;  ///< in, since 0.103
  int32_t unrecoverable_error_type;  ///< in, since 0.103
  const char* serialized_error;  ///< out, since 0.103
  size_t serialized_error_size;  ///< out, since 0.103
  bool is_new_error;  ///< out, since 0.103
  PJRT_Megascale_SerializedError* error;  ///< out, since 0.103
  void (*error_deleter)(PJRT_Megascale_SerializedError*);  ///< out, since 0.103
} PJRT_Megascale_GetOrCreateRuntimeError_Args;
PJRT_LAYOUT(PJRT_Megascale_GetOrCreateRuntimeError_Args, error_deleter, 103:104)

/// Serialized error for a failure message, in a holder that the caller frees. Since 0.103.
typedef PJRT_Error* PJRT_Megascale_GetOrCreateRuntimeError(
    PJRT_Megascale_GetOrCreateRuntimeError_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Megascale_Extension {
  PJRT_Extension_Base base;  ///< since 0.90
  /// since 0.90
  PJRT_Megascale_CreateClientContextFromPjRtClient* create_client_context_from_pjrt_client;
  PJRT_Megascale_CreateDefaultClientContext* create_default_client_context;  ///< since 0.90
  PJRT_Megascale_DeleteClientContext* delete_client_context;  ///< since 0.90
  PJRT_Megascale_CreateAoTConfig* create_aot_config;  ///< since 0.90
  PJRT_Megascale_CreateMultiSliceConfig* create_multi_slice_config;  ///< since 0.90
  void* delete_multi_slice_config;  ///< since 0.90
  void* multi_slice_config_num_slices;  ///< since 0.90
  void* multi_slice_config_slice_id;  ///< since 0.90
  void* multi_slice_config_get_num_devices_per_slice;  ///< since 0.90
  void* multi_slice_config_serialize;  ///< since 0.90
  PJRT_Megascale_ClientContext_Initialize* client_context_initialize;  ///< since 0.90
  /// since 0.90
  PJRT_Megascale_ClientContext_UnblockPendingWork* client_context_unblock_pending_work;
  PJRT_Megascale_ClientContext_MegascalePort* client_context_megascale_port;  ///< since 0.90
  PJRT_Megascale_CreateMegascaleCollectives* create_megascale_collectives;  ///< since 0.94
  PJRT_Megascale_DeviceId_To_MegascaleId* device_id_to_megascale_id;  ///< since 0.98
  PJRT_Megascale_MegascaleId_To_DeviceId* megascale_id_to_device_id;  ///< since 0.98
  PJRT_Megascale_RegisterErrorHandler* register_megascale_error_handler;  ///< since 0.98
  PJRT_Megascale_UnregisterErrorHandler* unregister_megascale_error_handler;  ///< since 0.98
  PJRT_Megascale_ErrorAggregator_Create* error_aggregator_create;  ///< since 0.98
  PJRT_Megascale_ErrorAggregator_Delete* error_aggregator_delete;  ///< since 0.98
  PJRT_Megascale_ErrorDigest_Delete* error_digest_delete;  ///< since 0.98
  PJRT_Megascale_ErrorAggregator_AddError* error_aggregator_add_error;  ///< since 0.98
  /// since 0.98
  PJRT_Megascale_ErrorAggregator_ProcessAndShutdown* error_aggregator_process_and_shutdown;
  PJRT_Megascale_ErrorAggregator_LogErrorDigest* error_aggregator_log_error_digest;  ///< since 0.98
  PJRT_Megascale_ErrorAggregator_Size* error_aggregator_size;  ///< since 0.98
  PJRT_Megascale_ErrorAggregator_Active* error_aggregator_active;  ///< since 0.98
  PJRT_Megascale_GetInterfaceAddressesHelper* get_interface_addresses_helper;  ///< since 0.101
  PJRT_Megascale_GetOrCreateRuntimeError* get_or_create_runtime_error;  ///< since 0.103
} PJRT_Megascale_Extension;
PJRT_LAYOUT(PJRT_Megascale_Extension, get_or_create_runtime_error,
  90:128, 94:136, 98:232, 101:240, 103:248)

PJRT_EXTENSION(PJRT_Megascale_Extension, PJRT_Extension_Type_Megascale, PJRT_API_MEGASCALE_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_MEGASCALE_H_
