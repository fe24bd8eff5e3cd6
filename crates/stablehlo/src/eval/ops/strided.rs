//! Walking memory with strides: the engine under everything that moves elements without changing them.

/// A view of a flat array: where it starts, and for each dimension its size and the step in elements.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub offset: isize,
    pub dims: Vec<usize>,
    pub strides: Vec<isize>,
}

impl View {
    /// The dense row-major view of a whole array.
    pub fn dense(dims: &[usize]) -> View {
        let strides = crate::eval::tensor::row_major_strides(dims);
        View { offset: 0, dims: dims.to_vec(), strides: strides.iter().map(|&s| s as isize).collect() }
    }

    /// Calls `row(start, length, step)` for every run along the innermost dimension, in row-major order.
    fn for_each_row(&self, mut row: impl FnMut(isize, usize, isize)) {
        if self.dims.contains(&0) {
            return;
        }
        let (dims, strides) = self.merged();
        let Some((&length, outer)) = dims.split_last() else {
            return row(self.offset, 1, 1);
        };
        let step = strides[outer.len()];
        let mut index = vec![0usize; outer.len()];
        let mut start = self.offset;
        loop {
            row(start, length, step);
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                index[axis] += 1;
                start += strides[axis];
                if index[axis] < outer[axis] {
                    break;
                }
                start -= strides[axis] * outer[axis] as isize;
                index[axis] = 0;
            }
        }
    }

    /// The same walk with fewer dimensions: those of size one dropped, neighbours that continue each other joined.
    fn merged(&self) -> (Vec<usize>, Vec<isize>) {
        let (mut dims, mut strides): (Vec<usize>, Vec<isize>) = (Vec::new(), Vec::new());
        for (&dim, &stride) in self.dims.iter().zip(&self.strides) {
            if dim == 1 {
                continue;
            }
            match (dims.last_mut(), strides.last_mut()) {
                (Some(last_dim), Some(last_stride)) if *last_stride == stride * dim as isize => {
                    *last_dim *= dim;
                    *last_stride = stride;
                }
                _ => {
                    dims.push(dim);
                    strides.push(stride);
                }
            }
        }
        (dims, strides)
    }

    /// The elements of the view, in row-major order.
    pub fn read<W: Copy>(&self, source: &[W]) -> Vec<W> {
        let mut out = Vec::with_capacity(self.dims.iter().product());
        self.for_each_row(|start, length, step| match step {
            0 => out.resize(out.len() + length, source[start as usize]),
            1 => out.extend_from_slice(&source[start as usize..start as usize + length]),
            _ => out.extend((0..length as isize).map(|i| source[(start + i * step) as usize])),
        });
        out
    }

    /// Puts the values, in row-major order, where the view is in the target.
    pub fn write<W: Copy>(&self, target: &mut [W], values: &[W]) {
        let mut values = values;
        self.for_each_row(|start, length, step| {
            let (row, rest) = values.split_at(length);
            values = rest;
            if step == 1 {
                target[start as usize..start as usize + length].copy_from_slice(row);
            } else {
                for (i, &value) in row.iter().enumerate() {
                    target[(start + i as isize * step) as usize] = value;
                }
            }
        });
    }

    /// Flat positions of the view's elements, in row-major order.
    pub fn positions(&self) -> Vec<usize> {
        let mut out = Vec::with_capacity(self.dims.iter().product());
        self.for_each_row(|start, length, step| {
            out.extend((0..length as isize).map(|i| (start + i * step) as usize));
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::View;

    #[test]
    fn reads_and_writes_are_inverse() {
        let source: Vec<u32> = (0..24).collect();
        let view = View { offset: 23, dims: vec![4, 1, 3, 2], strides: vec![-1, 7, -8, -4] };
        let read = view.read(&source);
        assert_eq!(&read[..4], [23, 19, 15, 11]);
        assert_eq!(view.positions(), read.iter().map(|&v| v as usize).collect::<Vec<_>>());
        let mut target = vec![0; 24];
        view.write(&mut target, &read);
        assert_eq!(target, source);
    }

    #[test]
    fn empty_and_rank_zero() {
        assert!(View::dense(&[3, 0]).read::<u8>(&[]).is_empty());
        assert_eq!(View::dense(&[]).read(&[7u8]), [7]);
        assert_eq!(View { offset: 0, dims: vec![2, 2], strides: vec![0, 0] }.read(&[5]), [5; 4]);
    }
}
