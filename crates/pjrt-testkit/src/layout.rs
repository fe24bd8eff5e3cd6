//! Memory layouts as they go through the C API.

use pjrt_sys::{
    PJRT_Buffer_MemoryLayout, PJRT_Buffer_MemoryLayout_Strides, PJRT_Buffer_MemoryLayout_Tiled,
    PJRT_Buffer_MemoryLayout_Type,
};

/// A layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Dimension order and tiles.
    Tiled {
        /// Dimensions, the fastest one first.
        minor_to_major: Vec<i64>,
        /// Dimensions of all tiles, one after the other.
        tile_dims: Vec<i64>,
        /// Rank of each tile.
        tile_dim_sizes: Vec<usize>,
    },
    /// Byte strides.
    Strides(Vec<i64>),
    /// A kind that the header does not have.
    Unknown(u32),
}

impl Layout {
    /// Dense and row-major, of this rank.
    #[must_use]
    pub fn row_major(rank: usize) -> Self {
        let minor_to_major = (0..rank as i64).rev().collect();
        Self::Tiled { minor_to_major, tile_dims: Vec::new(), tile_dim_sizes: Vec::new() }
    }

    /// The C form; it borrows from `self`. As frameworks do, the sizes inside are garbage: a plugin
    /// must not look at them.
    #[must_use]
    pub fn to_raw(&self) -> PJRT_Buffer_MemoryLayout {
        let garbage = usize::MAX / 3;
        let mut raw = PJRT_Buffer_MemoryLayout { struct_size: garbage, ..Default::default() };
        match self {
            Self::Tiled { minor_to_major, tile_dims, tile_dim_sizes } => {
                raw.type_ = PJRT_Buffer_MemoryLayout_Type::Tiled;
                raw.__bindgen_anon_1.tiled = PJRT_Buffer_MemoryLayout_Tiled {
                    struct_size: garbage,
                    minor_to_major: minor_to_major.as_ptr(),
                    minor_to_major_size: minor_to_major.len(),
                    tile_dims: tile_dims.as_ptr(),
                    tile_dim_sizes: tile_dim_sizes.as_ptr(),
                    num_tiles: tile_dim_sizes.len(),
                    ..Default::default()
                };
            }
            Self::Strides(byte_strides) => {
                raw.type_ = PJRT_Buffer_MemoryLayout_Type::Strides;
                raw.__bindgen_anon_1.strides = PJRT_Buffer_MemoryLayout_Strides {
                    struct_size: garbage,
                    byte_strides: byte_strides.as_ptr(),
                    num_byte_strides: byte_strides.len(),
                    ..Default::default()
                };
            }
            Self::Unknown(kind) => raw.type_ = PJRT_Buffer_MemoryLayout_Type(*kind),
        }
        raw
    }

    /// Reads the C form.
    ///
    /// # Safety
    ///
    /// The arrays that it points to are readable.
    #[must_use]
    pub unsafe fn read(raw: &PJRT_Buffer_MemoryLayout) -> Self {
        // SAFETY: by the contract of this function; the type says which member of the union counts.
        unsafe {
            match raw.type_ {
                PJRT_Buffer_MemoryLayout_Type::Tiled => {
                    let tiled = raw.__bindgen_anon_1.tiled;
                    let tile_dim_sizes = crate::plugin::copied(tiled.tile_dim_sizes, tiled.num_tiles);
                    let all: usize = tile_dim_sizes.iter().sum();
                    Self::Tiled {
                        minor_to_major: crate::plugin::copied(tiled.minor_to_major, tiled.minor_to_major_size),
                        tile_dims: crate::plugin::copied(tiled.tile_dims, all),
                        tile_dim_sizes,
                    }
                }
                PJRT_Buffer_MemoryLayout_Type::Strides => {
                    let strides = raw.__bindgen_anon_1.strides;
                    Self::Strides(crate::plugin::copied(strides.byte_strides, strides.num_byte_strides))
                }
                PJRT_Buffer_MemoryLayout_Type(other) => Self::Unknown(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_survive_the_way_there_and_back() {
        let tiled =
            Layout::Tiled { minor_to_major: vec![1, 0], tile_dims: vec![8, 128, 2], tile_dim_sizes: vec![2, 1] };
        for layout in [tiled, Layout::row_major(3), Layout::row_major(0), Layout::Strides(vec![8, -4])] {
            // SAFETY: the C form borrows from `layout`, which is alive.
            assert_eq!(unsafe { Layout::read(&layout.to_raw()) }, layout);
        }
    }
}
