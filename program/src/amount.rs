//! Checked arithmetic on base units. Release builds don't trap overflow.

use crate::errors::Failure;

/// `target += amount`.
pub fn add(target: &mut u64, amount: u64) -> Result<(), Failure> {
    *target = target.checked_add(amount).ok_or(Failure::Overflow)?;
    Ok(())
}

/// `target -= amount`.
pub fn sub(target: &mut u64, amount: u64) -> Result<(), Failure> {
    *target = target.checked_sub(amount).ok_or(Failure::Overflow)?;
    Ok(())
}

/// `a × b`. By division: the target machine has no 128-bit product to see the overflow in, and without the black box the
/// compiler makes one of the division.
pub fn mul(a: u64, b: u64) -> Result<u64, Failure> {
    let Some(most) = u64::MAX.checked_div(b) else {
        return Ok(0);
    };
    if a > core::hint::black_box(most) {
        return Err(Failure::Overflow);
    }
    Ok(a.wrapping_mul(b))
}
