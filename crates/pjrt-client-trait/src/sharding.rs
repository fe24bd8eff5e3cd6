//! Shardings of arguments and results as frameworks read them (`OpSharding`).

use crate::proto::Writer;

/// How one array is laid over the devices of a program. Devices are logical ids: positions in the device
/// assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpSharding {
    /// Every device has all of it.
    Replicated,
    /// One device has it.
    Maximal(i64),
    /// Devices in a grid with one axis for each dimension of the array, and one more for copies if
    /// `replicate_on_last_dim`.
    Tiled {
        /// Extents of the grid.
        grid: Vec<i64>,
        /// Logical device ids, row-major in the grid.
        devices: Vec<i64>,
        /// Whether the last axis of the grid holds copies of the same shard.
        replicate_on_last_dim: bool,
    },
    /// Inside a manual region.
    Manual,
}

impl OpSharding {
    /// `OpSharding` bytes.
    pub fn to_proto(&self) -> Vec<u8> {
        let mut proto = Writer::new();
        match self {
            OpSharding::Replicated => {}
            OpSharding::Maximal(device) => {
                proto.varint(1, 1);
                proto.packed(3, [1]);
                proto.packed(4, [*device as u64]);
            }
            OpSharding::Tiled { grid, devices, replicate_on_last_dim } => {
                proto.varint(1, 3);
                proto.packed(3, grid.iter().map(|&extent| extent as u64));
                proto.packed(4, devices.iter().map(|&device| device as u64));
                if *replicate_on_last_dim {
                    proto.varint(6, 1);
                }
            }
            OpSharding::Manual => proto.varint(1, 4),
        }
        proto.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicated_is_the_empty_message() {
        assert!(OpSharding::Replicated.to_proto().is_empty());
    }

    #[test]
    fn tiles_list_their_devices() {
        let tiled = OpSharding::Tiled { grid: vec![2, 1], devices: vec![1, 0], replicate_on_last_dim: false };
        assert_eq!(tiled.to_proto(), [0x08, 3, 0x1a, 2, 2, 1, 0x22, 2, 1, 0]);
    }
}
