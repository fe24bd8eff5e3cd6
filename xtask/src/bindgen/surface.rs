//! Reads the ABI surface back out of generated bindings: structs with offsets and types, enums,
//! constants, function types. Relies on the regular form that bindgen and prettyplease give.

use std::collections::BTreeMap;

/// A field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name in Rust; an anonymous union is `__bindgen_anon_N`.
    pub name: String,
    /// Type in Rust.
    pub ty: String,
    /// Offset in bytes.
    pub offset: usize,
}

/// A struct or union.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Struct {
    /// Size in bytes, tail padding included.
    pub size: usize,
    /// Fields in order; empty for opaque types.
    pub fields: Vec<Field>,
}

/// Everything that a header declares.
#[derive(Debug, Default)]
pub struct Surface {
    /// By name; opaque handles and anonymous unions are left out.
    pub structs: BTreeMap<String, Struct>,
    /// Values by enum and name.
    pub enums: BTreeMap<String, BTreeMap<String, i64>>,
    /// Integer constants: macros and `_STRUCT_SIZE`.
    pub constants: BTreeMap<String, i64>,
    /// Type aliases, functions above all.
    pub aliases: BTreeMap<String, String>,
}

impl Surface {
    /// Parses bindings made by `generate`.
    pub fn parse(bindings: &str) -> Self {
        let items = items(bindings);
        let mut surface = Self::default();
        for item in &items {
            if let Some(rest) = item.strip_prefix("pub struct ") {
                surface.add_struct(rest);
            } else if let Some(rest) = item.strip_prefix("impl ") {
                surface.add_values(rest);
            } else if let Some(rest) = item.strip_prefix("pub const ") {
                surface.add_constant(rest);
            } else if let Some((name, target)) = item.strip_prefix("pub type ").and_then(|rest| rest.split_once(" = "))
            {
                surface.aliases.insert(name.to_owned(), target.trim_end_matches(';').to_owned());
            }
        }
        surface.add_layouts(bindings);
        surface.structs.retain(|name, s| !s.fields.is_empty() && !name.contains("__bindgen_ty"));
        surface
    }

    fn add_struct(&mut self, rest: &str) {
        let Some((name, body)) = rest.split_once(" { ") else {
            return;
        };
        let body = body.trim_end_matches([' ', '}', ',']);
        let fields = split_fields(body)
            .into_iter()
            .filter_map(|field| {
                let (name, ty) = field.trim().strip_prefix("pub ")?.split_once(": ")?;
                Some(Field { name: name.to_owned(), ty: ty.to_owned(), offset: usize::MAX })
            })
            .collect();
        self.structs.insert(name.to_owned(), Struct { size: 0, fields });
    }

    fn add_values(&mut self, rest: &str) {
        let Some((name, body)) = rest.split_once(" { ") else {
            return;
        };
        for value in body.split("pub const ").skip(1) {
            let Some((variant, rest)) = value.split_once(": ") else {
                continue;
            };
            let Some(number) = rest.split_once('(').and_then(|(_, n)| n.split_once(')')) else {
                continue;
            };
            if let Ok(number) = number.0.trim_matches([' ', ',']).parse() {
                self.enums.entry(name.to_owned()).or_default().insert(variant.to_owned(), number);
            }
        }
    }

    fn add_constant(&mut self, rest: &str) {
        let Some((name, rest)) = rest.split_once(": ") else {
            return;
        };
        let Some((_, value)) = rest.split_once(" = ") else {
            return;
        };
        // A value of an anonymous enum, such as `PJRT_X_STRUCT_SIZE`, is `_bindgen_ty_7(24)`.
        let value = value.trim_end_matches(';');
        let number = value.split_once('(').map_or(value, |(_, rest)| rest.trim_end_matches(')'));
        if let Ok(number) = number.trim_matches([' ', ',']).parse() {
            self.constants.insert(name.to_owned(), number);
        }
    }

    fn add_layouts(&mut self, bindings: &str) {
        let flat = bindings.split_whitespace().collect::<Vec<_>>().join(" ").replace("[ \"", "[\"");
        for part in flat.split("[\"Size of ").skip(1) {
            if let (Some(name), Some(size)) = (part.split('"').next(), number_after_minus(part))
                && let Some(found) = self.structs.get_mut(name)
            {
                found.size = size;
            }
        }
        for part in flat.split("[\"Offset of field: ").skip(1) {
            if let (Some((name, field)), Some(offset)) =
                (part.split('"').next().and_then(|path| path.split_once("::")), number_after_minus(part))
                && let Some(found) =
                    self.structs.get_mut(name).and_then(|s| s.fields.iter_mut().find(|f| f.name == field))
            {
                found.offset = offset;
            }
        }
        self.structs.retain(|name, _| !name.starts_with("_bindgen_ty"));
    }
}

fn number_after_minus(part: &str) -> Option<usize> {
    let (_, rest) = part.split_once("- ")?;
    rest.split_once("usize")?.0.parse().ok()
}

/// Splits at commas that are not inside brackets: `a: fn(b, c), d: e`.
fn split_fields(body: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    let bytes = body.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'<' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b')' | b']' | b'>' => depth -= 1,
            b',' if depth == 0 => {
                fields.push(&body[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(&body[start..]);
    fields
}

/// Top-level items, each on one line without attributes and comments.
fn items(bindings: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut current = String::new();
    let mut in_comment = false;
    for line in bindings.lines() {
        let text = line.trim();
        if in_comment || text.starts_with("/*") {
            in_comment = !text.ends_with("*/");
            continue;
        }
        if text.is_empty() || text.starts_with("#[") || text.starts_with("//") {
            continue;
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(text);
        let ends = line.starts_with('}') || (!line.starts_with(' ') && text.ends_with([';', '}']));
        if ends {
            items.push(std::mem::take(&mut current));
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"
/** Text
 over two lines.*/
#[repr(C)]
pub struct PJRT_A_Args {
    /// since 0.1
    pub struct_size: usize,
    pub callback: ::core::option::Option<
        unsafe extern "C" fn(a: usize, b: *mut PJRT_Error) -> *mut PJRT_Error,
    >,
    pub done: bool,
}
const _: () = {
    ["Size of PJRT_A_Args"][::core::mem::size_of::<PJRT_A_Args>() - 24usize];
    [
        "Offset of field: PJRT_A_Args::done",
    ][::core::mem::offset_of!(PJRT_A_Args, done) - 16usize];
    ["Offset of field: PJRT_A_Args::struct_size"][::core::mem::offset_of!(PJRT_A_Args, struct_size) - 0usize];
};
impl PJRT_Kind {
    ///< since 0.0
    pub const ONE: PJRT_Kind = PJRT_Kind(1);
}
pub const PJRT_API_MINOR: u32 = 114;
pub const PJRT_A_Args_STRUCT_SIZE: _bindgen_ty_1 = _bindgen_ty_1(
    17,
);
pub type PJRT_F = ::core::option::Option<unsafe extern "C" fn(a: usize)>;
"#;

    #[test]
    fn reads_fields_offsets_values_and_constants() {
        let surface = Surface::parse(SAMPLE);
        let found = &surface.structs["PJRT_A_Args"];
        assert_eq!(found.size, 24);
        let names: Vec<_> = found.fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["struct_size", "callback", "done"]);
        assert_eq!(found.fields[2].offset, 16);
        assert_eq!(surface.enums["PJRT_Kind"]["ONE"], 1);
        assert_eq!(surface.constants["PJRT_API_MINOR"], 114);
        assert_eq!(surface.constants["PJRT_A_Args_STRUCT_SIZE"], 17);
        assert!(surface.aliases.contains_key("PJRT_F"));
    }
}
