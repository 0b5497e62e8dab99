//! Instruction data, read and written from front to back.

use crate::{errors::Failure, state::Code};
use pinocchio::Address;

/// What is left to read.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The next `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Failure> {
        let (head, rest) = self.0.split_at_checked(length).ok_or(Failure::InvalidData)?;
        self.0 = rest;
        Ok(head)
    }

    pub fn new(data: &'a [u8]) -> Self {
        Reader(data)
    }

    /// Surplus bytes are refused: what isn't understood isn't executed.
    pub fn end(self) -> Result<(), Failure> {
        if self.0.is_empty() { Ok(()) } else { Err(Failure::InvalidData) }
    }

    fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], Failure> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Failure::InvalidData)?;
        self.0 = rest;
        Ok(head)
    }
}

/// Bytes of an instruction for another program, `N` at the most.
pub struct Writer<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Writer<N> {
    pub fn new() -> Self {
        Writer { bytes: [0; N], length: 0 }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        let end = self.length.wrapping_add(bytes.len());
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
        }
        self.length = end;
    }

    /// An account of the instruction, and whether it is written.
    pub fn account(&mut self, address: &Address, writable: bool) {
        self.bytes(address.as_ref());
        self.bytes(&[u8::from(writable)]);
    }

    /// Nothing where more was written than there is room for.
    pub fn written(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// What stands in an instruction's data.
pub trait Read<'a>: Sized {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Failure>;

    /// Reads all of an instruction's data.
    #[inline(always)]
    fn parse(data: &'a [u8]) -> Result<Self, Failure> {
        let mut reader = Reader(data);
        let value = Self::read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }
}

/// The data of an instruction that takes none.
impl Read<'_> for () {
    fn read(_reader: &mut Reader) -> Result<Self, Failure> {
        Ok(())
    }
}

macro_rules! read_integers {
    ($($Type:ty),*) => {
        $(
            impl Read<'_> for $Type {
                #[inline(always)]
                fn read(reader: &mut Reader) -> Result<Self, Failure> {
                    Ok(<$Type>::from_le_bytes(*reader.array()?))
                }
            }
        )*
    };
}

read_integers!(u8, u16, u32, u64, i64);

impl<E> Read<'_> for Code<E> {
    #[inline(always)]
    fn read(reader: &mut Reader) -> Result<Self, Failure> {
        Ok(Code::new(u8::read(reader)?))
    }
}

impl<const N: usize> Read<'_> for [u8; N] {
    #[inline(always)]
    fn read(reader: &mut Reader) -> Result<Self, Failure> {
        Ok(*reader.array()?)
    }
}

impl Read<'_> for Address {
    #[inline(always)]
    fn read(reader: &mut Reader) -> Result<Self, Failure> {
        Ok(Address::new_from_array(*reader.array()?))
    }
}

/// What can be read where it lies.
///
/// # Safety
/// The type is aligned to one byte, has no padding and is valid for every bit pattern.
pub unsafe trait InPlace: Sized {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        // SAFETY: the type has no padding.
        unsafe { core::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

// SAFETY: bytes.
unsafe impl<const N: usize> InPlace for [u8; N] {}

macro_rules! unaligned {
    ($($Name:ident: $Type:ty;)*) => {
        $(
            /// An integer that may lie anywhere.
            #[repr(transparent)]
            pub struct $Name([u8; size_of::<$Type>()]);

            // SAFETY: bytes.
            unsafe impl InPlace for $Name {}

            impl $Name {
                #[inline(always)]
                pub fn get(&self) -> $Type {
                    <$Type>::from_le_bytes(self.0)
                }
            }
        )*
    };
}

unaligned! {
    UnalignedU32: u32;
    UnalignedU64: u64;
}

impl<'a, T: InPlace> Read<'a> for &'a T {
    #[inline(always)]
    fn read(reader: &mut Reader<'a>) -> Result<Self, Failure> {
        let bytes = reader.bytes(size_of::<T>())?;
        // SAFETY: the length is the type's, and any bytes anywhere are one.
        Ok(unsafe { &*bytes.as_ptr().cast::<T>() })
    }
}

/// A u16 count, then so many.
impl<'a, T: InPlace> Read<'a> for &'a [T] {
    #[inline(always)]
    fn read(reader: &mut Reader<'a>) -> Result<Self, Failure> {
        let count = usize::from(u16::read(reader)?);
        let bytes = reader.bytes(count.wrapping_mul(size_of::<T>()))?;
        // SAFETY: as for one.
        Ok(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), count) })
    }
}

/// What an instruction or a part of its data reads, in order. Before a field: `default(number)`, which clients send unless told
/// otherwise, and `flatten`, whose fields clients see as the instruction's own.
macro_rules! data {
    (
        $(#[doc = $doc:expr])*
        pub struct $Name:ident<$life:lifetime> { $($(#[$attribute:ident $($rule:tt)*])* $field:ident: $Type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        pub struct $Name<$life> {
            $(pub $field: $Type,)*
        }

        crate::data::data!(@read $life, $Name<$life>, $Name, $($field)*);
    };
    (
        $(#[doc = $doc:expr])*
        pub struct $Name:ident { $($(#[$attribute:ident $($rule:tt)*])* $field:ident: $Type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        pub struct $Name {
            $(pub $field: $Type,)*
        }

        crate::data::data!(@read 'a, $Name, $Name, $($field)*);
    };
    (@read $life:lifetime, $Type:ty, $Name:ident, $($field:ident)*) => {
        impl<$life> crate::data::Read<$life> for $Type {
            #[inline(always)]
            fn read(reader: &mut crate::data::Reader<$life>) -> Result<Self, crate::errors::Failure> {
                Ok($Name { $($field: crate::data::Read::read(reader)?,)* })
            }
        }
    };
}

pub(crate) use data;
