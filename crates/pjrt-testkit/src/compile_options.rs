//! Compile options as the protobuf bytes that go through the C API. Knows the few fields that tests need.

/// Options of a compilation.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileOptions {
    /// Number of replicas.
    pub num_replicas: i64,
    /// Number of partitions.
    pub num_partitions: i64,
    /// Global device ids, `[replica][partition]`; none leaves the choice to the backend.
    pub device_assignment: Option<Vec<Vec<i64>>>,
    /// Whether partitions are made by SPMD partitioning.
    pub use_spmd_partitioning: bool,
    /// Whether the Shardy partitioner is meant.
    pub use_shardy_partitioner: bool,
    /// Runs on any one device instead of an assigned one.
    pub portable: bool,
    /// Options by name, as `compiler_options` of JAX.
    pub overrides: Vec<(String, OptionOverride)>,
}

/// Value of an override.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionOverride {
    /// Text.
    String(String),
    /// Bool.
    Bool(bool),
    /// Integer.
    Int(i64),
    /// Float.
    Double(f64),
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            num_replicas: 1,
            num_partitions: 1,
            device_assignment: None,
            use_spmd_partitioning: false,
            use_shardy_partitioner: false,
            portable: false,
            overrides: Vec::new(),
        }
    }
}

impl CompileOptions {
    /// One replica and one partition on the device with this global id.
    #[must_use]
    pub fn on_device(id: i64) -> Self {
        Self { device_assignment: Some(vec![vec![id]]), ..Self::default() }
    }

    /// SPMD over the devices with these global ids: one replica, a partition each.
    #[must_use]
    pub fn spmd(ids: &[i64]) -> Self {
        Self {
            num_partitions: ids.len() as i64,
            device_assignment: Some(vec![ids.to_vec()]),
            use_spmd_partitioning: true,
            use_shardy_partitioner: true,
            ..Self::default()
        }
    }

    /// The bytes of a `CompileOptionsProto`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut build = Message::default();
        build.integer(1, -1); // device_ordinal: the target is in the assignment
        build.integer(4, self.num_replicas);
        build.integer(5, self.num_partitions);
        build.integer(6, i64::from(self.use_spmd_partitioning));
        if let Some(assignment) = &self.device_assignment {
            build.bytes(9, &device_assignment(assignment));
        }
        if self.use_shardy_partitioner {
            build.integer(USE_SHARDY_PARTITIONER, 1);
        }
        let mut options = Message::default();
        options.bytes(3, &build.0);
        options.integer(4, i64::from(self.portable));
        options.integer(5, -1); // profile_version
        for (name, value) in &self.overrides {
            let mut field = Message::default();
            match value {
                OptionOverride::String(text) => field.bytes(1, text.as_bytes()),
                OptionOverride::Bool(flag) => field.present_integer(2, i64::from(*flag)),
                OptionOverride::Int(number) => field.present_integer(3, *number),
                OptionOverride::Double(number) => field.double(4, *number),
            }
            let mut entry = Message::default();
            entry.bytes(1, name.as_bytes());
            entry.bytes(2, &field.0);
            options.bytes(7, &entry.0);
        }
        options.0
    }
}

/// Field of `ExecutableBuildOptionsProto`.
const USE_SHARDY_PARTITIONER: u32 = 19;

/// `DeviceAssignmentProto`: a computation per partition, which lists its device of each replica.
fn device_assignment(assignment: &[Vec<i64>]) -> Vec<u8> {
    let partitions = assignment.first().map_or(0, Vec::len);
    let mut message = Message::default();
    message.integer(1, assignment.len() as i64);
    message.integer(2, partitions as i64);
    for partition in 0..partitions {
        let mut packed = Message::default();
        for replica in assignment {
            packed.varint(replica[partition] as u64);
        }
        let mut computation = Message::default();
        computation.bytes(1, &packed.0);
        message.bytes(3, &computation.0);
    }
    message.0
}

/// Bytes of a protobuf message under construction.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    /// An integer of a field without presence: zero is left out.
    fn integer(&mut self, field: u32, value: i64) {
        if value != 0 {
            self.present_integer(field, value);
        }
    }

    /// An integer of a field with presence, such as a member of a oneof.
    fn present_integer(&mut self, field: u32, value: i64) {
        self.tag(field, 0);
        self.varint(value as u64);
    }

    fn double(&mut self, field: u32, value: f64) {
        self.tag(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_assignment_of_one_device_has_the_known_bytes() {
        assert_eq!(device_assignment(&[vec![0]]), [0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0]);
    }

    #[test]
    fn replicas_are_listed_within_their_partition() {
        let bytes = device_assignment(&[vec![0, 1], vec![2, 3]]);
        assert_eq!(bytes, [0x08, 2, 0x10, 2, 0x1a, 4, 0x0a, 2, 0, 2, 0x1a, 4, 0x0a, 2, 1, 3]);
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let mut message = Message::default();
        message.integer(1, -1);
        assert_eq!(message.0, [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn overrides_keep_false_and_zero() {
        let options = CompileOptions {
            overrides: vec![("a".to_owned(), OptionOverride::Bool(false))],
            ..CompileOptions::default()
        };
        let bytes = options.to_bytes();
        assert!(bytes.ends_with(&[0x3a, 7, 0x0a, 1, b'a', 0x12, 2, 0x10, 0]), "{bytes:?}");
    }
}
