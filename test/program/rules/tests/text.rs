//! What stands in signed texts: base 58 against bs58, times against chrono.

use chrono::{DateTime, NaiveDate};
use payouts_rules::text::{TIME, read_time, strip, strip_base58};
use proptest::prelude::*;

/// 9999-12-31T23:59:59Z.
const LAST_TIME: i64 = 253_402_300_799;

fn written(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).unwrap().format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn read(text: &str) -> Option<i64> {
    read_time(text.as_bytes().first_chunk().unwrap())
}

#[test]
fn a_time_is_read_on_every_day_of_400_years() {
    for day in 0..146_097 {
        assert_eq!(read(&written(day * 86_400)), Some(day * 86_400));
    }
    assert_eq!(read("9999-12-31 23:59:59 UTC"), Some(LAST_TIME));
}

#[test]
fn what_is_no_time_is_refused() {
    for year in 0..=9_999 {
        for (month, day) in (0..=13).flat_map(|month| [0, 1, 28, 29, 30, 31, 32, 99].map(|day| (month, day))) {
            let is_date = year >= 1_970 && NaiveDate::from_ymd_opt(year, month, day).is_some();
            assert_eq!(read(&format!("{year:04}-{month:02}-{day:02} 00:00:00 UTC")).is_some(), is_date);
        }
    }
    for [hour, minute, second] in [[24, 0, 0], [99, 0, 0], [0, 60, 0], [0, 99, 0], [0, 0, 60], [0, 0, 99]] {
        assert_eq!(read(&format!("2026-11-26 {hour:02}:{minute:02}:{second:02} UTC")), None);
    }
}

#[test]
fn words_are_stripped_where_they_stand() {
    let text: Vec<u8> = (0..40).collect();
    for length in 0..=40 {
        assert_eq!(strip(&text, &text[..length]), Some(&text[length..]));
        for place in 0..length {
            let mut other = text[..length].to_vec();
            other[place] ^= 1;
            assert_eq!(strip(&text, &other), None);
        }
    }
    assert_eq!(strip(&text, &[0; 41]), None);
}

/// All lengths that base 58 has.
fn hashes() -> impl Strategy<Value = [u8; 32]> {
    (any::<[u8; 32]>(), 0_usize..=32, any::<bool>()).prop_map(|(mut bytes, zeros, is_full)| {
        bytes[..zeros].fill(0);
        if is_full {
            bytes[zeros..].fill(0xff)
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_second_is_read_as_it_is_written(seconds in 0..=LAST_TIME) {
        prop_assert_eq!(read(&written(seconds)), Some(seconds));
    }

    #[test]
    fn a_time_has_one_form(seconds in 0..=LAST_TIME, place in 0..TIME, letter in any::<u8>()) {
        let mut text: [u8; TIME] = *written(seconds).as_bytes().first_chunk().unwrap();
        text[place] = letter;
        let again = read_time(&text).map(|seconds| written(seconds).into_bytes());
        prop_assert!(again.is_none_or(|again| again == text));
    }

    #[test]
    fn base_58_is_what_others_write(bytes in hashes(), more in any::<[u8; 3]>()) {
        let word = format!("{:44}", bs58::encode(&bytes).into_string());
        prop_assert_eq!(word.len(), 44);
        let text = [word.as_bytes(), &more].concat();
        prop_assert_eq!(strip_base58(&text, &bytes), Some(&more[..]));
    }

    #[test]
    fn base_58_of_something_else_is_refused(bytes in hashes(), place in 0..44_usize, letter in any::<u8>()) {
        let word = format!("{:44}", bs58::encode(&bytes).into_string()).into_bytes();
        let mut other = word.clone();
        other[place] = letter;
        prop_assert_eq!(strip_base58(&other, &bytes).is_some(), other == word);
        prop_assert_eq!(strip_base58(&word[..place], &bytes), None);
    }
}
