//! Executables and topologies as bytes, in a frame that tells whose they are and whether they are whole.
//!
//! A damaged or foreign entry of a persistent cache must be refused, not run. The frame holds the names of
//! platform and version, the compile options, and either the backend's own bytes or the source program, which
//! is then compiled again on load.

use pjrt_client_trait::{ProgramFormat, Result, Status};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: &[u8; 8] = b"PJRT-RS2";
/// What a program begins with that stands in place of an executable.
const PROGRAM_MAGIC: &[u8; 8] = b"PJRT-RSP";

/// What is inside the frame of an executable.
#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    /// What the backend's `serialize` gave.
    Backend(Vec<u8>),
    /// The program to compile again.
    Source { format: ProgramFormat, code: Vec<u8> },
}

/// A serialized executable.
#[derive(Debug, PartialEq)]
pub(crate) struct Executable {
    pub(crate) platform_name: String,
    pub(crate) platform_version: String,
    pub(crate) options: Vec<u8>,
    pub(crate) content: Content,
}

/// The state of XXH3 behind some byte strings, each after its length.
fn hash(parts: &[&[u8]]) -> Xxh3 {
    let mut state = Xxh3::new();
    for part in parts {
        state.update(&(part.len() as u64).to_le_bytes());
        state.update(part);
    }
    state
}

/// A 128-bit identity of some byte strings, as 32 hexadecimal digits.
pub(crate) fn fingerprint(parts: &[&[u8]]) -> Vec<u8> {
    format!("{:032x}", hash(parts).digest128()).into_bytes()
}

/// A 64-bit identity of some byte strings.
pub(crate) fn fingerprint64(parts: &[&[u8]]) -> u64 {
    hash(parts).digest()
}

fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&fingerprint64(parts).to_le_bytes());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn unframe<const N: usize>(bytes: &[u8], what: &str) -> Result<[Vec<u8>; N]> {
    let damaged =
        || Status::data_loss(format!("the serialized {what} is damaged: its checksum does not match its contents"));
    let body = bytes.strip_prefix(MAGIC).ok_or_else(|| {
        Status::invalid_argument(format!("these bytes are no serialized {what} of this plugin framework"))
    })?;
    let (checksum, mut rest) = body.split_at_checked(8).ok_or_else(damaged)?;
    let mut parts: [&[u8]; N] = [&[]; N];
    for part in &mut parts {
        let (size, tail) = rest.split_at_checked(8).ok_or_else(damaged)?;
        let size = size.try_into().map(u64::from_le_bytes).ok().and_then(|size| usize::try_from(size).ok());
        (*part, rest) = size.and_then(|size| tail.split_at_checked(size)).ok_or_else(damaged)?;
    }
    if !rest.is_empty() || fingerprint64(&parts).to_le_bytes() != *checksum {
        return Err(damaged());
    }
    Ok(parts.map(<[u8]>::to_vec))
}

/// Writes an executable.
pub(crate) fn write(executable: &Executable) -> Vec<u8> {
    let (kind, payload) = match &executable.content {
        Content::Backend(bytes) => ("backend", bytes),
        Content::Source { format, code } => (format.name(), code),
    };
    frame(&[
        executable.platform_name.as_bytes(),
        executable.platform_version.as_bytes(),
        &executable.options,
        kind.as_bytes(),
        payload,
    ])
}

/// Reads an executable that was written for this platform in this version.
///
/// # Errors
/// DATA_LOSS when damaged, INVALID_ARGUMENT when foreign.
pub(crate) fn read(bytes: &[u8], platform_name: &str, platform_version: &str) -> Result<Executable> {
    let [name, version, options, kind, payload] = unframe(bytes, "executable")?;
    let (name, version) = (text(name), text(version));
    if (name.as_str(), version.as_str()) != (platform_name, platform_version) {
        return Err(Status::invalid_argument(format!(
            "the executable was serialized by platform {name} ({version}); this is {platform_name} ({platform_version})"
        )));
    }
    let content = match text(kind).as_str() {
        "backend" => Content::Backend(payload),
        format => Content::Source { format: ProgramFormat::from_name(format)?, code: payload },
    };
    Ok(Executable { platform_name: name, platform_version: version, options, content })
}

/// Compile options and MLIR of a program that stands in place of an executable: behind eight octets that say so, the length
/// of the options in eight, little-endian; then the options; the rest is the program. It goes from one part of a process
/// to another and is kept nowhere, so it has no checksum. Nothing if the bytes are something else.
///
/// # Errors
/// INVALID_ARGUMENT when the options are cut off.
pub(crate) fn program(bytes: &[u8]) -> Option<Result<(&[u8], &[u8])>> {
    let (size, rest) = bytes.strip_prefix(PROGRAM_MAGIC)?.split_first_chunk().unwrap_or((&[0xFF; 8], &[]));
    let size = usize::try_from(u64::from_le_bytes(*size)).ok();
    let parts = size.and_then(|size| rest.split_at_checked(size));
    Some(parts.ok_or_else(|| Status::invalid_argument("the compile options before a program are cut off")))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Frames the bytes of a topology.
pub(crate) fn write_topology(platform_name: &str, payload: &[u8]) -> Vec<u8> {
    frame(&[platform_name.as_bytes(), payload])
}

/// The platform and bytes of a topology.
///
/// # Errors
/// DATA_LOSS when damaged, INVALID_ARGUMENT when foreign.
pub(crate) fn read_topology(bytes: &[u8]) -> Result<(String, Vec<u8>)> {
    let [name, payload] = unframe(bytes, "topology")?;
    Ok((text(name), payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Executable {
        Executable {
            platform_name: "p".to_owned(),
            platform_version: "1".to_owned(),
            options: vec![1, 2],
            content: Content::Source { format: ProgramFormat::Mlir, code: b"module {}".to_vec() },
        }
    }

    #[test]
    fn an_executable_round_trips() {
        let bytes = write(&sample());
        assert_eq!(read(&bytes, "p", "1"), Ok(sample()));
        assert!(read(&bytes, "p", "2").unwrap_err().message.contains("this is p (2)"));
    }

    #[test]
    fn a_program_stands_behind_its_options() {
        let bytes = b"PJRT-RSP\x02\0\0\0\0\0\0\0\x18\x01module {}";
        assert_eq!(program(bytes).unwrap().unwrap(), (&b"\x18\x01"[..], &b"module {}"[..]));
        assert_eq!(program(&bytes[..18]).unwrap().unwrap(), (&b"\x18\x01"[..], &b""[..]));
        for size in 8..18 {
            assert_eq!(program(&bytes[..size]).unwrap().unwrap_err().code, pjrt_client_trait::Code::InvalidArgument);
        }
        assert!(program(&bytes[..7]).is_none() && program(&write(&sample())).is_none());
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_refused() {
        let bytes = write(&sample());
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[position] ^= 1 << bit;
                assert!(read(&damaged, "p", "1").is_err(), "bit {bit} of byte {position}");
            }
            assert!(read(&bytes[..position], "p", "1").is_err(), "cut at {position}");
        }
    }
}
