//! `PJRT_TopologyDescription`: one that the caller made, or that of a client.

use crate::backend::{Backend, TopologyOf};
use crate::handle::{self, HandleType};
use crate::lent::{LentArray, LentNamedValues};
use crate::serialized;
use crate::state::client::ClientState;
use crate::state::device::{DescriptionHandle, DescriptionState};
use pjrt_client_trait::{PjrtClient, PjrtTopologyDescription, Result};
use pjrt_sys as sys;
use std::sync::Arc;

enum Owner<B: Backend> {
    Caller(TopologyOf<B>),
    /// The facts are copied out below; compiling needs the client's own topology.
    Client(std::sync::Weak<ClientState<B>>),
}

pub(crate) struct TopologyState<B: Backend> {
    owner: Owner<B>,
    pub(crate) platform_name: String,
    pub(crate) platform_version: String,
    pub(crate) attributes: LentNamedValues,
    descriptions: Vec<DescriptionHandle>,
    pub(crate) description_handles: LentArray<*mut sys::PJRT_DeviceDescription>,
    /// Ids of the memory kinds, default first.
    pub(crate) memory_kind_ids: LentArray<i32>,
}

impl<B: Backend> HandleType for TopologyState<B> {
    const KIND: &'static str = "PJRT_TopologyDescription";
}

impl<B: Backend> TopologyState<B> {
    pub(crate) fn owned(topology: TopologyOf<B>) -> Result<Self> {
        let mut state = Self::facts(&topology, Owner::Client(std::sync::Weak::new()))?;
        state.owner = Owner::Caller(topology);
        Ok(state)
    }

    pub(crate) fn of_client(client: &Arc<ClientState<B>>) -> Result<Self> {
        Self::facts(client.client.topology(), Owner::Client(Arc::downgrade(client)))
    }

    fn facts(topology: &TopologyOf<B>, owner: Owner<B>) -> Result<Self> {
        let descriptions: Result<Vec<_>> = topology.device_descriptions().iter().map(DescriptionHandle::new).collect();
        let descriptions = descriptions?;
        let mut memory_kind_ids = Vec::new();
        for (_, kind_id) in topology.device_descriptions().iter().flat_map(|facts| &facts.memory_kinds) {
            if !memory_kind_ids.contains(kind_id) {
                memory_kind_ids.push(*kind_id);
            }
        }
        Ok(TopologyState {
            owner,
            platform_name: topology.platform_name().to_owned(),
            platform_version: topology.platform_version().to_owned(),
            attributes: LentNamedValues::new(topology.attributes().to_vec()),
            description_handles: LentArray::new(descriptions.iter().map(DescriptionHandle::raw)),
            descriptions,
            memory_kind_ids: LentArray::new(memory_kind_ids),
        })
    }

    /// Runs something on the backend's topology.
    pub(crate) fn with_topology<R>(&self, action: impl FnOnce(&TopologyOf<B>) -> Result<R>) -> Result<R> {
        match &self.owner {
            Owner::Caller(topology) => action(topology),
            Owner::Client(client) => {
                let gone =
                    || pjrt_client_trait::Status::failed_precondition("the client of this topology was destroyed");
                action(client.upgrade().ok_or_else(gone)?.client.topology())
            }
        }
    }

    /// Whether the caller has to destroy it; the topology of a client goes with the client.
    pub(crate) fn is_owned_by_caller(&self) -> bool {
        matches!(self.owner, Owner::Caller(_))
    }

    /// An identity of platform, version and devices.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut parts = vec![self.platform_name.as_bytes().to_vec(), self.platform_version.as_bytes().to_vec()];
        for description in &self.descriptions {
            if let Ok(state) = handle::get::<DescriptionState, _>(description.raw()) {
                parts.push(format!("{:?}", state.facts).into_bytes());
            }
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        serialized::fingerprint64(&parts)
    }
}
