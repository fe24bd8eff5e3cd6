//! Versions of StableHLO's portable form.

use std::fmt;

/// A version of VHLO, as in the producer string `StableHLO_v1.18.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Major.
    pub major: u32,
    /// Minor: new ops, types and attributes.
    pub minor: u32,
    /// Patch: nothing that matters for reading.
    pub patch: u32,
}

/// The newest version whose whole vocabulary is known here.
pub const CURRENT_VERSION: Version = Version::new(1, 20, 0);
/// The oldest version that is read.
pub const MINIMUM_VERSION: Version = Version::new(0, 9, 0);

impl Version {
    /// `major.minor.patch`
    pub const fn new(major: u32, minor: u32, patch: u32) -> Version {
        Version { major, minor, patch }
    }

    /// The version in a producer string; `None` if StableHLO did not write the file.
    pub fn from_producer(producer: &str) -> Option<Version> {
        let mut parts = producer.strip_prefix("StableHLO_v")?.split('.').map(|part| part.parse().ok());
        let version = Version::new(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// The MLIR bytecode version that programs of this version are written in.
    pub fn bytecode_version(self) -> u64 {
        match (self.major, self.minor) {
            (0, ..=9) => 0,
            (0, 10..=11) => 1,
            (0, 12..=13) => 3,
            (0, 14) => 4,
            _ => 6,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl std::str::FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        Version::from_producer(&format!("StableHLO_v{text}"))
            .ok_or_else(|| format!("`{text}` is no version such as {CURRENT_VERSION}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_are_understood() {
        assert_eq!(Version::from_producer("StableHLO_v1.18.0"), Some(Version::new(1, 18, 0)));
        for other in ["MLIR21.0.0git", "StableHLO_v1.18", "StableHLO_v1.18.0.1", "StableHLO_vx.1.0"] {
            assert_eq!(Version::from_producer(other), None);
        }
        assert_eq!("0.12.3".parse::<Version>().unwrap().bytecode_version(), 3);
        assert_eq!(CURRENT_VERSION.bytecode_version(), 6);
        assert!(MINIMUM_VERSION < CURRENT_VERSION);
    }
}
