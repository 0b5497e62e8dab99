//! When a schedule's windows are due, all in UTC: docs/internals/ledger-program.md, Calendar. By a rule that the program reckons with, or on
//! dates that the employer has signed: holidays, time zones and days that move are the employer's matter.
//!
//! Months are counted from March of the year 0, so that a leap day is the last day of its year: `first_day` and `month_of` are
//! days_from_civil and civil_from_days of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
//! (<https://howardhinnant.github.io/date_algorithms.html>), for days from 1970 on and without a month's name.
//!
//! Nothing wraps although it is written so: times are below 2^63 and a step has at most a hundred years, so every sum and
//! product stays below 2^64. Only the way back to i64 can fail.

use crate::errors::Failure;

/// What a schedule's executions are counted in.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum CalendarUnit {
    Seconds = 0,
    Days = 1,
    Weeks = 2,
    MonthsOnDay = 3,
    MonthsLastDay = 4,
    MonthsLastBusinessDay = 5,
    Dates = 6,
}

const SECONDS: u8 = CalendarUnit::Seconds as u8;
const DAYS: u8 = CalendarUnit::Days as u8;
const WEEKS: u8 = CalendarUnit::Weeks as u8;
const MONTHS_ON_DAY: u8 = CalendarUnit::MonthsOnDay as u8;
const MONTHS_LAST_DAY: u8 = CalendarUnit::MonthsLastDay as u8;
const MONTHS_LAST_BUSINESS_DAY: u8 = CalendarUnit::MonthsLastBusinessDay as u8;
pub const DATES: u8 = CalendarUnit::Dates as u8;

const DAY: u64 = 86_400;
const WEEK: u64 = 604_800;
/// The shortest month there is.
const LEAST_MONTH: u64 = 28 * DAY;
/// A hundred years with 25 leap days.
const LONGEST_STEP: u64 = 36_525 * DAY;
const MOST_MONTHS: u64 = 1_200;
/// 2401-01-01T00:00:00Z.
const FIRST_TIME_TOO_LATE: i64 = 13_601_088_000;
/// The next execution of a schedule whose dates have all been: unix seconds that no execution has.
pub const NO_DATE: i64 = FIRST_TIME_TOO_LATE;
/// Seconds of what dates are counted in.
const MINUTE: i64 = 60;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: u64 = 719_468;

/// Every `every` units; `day` is the day of the month for months on a day, else 0. Or the dates, in minutes since 1970, one after the other;
/// then both are 0. `unit`: a `CalendarUnit`, or what is refused.
#[derive(Clone, Copy, Debug)]
pub struct Calendar<'a> {
    pub unit: u8,
    pub every: u32,
    pub day: u8,
    pub dates: &'a [u32],
}

/// What lies between two executions.
enum Step {
    Seconds(u64),
    Months(u64),
    /// The next date.
    Date,
}

/// A date's time, unix seconds.
pub fn time_of(date: u32) -> i64 {
    i64::from(date).wrapping_mul(MINUTE)
}

impl Calendar<'_> {
    /// Whether the rule is one, and `first` a time on one of its days.
    pub fn check(&self, first: i64) -> Result<(), Failure> {
        let step = self.step()?;
        if first <= 0 || first >= FIRST_TIME_TOO_LATE {
            return Err(Failure::InvalidCalendar);
        }
        let day = seconds(first)? / DAY;
        let is_on_day = match step {
            Step::Seconds(_) => true,
            Step::Months(_) => self.day_in(month_of(day)) == day,
            Step::Date => self.dates.first().is_some_and(|date| time_of(*date) == first),
        };
        if is_on_day { Ok(()) } else { Err(Failure::InvalidCalendar) }
    }

    /// The least time between two executions, with 28 days for a month; nothing for a unit that there isn't.
    pub fn least_seconds(&self) -> u64 {
        if self.unit == DATES {
            let gaps = self.dates.windows(2).map(|pair| match pair {
                [one, next] => time_of(*next).saturating_sub(time_of(*one)),
                _ => 0,
            });
            // A single date is at no distance from another.
            return gaps.min().map_or(u64::MAX, |gap| u64::try_from(gap).unwrap_or(0));
        }
        let unit = match self.unit {
            SECONDS => 1,
            DAYS => DAY,
            WEEKS => WEEK,
            MONTHS_ON_DAY..=MONTHS_LAST_BUSINESS_DAY => LEAST_MONTH,
            _ => 0,
        };
        u64::from(self.every).wrapping_mul(unit)
    }

    /// The execution after `planned`.
    pub fn next(&self, planned: i64) -> Result<i64, Failure> {
        let after = planned;
        let planned = seconds(planned)?;
        time(match self.step()? {
            Step::Date => return Ok(self.date_after(after)),
            Step::Seconds(step) => planned.wrapping_add(step),
            Step::Months(step) => self.in_month(month_of(planned / DAY).wrapping_add(step), planned),
        })
    }

    /// The first execution strictly after `now`, and at least one step after `planned`, from which it is counted.
    pub fn first_after(&self, planned: i64, now: i64) -> Result<i64, Failure> {
        if now <= planned {
            return self.next(planned);
        }
        let after = now;
        let (planned, now) = (seconds(planned)?, seconds(now)?);
        time(match self.step()? {
            Step::Date => return Ok(self.date_after(after)),
            Step::Seconds(step) => planned.wrapping_add(steps(now.wrapping_sub(planned), step)?).wrapping_add(step),
            Step::Months(step) => {
                let month = month_of(planned / DAY);
                let passed = steps(month_of(now / DAY).wrapping_sub(month), step)?;
                // The last execution whose month has begun; the one after it has a later month than now.
                let candidate = self.in_month(month.wrapping_add(passed), planned);
                if passed > 0 && candidate > now {
                    candidate
                } else {
                    self.in_month(month.wrapping_add(passed).wrapping_add(step), planned)
                }
            }
        })
    }

    /// `planned` if it is not before `now`, else the first execution that isn't.
    pub fn first_from(&self, planned: i64, now: i64) -> Result<i64, Failure> {
        if self.unit == DATES && planned == NO_DATE {
            return Ok(self.date_after(now.saturating_sub(1)));
        }
        if planned >= now { Ok(planned) } else { self.first_after(planned, now.saturating_sub(1)) }
    }

    /// The first date after a time, unix seconds; `NO_DATE` if there is none.
    fn date_after(&self, time: i64) -> i64 {
        self.dates.iter().map(|date| time_of(*date)).find(|date| *date > time).unwrap_or(NO_DATE)
    }

    /// The step of a valid rule. Accounts hold no other, but what is read there is no reason to overflow.
    fn step(&self) -> Result<Step, Failure> {
        let day_fits = if self.unit == MONTHS_ON_DAY { matches!(self.day, 1..=31) } else { self.day == 0 };
        if self.unit == DATES {
            return if self.every == 0 && self.day == 0 { Ok(Step::Date) } else { Err(Failure::InvalidCalendar) };
        }
        let every = u64::from(self.every);
        let step = match self.unit {
            SECONDS | DAYS | WEEKS => Step::Seconds(self.least_seconds()),
            MONTHS_ON_DAY | MONTHS_LAST_DAY | MONTHS_LAST_BUSINESS_DAY => Step::Months(every),
            _ => return Err(Failure::InvalidCalendar),
        };
        let short = match step {
            Step::Seconds(length) => length <= LONGEST_STEP,
            Step::Months(count) => count <= MOST_MONTHS,
            Step::Date => true,
        };
        if day_fits && every > 0 && short { Ok(step) } else { Err(Failure::InvalidCalendar) }
    }

    /// The rule's time in `month`, at the time of day of `planned`.
    fn in_month(&self, month: u64, planned: u64) -> u64 {
        self.day_in(month).wrapping_mul(DAY).wrapping_add(planned % DAY)
    }

    /// The rule's day in `month`, in days since 1970. Not inlined, like `month_of`: a copy for each caller makes the program 3 kB
    /// larger to save ten compute units.
    #[inline(never)]
    fn day_in(&self, month: u64) -> u64 {
        let last = first_day(month.wrapping_add(1)).wrapping_sub(1);
        match self.unit {
            MONTHS_ON_DAY => last.min(first_day(month).wrapping_add(u64::from(self.day)).wrapping_sub(1)),
            // 1970-01-01 was a Thursday: 0 is here a Saturday, 1 a Sunday.
            MONTHS_LAST_BUSINESS_DAY => match last.wrapping_add(5) % 7 {
                0 => last.wrapping_sub(1),
                1 => last.wrapping_sub(2),
                _ => last,
            },
            _ => last,
        }
    }
}

/// `passed`, rounded down to whole steps.
fn steps(passed: u64, step: u64) -> Result<u64, Failure> {
    let rest = passed.checked_rem(step).ok_or(Failure::InvalidCalendar)?;
    Ok(passed.wrapping_sub(rest))
}

/// A time without its sign.
fn seconds(time: i64) -> Result<u64, Failure> {
    u64::try_from(time).map_err(|_| Failure::InvalidCalendar)
}

/// The way back: `Overflow` for what lies beyond the last time there is.
fn time(seconds: u64) -> Result<i64, Failure> {
    i64::try_from(seconds).map_err(|_| Failure::Overflow)
}

/// The month in which `day` lies, counted from March of the year 0.
#[inline(never)]
fn month_of(day: u64) -> u64 {
    let day = day.wrapping_add(DAYS_TO_1970);
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = of_era.wrapping_sub(of_era / 1_460).wrapping_add(of_era / 36_524).wrapping_sub(of_era / 146_096) / 365;
    let of_year = of_era.wrapping_sub(days_before(year));
    let month = of_year.wrapping_mul(5).wrapping_add(2) / 153;
    era.wrapping_mul(400).wrapping_add(year).wrapping_mul(12).wrapping_add(month)
}

/// A date's day, in days since 1970; nothing for what is no date from 1970 on. The month is counted from January, 1.
pub fn day_of(year: u64, month: u64, day: u64) -> Option<u64> {
    if year < 1_970 || !matches!(month, 1..=12) {
        return None;
    }
    let month = year.wrapping_mul(12).wrapping_add(month).wrapping_sub(3);
    let date = first_day(month).wrapping_add(day).wrapping_sub(1);
    (day > 0 && date < first_day(month.wrapping_add(1))).then_some(date)
}

/// The first day of `month` (as `month_of` counts it), in days since 1970.
fn first_day(month: u64) -> u64 {
    let of_year = (month % 12).wrapping_mul(153).wrapping_add(2) / 5;
    days_before(month / 12).wrapping_add(of_year).wrapping_sub(DAYS_TO_1970)
}

/// Days of the `year` years from 0000-03-01 on.
fn days_before(year: u64) -> u64 {
    year.wrapping_mul(365).wrapping_add(year / 4).wrapping_sub(year / 100).wrapping_add(year / 400)
}
