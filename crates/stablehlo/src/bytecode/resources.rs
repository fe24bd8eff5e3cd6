//! Resource sections: named blobs that attributes refer to by number.

use super::cursor::Cursor;
use super::error::Result;

/// A resource of a dialect.
#[derive(Clone, Copy)]
pub(crate) struct Resource<'a> {
    /// String index of its name.
    pub(crate) key: u64,
    /// Its data, unless it is declared without data or is no blob.
    pub(crate) blob: Option<&'a [u8]>,
}

/// The dialect resources, in order; external ones are passed over.
pub(crate) fn resources<'a>(
    offsets: Option<Cursor<'a>>,
    data: Option<Cursor<'a>>,
    num_dialects: usize,
) -> Result<Vec<Resource<'a>>> {
    let Some(mut offsets) = offsets else { return Ok(Vec::new()) };
    let Some(mut data) = data else { return offsets.error("there are resource offsets but no resource section") };
    let mut resources = Vec::new();
    let external = offsets.count()?;
    for _ in 0..external {
        offsets.varint()?;
        group(&mut offsets, &mut data, |_| ())?;
    }
    while !offsets.is_at_end() {
        let dialect = offsets.varint()?;
        if dialect >= num_dialects as u64 {
            return offsets.error(format!("dialect {dialect} does not exist"));
        }
        group(&mut offsets, &mut data, |resource| resources.push(resource))?;
    }
    data.expect_end("the resource section")?;
    Ok(resources)
}

fn group<'a>(offsets: &mut Cursor<'a>, data: &mut Cursor<'a>, mut keep: impl FnMut(Resource<'a>)) -> Result<()> {
    for _ in 0..offsets.count()? {
        let key = offsets.varint()?;
        let size = offsets.varint()?;
        let kind = offsets.byte()?;
        let start = data.pos();
        data.bytes(size)?;
        let mut value = Cursor::part(data.file(), start, data.pos());
        let blob = match kind {
            0 if size > 0 => {
                let alignment = value.varint()?;
                let len = value.varint()?;
                value.align(alignment)?;
                let blob = value.bytes(len)?;
                value.expect_end("a resource")?;
                Some(blob)
            }
            0..=2 => None,
            _ => return offsets.error(format!("resource kind {kind} is not known")),
        };
        keep(Resource { key, blob });
    }
    Ok(())
}
