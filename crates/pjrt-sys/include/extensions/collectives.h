// Extension: collectives.
// Communicators between hosts. Published by TPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_COLLECTIVES_H_
#define PJRT_SYS_EXTENSIONS_COLLECTIVES_H_

#include "../core/base.h"
#include "../core/buffer.h"

#define PJRT_API_COLLECTIVES_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_Collectives_Communicator PJRT_Collectives_Communicator;
typedef struct PJRT_Collectives_Communicators PJRT_Collectives_Communicators;
typedef struct PJRT_Collectives_ToString_Holder PJRT_Collectives_ToString_Holder;

typedef struct PJRT_Collectives PJRT_Collectives;

/// How elements are combined.
typedef enum PJRT_Collectives_ReductionKind {
  PJRT_COLLECTIVES_REDUCTION_SUM = 0,  ///< since 0.94
  PJRT_COLLECTIVES_REDUCTION_PRODUCT = 1,  ///< since 0.94
  PJRT_COLLECTIVES_REDUCTION_MIN = 2,  ///< since 0.94
  PJRT_COLLECTIVES_REDUCTION_MAX = 3,  ///< since 0.94
} PJRT_Collectives_ReductionKind;

/// How the participants of a collective are identified.
typedef enum PJRT_Collectives_CollectiveOpKind {
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_MODULE = 0,  ///< since 0.94
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_REPLICA = 1,  ///< since 0.94
} PJRT_Collectives_CollectiveOpKind;

/// Arguments of PJRT_Collectives_Destroy.
typedef struct PJRT_Collectives_Destroy_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives* collectives;  ///< in, since 0.94
} PJRT_Collectives_Destroy_Args;
PJRT_LAYOUT(PJRT_Collectives_Destroy_Args, collectives, 94:16)

/// Frees a collectives object. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Destroy(PJRT_Collectives_Destroy_Args* args);

/// Arguments of PJRT_Collectives_CreateCommunicators.
typedef struct PJRT_Collectives_CreateCommunicators_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives* collectives;  ///< in, since 0.94
  const int64_t* device_ids;  ///< in, since 0.94
  size_t num_device_ids;  ///< in, since 0.94
  const char** clique_ids;  ///< in, since 0.94
  const size_t* clique_id_sizes;  ///< in, since 0.94
  size_t num_clique_ids;  ///< in, since 0.94
  int64_t* rank_ids;  ///< in, since 0.94
  size_t num_device_ranks;  ///< in, since 0.94
  PJRT_Collectives_Communicator** communicators;  ///< out, since 0.94
  size_t num_communicators;  ///< out, since 0.94
  PJRT_Collectives_Communicators* communicators_holder;  ///< out, since 0.94
  void (*communicators_holder_deleter)(PJRT_Collectives_Communicators*);  ///< out, since 0.94
} PJRT_Collectives_CreateCommunicators_Args;
PJRT_LAYOUT(PJRT_Collectives_CreateCommunicators_Args, communicators_holder_deleter, 94:104)

/// Makes one communicator per local rank of a clique. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_CreateCommunicators(
    PJRT_Collectives_CreateCommunicators_Args* args);

/// Arguments of PJRT_Collectives_Communicator_Destroy.
typedef struct PJRT_Collectives_Communicator_Destroy_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
} PJRT_Collectives_Communicator_Destroy_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_Destroy_Args, communicator, 94:16)

/// Frees a communicator. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_Destroy(
    PJRT_Collectives_Communicator_Destroy_Args* args);

/// Runs host work of a collective.
typedef struct PJRT_Collectives_CpuExecutor {
  int64_t run_id;  ///< since 0.94
  int64_t* global_device_ids;  ///< since 0.94
  size_t num_global_device_ids;  ///< since 0.94
  int32_t num_local_participants;  ///< since 0.94
  PJRT_Collectives_CollectiveOpKind collective_op_kind;  ///< since 0.94
  int64_t op_id;  ///< since 0.94
  int64_t timeout_in_ns;  ///< since 0.94
} PJRT_Collectives_CpuExecutor;
PJRT_NO_LAYOUT(PJRT_Collectives_CpuExecutor)

/// Arguments of PJRT_Collectives_Communicator_AllReduce.
typedef struct PJRT_Collectives_Communicator_AllReduce_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  void* send_buffer_ptr;  ///< in, since 0.94
  size_t send_buffer_size;  ///< in, since 0.94
  void* recv_buffer_ptr;  ///< in, since 0.94
  size_t recv_buffer_size;  ///< in, since 0.94
  PJRT_Buffer_Type primitive_type;  ///< in, since 0.94
  size_t count;  ///< in, since 0.94
  PJRT_Collectives_ReductionKind reduction_kind;  ///< in, since 0.94
  PJRT_Collectives_CpuExecutor* cpu_executor;  ///< in, since 0.94
  PJRT_Event* event;  ///< out, since 0.94
} PJRT_Collectives_Communicator_AllReduce_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_AllReduce_Args, event, 94:88)

/// Reduces over all ranks; every rank gets the result. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllReduce(
    PJRT_Collectives_Communicator_AllReduce_Args* args);

/// Arguments of PJRT_Collectives_Communicator_ReduceScatter.
typedef struct PJRT_Collectives_Communicator_ReduceScatter_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  void* send_buffer_ptr;  ///< in, since 0.94
  size_t send_buffer_size;  ///< in, since 0.94
  void* recv_buffer_ptr;  ///< in, since 0.94
  size_t recv_buffer_size;  ///< in, since 0.94
  PJRT_Buffer_Type primitive_type;  ///< in, since 0.94
  size_t count;  ///< in, since 0.94
  PJRT_Collectives_ReductionKind reduction_kind;  ///< in, since 0.94
  PJRT_Collectives_CpuExecutor* cpu_executor;  ///< in, since 0.94
  PJRT_Event* event;  ///< out, since 0.94
} PJRT_Collectives_Communicator_ReduceScatter_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_ReduceScatter_Args, event, 94:88)

/// Reduces over all ranks; every rank gets its part. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_ReduceScatter(
    PJRT_Collectives_Communicator_ReduceScatter_Args* args);

/// Arguments of PJRT_Collectives_Communicator_AllGather.
typedef struct PJRT_Collectives_Communicator_AllGather_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  void* send_buffer_ptr;  ///< in, since 0.94
  size_t send_buffer_size;  ///< in, since 0.94
  void* recv_buffer_ptr;  ///< in, since 0.94
  size_t recv_buffer_size;  ///< in, since 0.94
  PJRT_Buffer_Type primitive_type;  ///< in, since 0.94
  size_t count;  ///< in, since 0.94
  PJRT_Collectives_CpuExecutor* cpu_executor;  ///< in, since 0.94
  PJRT_Event* event;  ///< out, since 0.94
} PJRT_Collectives_Communicator_AllGather_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_AllGather_Args, event, 94:80)

/// Concatenates what all ranks send. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllGather(
    PJRT_Collectives_Communicator_AllGather_Args* args);

/// Arguments of PJRT_Collectives_Communicator_CollectivePermute.
typedef struct PJRT_Collectives_Communicator_CollectivePermute_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  void* send_buffer_ptr;  ///< in, since 0.94
  size_t send_buffer_size;  ///< in, since 0.94
  void* recv_buffer_ptr;  ///< in, since 0.94
  size_t recv_buffer_size;  ///< in, since 0.94
  PJRT_Buffer_Type primitive_type;  ///< in, since 0.94
  size_t count;  ///< in, since 0.94
  bool has_source_rank;  ///< in, since 0.94
  int64_t source_rank;  ///< in, since 0.94
  int64_t* target_ranks;  ///< in, since 0.94
  size_t num_target_ranks;  ///< in, since 0.94
  PJRT_Collectives_CpuExecutor* cpu_executor;  ///< in, since 0.94
  PJRT_Event* event;  ///< out, since 0.94
} PJRT_Collectives_Communicator_CollectivePermute_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_CollectivePermute_Args, event, 94:112)

/// Sends to the target ranks and receives from the source rank. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_CollectivePermute(
    PJRT_Collectives_Communicator_CollectivePermute_Args* args);

/// Arguments of PJRT_Collectives_Communicator_AllToAll.
typedef struct PJRT_Collectives_Communicator_AllToAll_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  void** send_buffers_ptrs;  ///< in, since 0.94
  const size_t* send_buffers_sizes;  ///< in, since 0.94
  size_t num_send_buffers;  ///< in, since 0.94
  void** recv_buffers_ptrs;  ///< in, since 0.94
  const size_t* recv_buffers_sizes;  ///< in, since 0.94
  size_t num_recv_buffers;  ///< in, since 0.94
  PJRT_Buffer_Type primitive_type;  ///< in, since 0.94
  size_t count;  ///< in, since 0.94
  PJRT_Collectives_CpuExecutor* cpu_executor;  ///< in, since 0.94
  PJRT_Event* event;  ///< out, since 0.94
} PJRT_Collectives_Communicator_AllToAll_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_AllToAll_Args, event, 94:96)

/// Exchanges one part with every rank. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllToAll(
    PJRT_Collectives_Communicator_AllToAll_Args* args);

/// Arguments of PJRT_Collectives_Communicator_ToString.
typedef struct PJRT_Collectives_Communicator_ToString_Args {
  size_t struct_size;  ///< in, since 0.94
  PJRT_Collectives_Communicator* communicator;  ///< in, since 0.94
  const char* str;  ///< out, since 0.94
  size_t str_size;  ///< out, since 0.94
  PJRT_Collectives_ToString_Holder* str_holder;  ///< out, since 0.94
  void (*str_holder_deleter)(PJRT_Collectives_ToString_Holder*);  ///< out, since 0.94
} PJRT_Collectives_Communicator_ToString_Args;
PJRT_LAYOUT(PJRT_Collectives_Communicator_ToString_Args, str_holder_deleter, 94:48)

/// Text for logs, in a holder that the caller frees with the returned deleter. Since 0.94.
typedef PJRT_Error* PJRT_Collectives_Communicator_ToString(
    PJRT_Collectives_Communicator_ToString_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Collectives_Extension {
  PJRT_Extension_Base base;  ///< since 0.94
  PJRT_Collectives_Destroy* collectives_destroy;  ///< since 0.94
  PJRT_Collectives_CreateCommunicators* collectives_create_communicators;  ///< since 0.94
  PJRT_Collectives_Communicator_Destroy* communicator_destroy;  ///< since 0.94
  PJRT_Collectives_Communicator_AllReduce* communicator_all_reduce;  ///< since 0.94
  PJRT_Collectives_Communicator_ReduceScatter* communicator_reduce_scatter;  ///< since 0.94
  PJRT_Collectives_Communicator_AllGather* communicator_all_gather;  ///< since 0.94
  PJRT_Collectives_Communicator_CollectivePermute* communicator_collective_permute;  ///< since 0.94
  PJRT_Collectives_Communicator_AllToAll* communicator_all_to_all;  ///< since 0.94
  PJRT_Collectives_Communicator_ToString* communicator_to_string;  ///< since 0.94
} PJRT_Collectives_Extension;
PJRT_LAYOUT(PJRT_Collectives_Extension, communicator_to_string, 94:96)

PJRT_EXTENSION(PJRT_Collectives_Extension, PJRT_Extension_Type_Collectives, PJRT_API_COLLECTIVES_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_COLLECTIVES_H_
