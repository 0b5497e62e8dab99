//! Arithmetic on base units, against 128 bits.

use payouts_rules::amount;
use proptest::prelude::*;

/// Numbers near the powers of two and near each other's quotients, besides any.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u32..64, 0u64..3).prop_map(|(bits, more)| (1u64 << bits).wrapping_add(more).wrapping_sub(1)),
        Just(u64::MAX),
    ]
}

fn exact(value: u128) -> Option<u64> {
    u64::try_from(value).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn mul_is_exact_or_refused(a in number(), b in number()) {
        prop_assert_eq!(amount::mul(a, b).ok(), exact(u128::from(a) * u128::from(b)));
    }

    #[test]
    fn mul_is_refused_from_the_first_overflow_on(b in 1u64.., less in 0u64..3) {
        let most = u64::MAX / b;
        prop_assert!(amount::mul(most.saturating_sub(less), b).is_ok());
        if let Some(above) = most.checked_add(1) {
            prop_assert!(b == 1 || amount::mul(above, b).is_err());
        }
    }

    #[test]
    fn add_and_sub_are_exact_or_leave_the_target(a in number(), b in number()) {
        let mut sum = a;
        let added = amount::add(&mut sum, b).is_ok();
        prop_assert_eq!(added.then_some(sum), exact(u128::from(a) + u128::from(b)));
        let mut difference = a;
        let subtracted = amount::sub(&mut difference, b).is_ok();
        prop_assert_eq!(subtracted.then_some(difference), a.checked_sub(b));
        prop_assert!((added || sum == a) && (subtracted || difference == a));
    }
}
