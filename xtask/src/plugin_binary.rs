//! What an ELF shared library shows to the loader: the symbols it exports, the libraries it needs and the glibc
//! it asks for. Reads bytes only; nothing is loaded or run.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol};

/// Libraries a plugin may need: those that every process of a glibc system has or can have at no risk.
const ALLOWED: [&str; 3] = ["libc.so.6", "libm.so.6", "libgcc_s.so.1"];

/// The loader's view of a shared library for x86-64 Linux.
#[derive(Debug)]
pub struct PluginBinary {
    /// File size in bytes.
    pub size: u64,
    /// Defined dynamic symbols that other objects can bind to, sorted.
    pub exported: Vec<String>,
    /// The `DT_NEEDED` entries, in file order.
    pub needed: Vec<String>,
    /// The newest `GLIBC_2.x` symbol version it binds to, as (major, minor); None when it binds to none.
    pub glibc: Option<(u32, u32)>,
}

impl PluginBinary {
    /// Reads the library at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&bytes).with_context(|| format!("{}", path.display()))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let file = ElfFile64::<Endianness>::parse(bytes).context("not a 64-bit ELF file")?;
        let header = file.elf_header();
        let endian = header.endian()?;
        ensure!(header.e_type(endian) == elf::ET_DYN, "an ELF file, but not a shared library");
        ensure!(
            header.e_machine(endian) == elf::EM_X86_64,
            "a shared library for another machine; plugins are built for x86-64 so far"
        );
        let mut exported: Vec<String> = file
            .dynamic_symbols()
            .filter(|symbol| !symbol.is_undefined() && !symbol.is_local())
            .map(|symbol| Ok(symbol.name()?.to_owned()))
            .collect::<Result<_>>()?;
        exported.sort();
        let dynamic = file.elf_dynamic_table()?;
        let needed = dynamic
            .iter()
            .filter(|entry| entry.tag == elf::DT_NEEDED)
            .map(|entry| Ok(String::from_utf8_lossy(dynamic.string(entry)?).into_owned()))
            .collect::<Result<_>>()?;
        let sections = file.elf_section_table();
        let mut versions = BTreeSet::new();
        if let Some((mut needs, link)) = sections.gnu_verneed(endian, bytes)? {
            let strings = sections.strings(endian, bytes, link)?;
            while let Some((_, mut symbols)) = needs.next()? {
                while let Some(symbol) = symbols.next()? {
                    let name = String::from_utf8_lossy(symbol.name(endian, strings)?).into_owned();
                    versions.extend(glibc_version(&name));
                }
            }
        }
        Ok(Self { size: bytes.len() as u64, exported, needed, glibc: versions.last().copied() })
    }

    /// Checks the promise a plugin makes to the process it is loaded into: `GetPjrtApi` is the only symbol it
    /// adds, and it brings no library along that could clash with somebody else's copy.
    pub fn check(&self) -> Result<()> {
        if self.exported != ["GetPjrtApi"] {
            if !self.exported.iter().any(|name| name == "GetPjrtApi") {
                bail!("GetPjrtApi is not exported; does the crate invoke the wrapper's macro and build a cdylib?");
            }
            let others: Vec<&str> =
                self.exported.iter().map(String::as_str).filter(|name| *name != "GetPjrtApi").collect();
            bail!(
                "{} symbol(s) beside GetPjrtApi are exported and can clash with those of other libraries: {}",
                others.len(),
                others.join(", ")
            );
        }
        let foreign = self.foreign_libraries();
        ensure!(
            foreign.is_empty(),
            "it needs {}; only {} and the loader are on every machine",
            foreign.join(", "),
            ALLOWED.join(", ")
        );
        Ok(())
    }

    fn foreign_libraries(&self) -> Vec<&str> {
        self.needed
            .iter()
            .map(String::as_str)
            .filter(|name| !ALLOWED.contains(name) && !name.starts_with("ld-linux"))
            .collect()
    }

    /// The platform tag of a wheel that carries this library (PEP 600), and a remark when it is not a portable one.
    pub fn platform_tag(&self) -> (String, Option<String>) {
        let foreign = self.foreign_libraries();
        if !foreign.is_empty() {
            let remark = format!("it needs {}, so the wheel is for machines like this one only", foreign.join(", "));
            return ("linux_x86_64".into(), Some(remark));
        }
        // 2.17 is the oldest glibc that PEP 600 installers ask about in practice; a library that needs less runs there.
        let (major, minor) = self.glibc.unwrap_or((2, 17)).max((2, 17));
        (format!("manylinux_{major}_{minor}_x86_64"), None)
    }
}

/// `GLIBC_2.34` → (2, 34); other version names (`GCC_3.0`, `GLIBC_ABI_DT_RELR`) → None.
fn glibc_version(name: &str) -> Option<(u32, u32)> {
    let (major, rest) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    let minor = rest.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(exported: &[&str], needed: &[&str], glibc: Option<(u32, u32)>) -> PluginBinary {
        let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        PluginBinary { size: 1, exported: own(exported), needed: own(needed), glibc }
    }

    #[test]
    fn one_symbol_and_three_libraries_are_right() {
        binary(&["GetPjrtApi"], &["libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"], None)
            .check()
            .unwrap();
    }

    #[test]
    fn a_second_symbol_a_missing_one_and_a_foreign_library_are_wrong() {
        let said = |binary: PluginBinary| binary.check().unwrap_err().to_string();
        assert!(said(binary(&["GetPjrtApi", "malloc"], &[], None)).contains("malloc"));
        assert!(said(binary(&[], &[], None)).contains("not exported"));
        assert!(said(binary(&["GetPjrtApi"], &["libstdc++.so.6"], None)).contains("libstdc++"));
    }

    #[test]
    fn the_tag_is_the_newest_glibc_the_library_asks_for() {
        assert_eq!(binary(&[], &[], Some((2, 34))).platform_tag().0, "manylinux_2_34_x86_64");
        assert_eq!(binary(&[], &[], Some((2, 2))).platform_tag().0, "manylinux_2_17_x86_64");
        let (tag, remark) = binary(&[], &["libLLVM.so"], Some((2, 34))).platform_tag();
        assert_eq!(tag, "linux_x86_64");
        assert!(remark.unwrap().contains("libLLVM.so"));
    }

    #[test]
    fn version_names() {
        assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(glibc_version("GLIBC_2.34"), Some((2, 34)));
        assert_eq!(glibc_version("GLIBC_ABI_DT_RELR"), None);
        assert_eq!(glibc_version("GCC_4.2.0"), None);
    }

    #[test]
    fn what_is_no_shared_library_is_refused() {
        assert!(PluginBinary::parse(b"hello").is_err());
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        // A test executable is position independent, hence ET_DYN, but exports no GetPjrtApi.
        let error = PluginBinary::parse(&own).unwrap().check().unwrap_err().to_string();
        assert!(error.contains("GetPjrtApi is not exported"), "{error}");
    }
}
