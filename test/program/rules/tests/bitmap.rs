//! The bitmap, against a set of indexes.

use payouts_rules::bitmap;
use proptest::prelude::*;
use std::collections::BTreeSet;

const BYTES: usize = 64;
const BITS: usize = BYTES * 8;

#[test]
fn bit_i_stands_in_byte_i_div_8_least_significant_first() {
    let mut bytes = [0u8; 2];
    bitmap::set(&mut bytes, 0);
    bitmap::set(&mut bytes, 3);
    bitmap::set(&mut bytes, 15);
    assert_eq!(bytes, [0b0000_1001, 0b1000_0000]);
}

proptest! {
    /// Indexes beyond the end among them: they are neither set nor seen.
    #[test]
    fn holds_what_was_set_and_nothing_else(
        indexes in prop::collection::vec(prop_oneof![0..BITS, Just(BITS), BITS..2 * BITS, Just(usize::MAX)], 0..100),
    ) {
        let mut bytes = [0u8; BYTES];
        for &index in &indexes {
            bitmap::set(&mut bytes, index);
        }
        let expected: BTreeSet<usize> = indexes.into_iter().filter(|&index| index < BITS).collect();
        let seen: BTreeSet<usize> = (0..2 * BITS).filter(|&index| bitmap::is_set(&bytes, index)).collect();
        prop_assert_eq!(seen, expected);
        prop_assert!(!bitmap::is_set(&bytes, usize::MAX));
    }
}
