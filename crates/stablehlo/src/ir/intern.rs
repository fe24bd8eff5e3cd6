//! Interning: equal strings, types and attributes of one module share one id.
//!
//! Knows nothing of what the entries mean.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Distinct values in order of first appearance, found again by content.
#[derive(Clone, Debug)]
pub(crate) struct Uniquer<T> {
    items: Vec<T>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T> Default for Uniquer<T> {
    fn default() -> Self {
        Uniquer { items: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl<T: Hash + Eq> Uniquer<T> {
    /// The index of `item`, which is added if it is new.
    pub(crate) fn intern(&mut self, item: T) -> u32 {
        let hash = self.hasher.hash_one(&item);
        let Uniquer { items, table, hasher } = self;
        if let Some(&index) = table.find(hash, |&i| items[i as usize] == item) {
            return index;
        }
        let index = u32::try_from(items.len()).expect("an arena holds fewer than 2^32 entries");
        items.push(item);
        table.insert_unique(hash, index, |&i| hasher.hash_one(&items[i as usize]));
        index
    }

    /// The index of `item`, if it was interned before.
    pub(crate) fn find(&self, item: &T) -> Option<u32> {
        let hash = self.hasher.hash_one(item);
        self.table.find(hash, |&i| self.items[i as usize] == *item).copied()
    }

    /// Makes room for as many more items.
    pub(crate) fn reserve(&mut self, additional: usize) {
        let Uniquer { items, table, hasher } = self;
        items.reserve(additional);
        table.reserve(additional, |&i| hasher.hash_one(&items[i as usize]));
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        &self.items[index as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Distinct strings, all in one buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct StringTable {
    text: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl StringTable {
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        if let Some(&index) = self.table.find(hash, |&i| self.get(i) == text) {
            return index;
        }
        let index = u32::try_from(self.ends.len()).expect("an arena holds fewer than 2^32 entries");
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("the strings of a module fit 4 GiB"));
        let StringTable { text, ends, table, hasher } = self;
        table.insert_unique(hash, index, |&i| hasher.hash_one(slice(text, ends, i)));
        index
    }

    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&i| self.get(i) == text).copied()
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &str {
        slice(&self.text, &self.ends, index)
    }
}

#[inline]
fn slice<'a>(text: &'a str, ends: &[u32], index: u32) -> &'a str {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &text[start..ends[index] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_an_index() {
        let mut table = StringTable::default();
        let indices: Vec<u32> = ["a", "", "bc", "a", "bc", ""].iter().map(|s| table.intern(s)).collect();
        assert_eq!(indices, [0, 1, 2, 0, 2, 1]);
        assert_eq!(table.get(2), "bc");
        assert_eq!(table.find("zz"), None);
        let many: Vec<u32> = (0..1000).map(|i| table.intern(&i.to_string())).collect();
        assert!(many.iter().enumerate().all(|(i, &id)| table.get(id) == i.to_string()));
    }

    #[test]
    fn equal_values_share_an_index() {
        let mut table = Uniquer::default();
        for i in 0..1000u64 {
            assert_eq!(table.intern(i % 100), (i % 100) as u32);
        }
        assert_eq!((table.len(), table.find(&7), table.find(&100)), (100, Some(7), None));
    }
}
