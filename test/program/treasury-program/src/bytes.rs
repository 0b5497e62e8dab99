//! Bytes, read and written in order. Nothing is allocated: the machine has no product of 128 bits, which a vector's growth asks for.

use pinocchio::{Address, error::ProgramError};

pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes }
    }

    #[inline(always)]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ProgramError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(ProgramError::InvalidInstructionData)?;
        self.bytes = rest;
        Ok(taken)
    }

    #[inline(always)]
    fn chunk<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], ProgramError> {
        self.take(COUNT)?.try_into().map_err(|_| ProgramError::InvalidInstructionData)
    }

    #[inline(always)]
    pub fn byte(&mut self) -> Result<u8, ProgramError> {
        Ok(self.chunk::<1>()?[0])
    }

    #[inline(always)]
    pub fn u16(&mut self) -> Result<u16, ProgramError> {
        Ok(u16::from_le_bytes(self.chunk()?))
    }

    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, ProgramError> {
        Ok(u32::from_le_bytes(self.chunk()?))
    }

    #[inline(always)]
    pub fn u64(&mut self) -> Result<u64, ProgramError> {
        Ok(u64::from_le_bytes(self.chunk()?))
    }

    #[inline(always)]
    pub fn address(&mut self) -> Result<Address, ProgramError> {
        Ok(Address::new_from_array(self.chunk()?))
    }
}

/// Bytes of the largest account that is written: a transaction that was sent in one.
const ROOM: usize = 1_400;

pub struct Writer {
    bytes: [u8; ROOM],
    length: usize,
}

impl Writer {
    #[inline(always)]
    pub fn new() -> Self {
        Writer { bytes: [0; ROOM], length: 0 }
    }

    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), ProgramError> {
        let end = self.length.saturating_add(bytes.len());
        self.bytes.get_mut(self.length..end).ok_or(ProgramError::AccountDataTooSmall)?.copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }

    /// How many follow.
    #[inline(always)]
    pub fn count(&mut self, count: usize) -> Result<(), ProgramError> {
        self.put(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes())
    }

    /// What was written, and zeros behind it up to a length.
    #[inline(always)]
    pub fn filled_to(&self, least: usize) -> &[u8] {
        let end = if least > self.length { least } else { self.length };
        self.bytes.get(..end).unwrap_or(&self.bytes)
    }
}
