//! Writes a wheel: a zip archive with a `.dist-info` directory whose RECORD lists every member and its hash
//! (PEP 427). Two runs over the same input give the same bytes. Knows nothing of JAX.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// The members of a wheel, and what its name is made of.
pub struct Wheel {
    /// Normalised distribution name (letters, digits, `_`).
    pub distribution: String,
    /// Version of the distribution.
    pub version: String,
    /// Compatibility tag, `py3-none-manylinux_2_34_x86_64` for example.
    pub tag: String,
    /// METADATA lines after name and version: summary, licence, requirements.
    pub metadata: Vec<String>,
    /// `entry_points.txt`.
    pub entry_points: String,
    /// Path inside the archive, contents.
    pub members: Vec<(String, Vec<u8>)>,
}

impl Wheel {
    /// Writes the wheel into `directory` and returns its path.
    pub fn write(&self, directory: &Path) -> Result<PathBuf> {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let name = format!("{}-{}-{}.whl", self.distribution, self.version, self.tag);
        let path = directory.join(name);
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut archive = ZipWriter::new(file);
        for (name, contents) in self.all_members() {
            // A fixed time makes the archive reproducible; shared libraries keep the executable bit.
            let mode = if name.ends_with(".so") { 0o755 } else { 0o644 };
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .last_modified_time(DateTime::default())
                .unix_permissions(mode);
            archive.start_file(name, options)?;
            archive.write_all(&contents)?;
        }
        archive.finish()?;
        Ok(path)
    }

    /// Members with the `.dist-info` files last, RECORD at the very end, as the specification recommends.
    fn all_members(&self) -> Vec<(String, Vec<u8>)> {
        let info = format!("{}-{}.dist-info", self.distribution, self.version);
        let mut metadata = format!(
            "Metadata-Version: 2.1\nName: {}\nVersion: {}\n",
            self.distribution.replace('_', "-"),
            self.version
        );
        for line in &self.metadata {
            metadata.push_str(line);
            metadata.push('\n');
        }
        let wheel = format!(
            "Wheel-Version: 1.0\nGenerator: cargo-xtask ({})\nRoot-Is-Purelib: false\nTag: {}\n",
            env!("CARGO_PKG_VERSION"),
            self.tag
        );
        let mut members = self.members.clone();
        members.push((format!("{info}/METADATA"), metadata.into_bytes()));
        members.push((format!("{info}/WHEEL"), wheel.into_bytes()));
        members.push((format!("{info}/entry_points.txt"), self.entry_points.clone().into_bytes()));
        let record_name = format!("{info}/RECORD");
        let record = record(&members, &record_name);
        members.push((record_name, record.into_bytes()));
        members
    }
}

/// Unpacks the wheel at `path` into `directory`, which then holds it and nothing else and can be put on Python's
/// module path.
pub fn unpack(path: &Path, directory: &Path) -> Result<()> {
    if directory.exists() {
        std::fs::remove_dir_all(directory).with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    ZipArchive::new(file)?.extract(directory).with_context(|| format!("cannot unpack {}", path.display()))
}

fn record(members: &[(String, Vec<u8>)], record_name: &str) -> String {
    let mut record = String::new();
    for (name, contents) in members {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(contents));
        record.push_str(&format!("{name},sha256={hash},{}\n", contents.len()));
    }
    record.push_str(&format!("{record_name},,\n"));
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_lists_every_member_with_the_hash_of_its_bytes() {
        let members = vec![("a/empty.py".to_owned(), Vec::new())];
        // The SHA-256 of no bytes is a published constant.
        assert_eq!(
            record(&members, "x.dist-info/RECORD"),
            "a/empty.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\nx.dist-info/RECORD,,\n"
        );
    }

    #[test]
    fn the_same_input_gives_the_same_archive() {
        let wheel = Wheel {
            distribution: "jax_x".into(),
            version: "1.0".into(),
            tag: "py3-none-linux_x86_64".into(),
            metadata: vec!["Summary: x".into()],
            entry_points: "[jax_plugins]\nx = jax_plugins.x\n".into(),
            members: vec![("jax_plugins/x/__init__.py".into(), b"pass\n".to_vec())],
        };
        let directory = std::env::temp_dir().join(format!("xtask-wheel-{}", std::process::id()));
        let first = std::fs::read(wheel.write(&directory).unwrap()).unwrap();
        let path = wheel.write(&directory).unwrap();
        assert_eq!(path.file_name().unwrap(), "jax_x-1.0-py3-none-linux_x86_64.whl");
        assert_eq!(std::fs::read(path).unwrap(), first);
        std::fs::remove_dir_all(directory).unwrap();
    }
}
