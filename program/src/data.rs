//! Reading instruction data from front to back.

use crate::{errors::Failure, hash::Hash};
use pinocchio::Address;

/// What is left to read.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader(data)
    }

    /// The next `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Failure> {
        let (head, rest) = self.0.split_at_checked(length).ok_or(Failure::InvalidData)?;
        self.0 = rest;
        Ok(head)
    }

    /// The next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], Failure> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Failure::InvalidData)?;
        self.0 = rest;
        Ok(head)
    }

    pub fn u8(&mut self) -> Result<u8, Failure> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Failure> {
        Ok(u16::from_le_bytes(*self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Failure> {
        Ok(u32::from_le_bytes(*self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Failure> {
        Ok(u64::from_le_bytes(*self.array()?))
    }

    pub fn i64(&mut self) -> Result<i64, Failure> {
        Ok(i64::from_le_bytes(*self.array()?))
    }

    pub fn address(&mut self) -> Result<Address, Failure> {
        Ok(Address::new_from_array(*self.array()?))
    }

    /// A u16 count, then so many hashes.
    pub fn hashes(&mut self) -> Result<&'a [Hash], Failure> {
        let count = usize::from(self.u16()?);
        Ok(self.bytes(count.wrapping_mul(32))?.as_chunks::<32>().0)
    }

    /// A u16 count, then so many u64, as bytes.
    pub fn u64s(&mut self) -> Result<&'a [[u8; 8]], Failure> {
        let count = usize::from(self.u16()?);
        Ok(self.bytes(count.wrapping_mul(8))?.as_chunks::<8>().0)
    }

    /// Surplus bytes are refused: what isn't understood isn't executed.
    pub fn end(self) -> Result<(), Failure> {
        if self.0.is_empty() { Ok(()) } else { Err(Failure::InvalidData) }
    }
}
