//! The calendar, against chrono over 400 years and against its own steps taken one by one.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Weekday};
use payouts_rules::{
    calendar::{Calendar, NO_DATE},
    errors::Failure::{self, InvalidCalendar, Overflow},
};
use proptest::prelude::*;

const DAY: i64 = 86_400;
const FIRST_TIME_TOO_LATE: i64 = 13_601_088_000;
const LONGEST_STEP: u64 = 36_525 * DAY as u64;

/// A result that can be compared: the program's errors are numbers only.
fn known<T>(result: Result<T, Failure>) -> Result<T, u32> {
    result.map_err(|failure| failure as u32)
}

fn refused<T>(failure: Failure) -> Result<T, u32> {
    Err(failure as u32)
}

fn rule(unit: u8, every: u32, day: u8) -> Calendar<'static> {
    Calendar { unit, every, day, dates: &[] }
}

fn date(days: i64) -> NaiveDate {
    DateTime::from_timestamp(days * DAY, 0).unwrap().date_naive()
}

fn days(date: NaiveDate) -> i64 {
    date.and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp() / DAY
}

fn last_of_month(any: NaiveDate) -> NaiveDate {
    any.with_day(1).unwrap() + Months::new(1) - Days::new(1)
}

/// What chrono says about the rule's `step`th execution after `first`.
fn by_chrono(calendar: &Calendar, first: i64, step: u32) -> i64 {
    let count = i64::from(calendar.every) * i64::from(step);
    if calendar.unit < 3 {
        return first + count * [1, DAY, 7 * DAY][usize::from(calendar.unit)];
    }
    let month = date(first / DAY).with_day(1).unwrap() + Months::new(count as u32);
    let mut date = last_of_month(month);
    if calendar.unit == 3 {
        date = date.min(month + Days::new(u64::from(calendar.day) - 1));
    }
    while calendar.unit == 5 && matches!(date.weekday(), Weekday::Sat | Weekday::Sun) {
        date = date - Days::new(1);
    }
    days(date) * DAY + first % DAY
}

/// Valid rules with steps of up to about three years.
fn rules() -> impl Strategy<Value = Calendar<'static>> {
    (0u8..=5, 1u32..=36, 1u32..=30, 1u8..=31).prop_map(|(unit, every, longer, day)| {
        let every = every * [longer.pow(4), longer, 1, 1, 1, 1][usize::from(unit)];
        rule(unit, every, if unit == 3 { day } else { 0 })
    })
}

/// A valid rule and its first execution from 1970 to 2369.
fn rules_and_first() -> impl Strategy<Value = (Calendar<'static>, i64)> {
    (rules(), 1..days(NaiveDate::from_ymd_opt(2370, 1, 1).unwrap()) * DAY).prop_map(|(calendar, any)| {
        let first = by_chrono(&calendar, any, 0);
        (calendar, first)
    })
}

/// Every day of 400 years, by each of the months' rules.
#[test]
fn each_day_is_on_the_rules_that_chrono_says() {
    for day in 0..days(NaiveDate::from_ymd_opt(2370, 1, 1).unwrap()) {
        let date = date(day);
        let time = day * DAY + 1;
        let last = last_of_month(date);
        for unit in [4, 5] {
            let expected = days(date) * DAY + 1 == by_chrono(&rule(unit, 1, 0), time, 0);
            assert_eq!(rule(unit, 1, 0).check(time).is_ok(), expected, "{date} {unit}");
        }
        for candidate in [date.day() - 1, date.day(), date.day() + 1, 31] {
            let expected = candidate == date.day() || date == last && candidate > date.day();
            let valid = (1..=31).contains(&candidate);
            assert_eq!(rule(3, 1, candidate as u8).check(time).is_ok(), valid && expected, "{date} {candidate}");
        }
        let next = days(date.with_day(1).unwrap() + Months::new(1)) * DAY + 1;
        assert_eq!(known(rule(3, 1, 1).next(time)), Ok(next), "{date}");
    }
}

#[test]
fn a_rule_is_one_of_the_contracts() {
    let first = days(NaiveDate::from_ymd_opt(2026, 1, 31).unwrap()) * DAY;
    for (unit, every, day) in [
        (6, 1, 0),
        (255, 1, 0),
        (0, 0, 0),
        (3, 1, 0),
        (3, 1, 32),
        (0, 1, 1),
        (4, 1, 31),
        (5, 1, 1),
        (0, LONGEST_STEP as u32 + 1, 0),
        (0, u32::MAX, 0),
        (1, 36_526, 0),
        (2, 5_218, 0),
        (3, 1_201, 31),
        (4, u32::MAX, 0),
    ] {
        let calendar = rule(unit, every, day);
        assert_eq!(known(calendar.check(first)), refused(InvalidCalendar), "{unit} {every} {day}");
        assert_eq!(known(calendar.next(first)), refused(InvalidCalendar), "{unit} {every} {day}");
        assert_eq!(known(calendar.first_after(first, first + 1)), refused(InvalidCalendar), "{unit} {every} {day}");
    }
    for (unit, every, day) in
        [(0, LONGEST_STEP as u32, 0), (1, 36_525, 0), (2, 5_217, 0), (3, 1_200, 31), (4, 1_200, 0), (3, 1, 31)]
    {
        assert_eq!(known(rule(unit, every, day).check(first)), Ok(()), "{unit} {every} {day}");
    }
}

#[test]
fn the_first_execution_lies_between_1970_and_2400() {
    let daily = rule(1, 1, 0);
    for (first, valid) in [
        (i64::MIN, false),
        (-1, false),
        (0, false),
        (1, true),
        (FIRST_TIME_TOO_LATE - 1, true),
        (FIRST_TIME_TOO_LATE, false),
        (i64::MAX, false),
    ] {
        assert_eq!(known(daily.check(first)), if valid { Ok(()) } else { refused(InvalidCalendar) }, "{first}");
    }
    assert_eq!(date(FIRST_TIME_TOO_LATE / DAY), NaiveDate::from_ymd_opt(2401, 1, 1).unwrap());
}

#[test]
fn a_month_has_at_least_28_days() {
    for (unit, length) in [(0, 1), (1, DAY), (2, 7 * DAY), (3, 28 * DAY), (4, 28 * DAY), (5, 28 * DAY), (7, 0)] {
        assert_eq!(rule(unit, 1, 0).least_seconds(), length as u64);
        assert_eq!(rule(unit, u32::MAX, 0).least_seconds(), u64::from(u32::MAX) * length as u64);
    }
}

/// A planned time that is not on the rule's day, which no schedule has: the month it lies in has passed all the same.
#[test]
fn skipping_takes_at_least_one_step() {
    let day = |month, day| days(NaiveDate::from_ymd_opt(2026, month, day).unwrap()) * DAY;
    assert_eq!(known(rule(4, 1, 0).first_after(day(3, 10), day(3, 15))), Ok(day(4, 30)));
    assert_eq!(known(rule(3, 2, 20).first_after(day(3, 10), day(3, 10) + 1)), Ok(day(5, 20)));
}

#[test]
fn there_is_no_time_before_1970_and_none_beyond_64_bits() {
    let daily = rule(1, 1, 0);
    assert_eq!(known(daily.next(-1)), refused(InvalidCalendar));
    assert_eq!(known(daily.first_after(-1, 0)), refused(InvalidCalendar));
    assert_eq!(known(daily.next(i64::MAX - DAY)), Ok(i64::MAX));
    assert_eq!(known(daily.next(i64::MAX - DAY + 1)), refused(Overflow));
    assert_eq!(known(daily.first_after(0, i64::MAX)), refused(Overflow));
    assert_eq!(known(rule(0, 1, 0).first_from(0, i64::MAX)), Ok(i64::MAX));
    assert_eq!(known(rule(5, 1_200, 0).next(i64::MAX)), refused(Overflow));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]

    #[test]
    fn executions_are_those_that_chrono_counts((calendar, first) in rules_and_first(), steps in 1u32..6) {
        prop_assert_eq!(known(calendar.check(first)), if first > 0 { Ok(()) } else { refused(InvalidCalendar) });
        let mut planned = first;
        for step in 1..=steps {
            let next = calendar.next(planned);
            prop_assert_eq!(known(next), Ok(by_chrono(&calendar, first, step)));
            let passed = by_chrono(&calendar, first, step) - planned;
            prop_assert!(passed as u64 >= calendar.least_seconds() || calendar.unit == 5);
            planned += passed;
        }
    }

    /// `part` of the way between two executions, both of them included.
    #[test]
    fn missed_executions_are_skipped_as_chrono_counts(
        (calendar, first) in rules_and_first(),
        step in 0u32..1_000,
        part in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
    ) {
        let [before, next, later] = [0, 1, 2].map(|more| by_chrono(&calendar, first, step + more));
        let now = before + ((next - before) as f64 * part) as i64;
        prop_assert_eq!(known(calendar.first_after(first, now)), Ok(if now == next { later } else { next }));
        prop_assert_eq!(known(calendar.first_from(first, now)), Ok(if now == before { before } else { next }));
    }

    #[test]
    fn skipping_is_what_the_steps_one_by_one_come_to((calendar, first) in rules_and_first(), ahead in -400i64..4_000) {
        let now = first + ahead * i64::from(calendar.every) * [1, DAY, 7 * DAY, DAY, DAY, DAY][usize::from(calendar.unit)] / 7;
        let mut planned = known(calendar.next(first));
        while planned.is_ok_and(|time| time <= now) {
            planned = planned.and_then(|time| known(calendar.next(time)));
        }
        prop_assert_eq!(known(calendar.first_after(first, now)), planned);
        let from = if first >= now { Ok(first) } else { known(calendar.first_after(first, now - 1)) };
        prop_assert_eq!(known(calendar.first_from(first, now)), from);
    }

    /// Dates, in minutes: the next one is the first that is later, and after the last one there is none.
    #[test]
    fn dates_follow_one_another(
        dates in proptest::collection::btree_set(1u32..200_000_000, 1..52),
        planned in 0..FIRST_TIME_TOO_LATE,
        now in 0..FIRST_TIME_TOO_LATE,
    ) {
        let dates: Vec<u32> = dates.into_iter().collect();
        let calendar = Calendar { unit: 6, every: 0, day: 0, dates: &dates };
        let times: Vec<i64> = dates.iter().map(|date| i64::from(*date) * 60).collect();
        let first_in = |from: i64| times.iter().copied().filter(|time| *time >= from).min().unwrap_or(NO_DATE);
        prop_assert_eq!(known(calendar.check(times[0])), Ok(()));
        prop_assert_eq!(known(calendar.check(times[0] + 60)), refused(InvalidCalendar));
        prop_assert_eq!(known(calendar.next(planned)), Ok(first_in(planned + 1)));
        prop_assert_eq!(known(calendar.first_after(planned, now)), Ok(first_in(planned.max(now) + 1)));
        prop_assert_eq!(known(calendar.first_from(planned, now)), Ok(if planned >= now { planned } else { first_in(now) }));
        prop_assert_eq!(known(calendar.first_from(NO_DATE, now)), Ok(first_in(now)));
        let least = times.windows(2).map(|pair| (pair[1] - pair[0]) as u64).min();
        prop_assert_eq!(calendar.least_seconds(), least.unwrap_or(u64::MAX));
        for (every, day) in [(1, 0), (0, 1)] {
            let also = Calendar { every, day, ..calendar };
            prop_assert_eq!(known(also.next(planned)), refused(InvalidCalendar));
        }
    }

    /// Whatever an account or a clock says: an answer or an error, and no answer before what was asked for.
    #[test]
    fn nothing_panics_or_runs_backwards(
        calendar in (any::<usize>().prop_map(|number| [0, 1, 2, 3, 4, 5, 7, 255][number % 8]), any::<u32>(), any::<u8>())
            .prop_map(|(unit, every, day)| rule(unit, every % 5_000, if unit == 3 { day % 40 } else { day / 250 })),
        planned in prop_oneof![any::<i64>(), 0..FIRST_TIME_TOO_LATE, i64::MAX - 100 * DAY..=i64::MAX],
        now in prop_oneof![any::<i64>(), 0..FIRST_TIME_TOO_LATE, i64::MAX - 100 * DAY..=i64::MAX],
    ) {
        let _ = calendar.check(planned);
        if let Ok(next) = calendar.next(planned) {
            prop_assert!(planned >= 0 && next > planned);
        }
        if let Ok(after) = calendar.first_after(planned, now) {
            // Also for a planned time that is not on the rule's day, a step is the least.
            prop_assert!(after > now && known(calendar.next(planned)).is_ok_and(|next| after >= next && next > planned));
        }
        if let Ok(from) = calendar.first_from(planned, now) {
            prop_assert!(from >= planned && from >= now);
        }
    }
}
