//! Bit i stands in byte i / 8, least significant first.

/// Whether bit `index` is set; false beyond the end.
pub fn is_set(bitmap: &[u8], index: usize) -> bool {
    bitmap.get(index >> 3).is_some_and(|byte| byte & (1u8 << (index & 7)) != 0)
}

/// Sets bit `index`; nothing happens beyond the end.
pub fn set(bitmap: &mut [u8], index: usize) {
    if let Some(byte) = bitmap.get_mut(index >> 3) {
        *byte |= 1u8 << (index & 7);
    }
}
