//! Which device runs which replica and partition of a program.

use crate::proto::{Field, Reader, Writer};
use crate::{DeviceId, Result, Status};

/// The place of one device in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogicalId {
    /// Replica, from 0.
    pub replica: i32,
    /// Partition, from 0.
    pub partition: i32,
}

/// A matrix of global device ids: replicas × partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAssignment {
    replicas: usize,
    partitions: usize,
    /// Row-major, replica outer.
    devices: Vec<DeviceId>,
}

impl DeviceAssignment {
    /// An assignment from ids in row-major order, replica outer.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the count is not replicas × partitions, when that is zero, or when a device
    /// occurs twice.
    pub fn new(replicas: usize, partitions: usize, devices: Vec<DeviceId>) -> Result<Self> {
        if replicas.checked_mul(partitions) != Some(devices.len()) || devices.is_empty() {
            return Err(Status::invalid_argument(format!(
                "a device assignment of {replicas} replicas x {partitions} partitions cannot have {} devices",
                devices.len()
            )));
        }
        let mut sorted = devices.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Status::invalid_argument(format!(
                "device {} occurs twice in the device assignment",
                pair[0].0
            )));
        }
        Ok(DeviceAssignment { replicas, partitions, devices })
    }

    /// Number of replicas.
    pub fn replicas(&self) -> usize {
        self.replicas
    }

    /// Number of partitions.
    pub fn partitions(&self) -> usize {
        self.partitions
    }

    /// Every device with its place, replica outer.
    pub fn iter(&self) -> impl Iterator<Item = (LogicalId, DeviceId)> + '_ {
        self.devices.iter().enumerate().map(|(index, &device)| {
            let (replica, partition) = ((index / self.partitions) as i32, (index % self.partitions) as i32);
            (LogicalId { replica, partition }, device)
        })
    }

    /// `DeviceAssignmentProto` bytes: one entry a partition, each listing its replicas.
    pub fn to_proto(&self) -> Vec<u8> {
        let mut proto = Writer::new();
        proto.varint(1, self.replicas as u64);
        proto.varint(2, self.partitions as u64);
        for partition in 0..self.partitions {
            let mut entry = Writer::new();
            let column = (0..self.replicas).map(|replica| self.devices[replica * self.partitions + partition].0 as u64);
            entry.packed(1, column);
            proto.bytes(3, &entry.finish());
        }
        proto.finish()
    }

    /// Reads `DeviceAssignmentProto` bytes.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the bytes are no such message or the matrix is not whole.
    pub fn from_proto(bytes: &[u8]) -> Result<Self> {
        let (mut replicas, mut partitions, mut columns) = (0, 0, Vec::new());
        for field in Reader::new(bytes) {
            match field? {
                (1, Field::Varint(count)) => replicas = usize::try_from(count).unwrap_or(usize::MAX),
                (2, Field::Varint(count)) => partitions = usize::try_from(count).unwrap_or(usize::MAX),
                (3, Field::Bytes(entry)) => {
                    let mut column = Vec::new();
                    for field in Reader::new(entry) {
                        if let (1, ids) = field? {
                            ids.repeated(&mut column)?;
                        }
                    }
                    columns.push(column);
                }
                _ => {}
            }
        }
        if columns.len() != partitions || columns.iter().any(|column| column.len() != replicas) {
            return Err(Status::invalid_argument(format!(
                "the device assignment says {replicas} replicas x {partitions} partitions, but lists {:?} replicas per partition",
                columns.iter().map(Vec::len).collect::<Vec<_>>()
            )));
        }
        let ids = (0..replicas).flat_map(|replica| columns.iter().map(move |column| column[replica]));
        let devices = ids.map(|id| i32::try_from(id as i64).ok().filter(|&id| id >= 0).map(DeviceId));
        let devices: Option<Vec<DeviceId>> = devices.collect();
        let devices = devices
            .ok_or_else(|| Status::invalid_argument("the device assignment holds an id that is no device id"))?;
        DeviceAssignment::new(replicas, partitions, devices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_gives_the_known_bytes() {
        let one = DeviceAssignment::new(1, 1, vec![DeviceId(0)]).unwrap();
        assert_eq!(one.to_proto(), [0x08, 0x01, 0x10, 0x01, 0x1a, 0x03, 0x0a, 0x01, 0x00]);
    }

    #[test]
    fn a_matrix_round_trips() {
        let ids = [5, 1, 4, 0, 3, 2].map(DeviceId).to_vec();
        let matrix = DeviceAssignment::new(2, 3, ids).unwrap();
        assert_eq!(DeviceAssignment::from_proto(&matrix.to_proto()), Ok(matrix));
    }

    #[test]
    fn holes_and_repeats_are_refused() {
        assert!(DeviceAssignment::new(1, 2, vec![DeviceId(0), DeviceId(0)]).is_err());
        assert!(DeviceAssignment::new(1, 2, vec![DeviceId(0)]).is_err());
        assert!(DeviceAssignment::from_proto(&[0x08, 1, 0x10, 2, 0x1a, 3, 0x0a, 1, 0]).is_err());
        assert!(DeviceAssignment::from_proto(&[0x1a, 200]).is_err());
    }
}
