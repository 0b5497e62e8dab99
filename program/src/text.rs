//! What stands in a text that somebody signs: their wallet shows it, so addresses and times are written as people read them. Each has one
//! form, of one length.

use crate::calendar;

/// Letters of 32 bytes in base 58, at most.
const WORD: usize = 44;
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Digits are computed five at a time: 45 of them hold every number of 32 bytes.
const GROUP: usize = 5;
const GROUPS: usize = 9;
const GROUP_BASE: u64 = 58_u64.pow(GROUP as u32);
/// Letters of a time, such as `2026-11-26 16:45:00 UTC`.
pub const TIME: usize = 23;

/// What follows these words in a text; nothing where it doesn't begin with them. Eight letters at a time: one by one, which is what
/// `strip_prefix` does on the ledger, costs some eight times as much.
#[inline(never)]
pub fn strip<'a>(text: &'a [u8], words: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(words.len())?;
    let ((eights, last), (of_eights, of_last)) = (start.as_chunks::<8>(), words.as_chunks::<8>());
    let is_same = |(one, other): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other);
    (eights.iter().zip(of_eights).all(is_same) && last == of_last).then_some(rest)
}

/// What follows an address or a hash in a text, where it is in base 58 with spaces behind it up to the greatest length; nothing where the text
/// doesn't begin with just that.
#[inline(never)]
pub fn strip_base58<'a>(text: &'a [u8], bytes: &[u8; 32]) -> Option<&'a [u8]> {
    let mut letters = [b' '; GROUPS * GROUP + WORD];
    for (five, mut group) in letters.as_chunks_mut::<GROUP>().0.iter_mut().zip(groups(bytes)) {
        for letter in five.iter_mut().rev() {
            *letter = ALPHABET[(group % 58) as usize];
            group /= 58;
        }
    }
    // As many leading zeros are written as there are bytes that are zero.
    let leading = |of: &[u8], zero: u8| of.iter().take_while(|one| **one == zero).count();
    let from = leading(&letters, ALPHABET[0]).wrapping_sub(leading(bytes, 0));
    strip(text, letters.get(from..)?.first_chunk::<WORD>()?)
}

/// A number in digits of base 58^5. Nothing wraps although it is written so: they are below 2^30.
fn groups(bytes: &[u8; 32]) -> [u64; GROUPS] {
    let mut groups = [0_u64; GROUPS];
    for (place, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
        let mut carry = u64::from(u32::from_be_bytes(*four));
        // What was read so far fits into this many.
        for group in groups.iter_mut().rev().take(place.wrapping_add(2)) {
            let sum = (*group << 32).wrapping_add(carry);
            (*group, carry) = (sum % GROUP_BASE, sum / GROUP_BASE);
        }
    }
    groups
}

/// Unix seconds; nothing for what is no time from 1970 to 9999, or is written in another form.
#[inline(never)]
pub fn read_time(text: &[u8; TIME]) -> Option<i64> {
    #[rustfmt::skip]
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b' ', h1, h2, b':', n1, n2, b':', s1, s2, b' ', b'U', b'T', b'C'] = *text else {
        return None;
    };
    let day = calendar::day_of(number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?)?;
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[n1, n2])?, number(&[s1, s2])?);
    let minutes = day.wrapping_mul(24).wrapping_add(hour).wrapping_mul(60).wrapping_add(minute);
    let seconds = minutes.wrapping_mul(60).wrapping_add(second);
    if hour < 24 && minute < 60 && second < 60 { i64::try_from(seconds).ok() } else { None }
}

fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, digit| {
        let unit = digit.is_ascii_digit().then(|| digit.wrapping_sub(b'0'))?;
        Some(number.wrapping_mul(10).wrapping_add(u64::from(unit)))
    })
}
