//! Reads the annotations of our header: released sizes, slots of the function table, extensions.
//! They are macro calls at the start of a line, and C drops them; so the header holds every fact.

use std::path::Path;

use anyhow::Context as _;

/// How far the `struct_size` of a struct can be trusted. Named as in `pjrt_sys::SizeField`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeField {
    /// Callers set it.
    Set,
    /// It exists, but real callers leave it uninitialised.
    Unset,
    /// The struct has none.
    Absent,
}

/// A struct with a `STRUCT_SIZE`.
#[derive(Debug)]
pub struct Layout {
    /// Name of the struct.
    pub name: String,
    /// Its last field.
    pub last: String,
    /// What its size field is worth.
    pub size_field: SizeField,
    /// Minor number, declared size, length; each holds from that minor number on.
    pub history: Vec<(u16, usize, usize)>,
}

/// All annotations, in the order of the header.
#[derive(Debug, Default)]
pub struct Annotations {
    /// `PJRT_LAYOUT` and its siblings.
    pub layouts: Vec<Layout>,
    /// `PJRT_NO_LAYOUT`.
    pub plain: Vec<String>,
    /// `PJRT_SLOT`: function and minor number.
    pub slots: Vec<(String, u16)>,
    /// `PJRT_EXTENSION`: struct, type, version macro.
    pub extensions: Vec<(String, String, String)>,
}

impl Annotations {
    /// Reads every file that `pjrt.h` in this directory includes, in that order.
    pub fn read(include: &Path) -> anyhow::Result<Self> {
        let umbrella = read(&include.join("pjrt.h"))?;
        let mut annotations = Self::default();
        for file in
            umbrella.lines().filter_map(|line| line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')))
        {
            annotations.add(&read(&include.join(file))?).with_context(|| file.to_owned())?;
        }
        Ok(annotations)
    }

    fn add(&mut self, text: &str) -> anyhow::Result<()> {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = line.trim_start();
            if !line.starts_with("PJRT_") || !line.contains('(') {
                continue;
            }
            let mut call = line.to_owned();
            while !call.contains(')') {
                call.push_str(lines.next().context("a macro call is not closed")?.trim());
            }
            let Some((name, rest)) = call.split_once('(') else {
                continue;
            };
            let arguments: Vec<&str> = rest.split(')').next().unwrap_or_default().split(',').map(str::trim).collect();
            match (name, arguments.as_slice()) {
                ("PJRT_LAYOUT", [name, last, history @ ..]) => {
                    self.layout(name, last, SizeField::Set, history)?;
                }
                ("PJRT_LAYOUT_SIZE_UNSET", [name, last, history @ ..]) => {
                    self.layout(name, last, SizeField::Unset, history)?;
                }
                ("PJRT_LAYOUT_NO_SIZE_FIELD", [name, last, history @ ..]) => {
                    self.layout(name, last, SizeField::Absent, history)?;
                }
                ("PJRT_NO_LAYOUT", [name]) => self.plain.push((*name).to_owned()),
                ("PJRT_SLOT", [function, since]) => {
                    self.slots.push(((*function).to_owned(), since.parse().context("PJRT_SLOT")?));
                }
                ("PJRT_EXTENSION", [name, kind, version]) => {
                    self.extensions.push(((*name).to_owned(), (*kind).to_owned(), (*version).to_owned()))
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn layout(&mut self, name: &str, last: &str, size_field: SizeField, history: &[&str]) -> anyhow::Result<()> {
        let history = history
            .iter()
            .map(|entry| {
                let (minor, sizes) = entry.split_once(':').context("MINOR:SIZE expected")?;
                let (size, length) = sizes.split_once('/').unwrap_or((sizes, sizes));
                Ok((minor.parse()?, size.parse()?, length.parse()?))
            })
            .collect::<anyhow::Result<Vec<_>>>()
            .with_context(|| format!("history of {name}"))?;
        anyhow::ensure!(!history.is_empty(), "{name} has no history");
        anyhow::ensure!(history.windows(2).all(|pair| pair[0].0 < pair[1].0), "the history of {name} is not in order");
        self.layouts.push(Layout { name: name.to_owned(), last: last.to_owned(), size_field, history });
        Ok(())
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_layouts_over_several_lines_and_understated_sizes() {
        let mut annotations = Annotations::default();
        annotations
            .add("PJRT_LAYOUT(PJRT_A, b,\n  1:24,\n  38:24/32)\n  PJRT_SLOT(PJRT_F, 13);\n")
            .expect("well-formed");
        assert_eq!(annotations.layouts[0].history, [(1, 24, 24), (38, 24, 32)]);
        assert_eq!(annotations.slots, [("PJRT_F".to_owned(), 13)]);
    }

    #[test]
    fn refuses_a_history_that_goes_back() {
        let mut annotations = Annotations::default();
        assert!(annotations.add("PJRT_LAYOUT(PJRT_A, b, 5:24, 4:32)").is_err());
    }
}
