use super::{Counter, Header, Pool, Recovery, Slot, State, tail_mut};
use crate::{
    accounts, amount,
    context::Account,
    errors::Failure,
    events::{Event, StandingOrderSet, TransferPlanned, WithdrawalPlanned, WithdrawalRequested},
    hash::Hash,
};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// What a recipient has asked of a private balance, an ephemeral account of the execution layer that is made when it is first needed.
    /// Withdrawals under way follow.
    #[account(kind = 13, size = 312, withdrawals)]
    #[seeds(b"personal", mint: Address, nonce: [u8; 16])]
    pub struct Personal {
        pub header: Header,
        /// 1: a withdrawal has its number, and is to be paid. Whoever pays withdrawals looks for this byte and the two behind it.
        pub numbered: u8,
        /// 1: a withdrawal waits for its release.
        pub waits: u8,
        /// 1: a standing order, parts that stand ready, or delivery to the recipient's own wallet.
        pub watched: u8,
        /// 1: all of the balance goes to the recipient's own wallet unasked.
        pub delivery: u8,
        /// The balance's place in its page.
        pub slot: u8,
        pub mint: Address,
        /// Of the slot.
        pub owner: Hash,
        pub recipient: Address,
        /// Where the balance is.
        pub page: Address,
        /// Base units of the withdrawals that wait for their release, which are part of the balance still.
        pub waiting: u64,
        /// Number of the next withdrawal among this balance's own, from 1.
        pub next_id: u32,
        /// Minutes between which the release of a standing order's withdrawal is drawn.
        pub order_delay_min: u16,
        pub order_delay_max: u16,
        /// The standing order takes tokens out when what is available reaches this, base units; 0: no order.
        pub order_threshold: u64,
        pub order_wallet: Address,
        /// What each withdrawal of the order takes, base units; 0: everything.
        pub order_part: u64,
        #[flatten(recovery)]
        pub recovery: Recovery,
        /// Follows from a secret of its page and the account's number, so that its recipient finds it, nobody else can send lamports to its
        /// address ahead, and nobody takes it for a former one of the same balance.
        pub nonce: [u8; 16],
        /// Unix seconds at which it was made.
        pub made_at: i64,
        /// 1: a private transfer waits. Whoever makes them looks for it.
        pub pays: u8,
        pub reserved: [u8; 7],
    }
}

/// A withdrawal under way, or a private transfer that waits.
#[repr(C)]
pub struct Withdrawing {
    /// The public one; 0 while it waits for its release.
    pub number: u64,
    /// Base units; 0: this place is free.
    pub amount: u64,
    /// Of a transfer: the payment code.
    pub wallet: Address,
    /// Unix seconds: without a number, of the release; with one, from which it may be issued to the base.
    pub due_at: i64,
    /// Its number among this balance's own.
    pub id: u32,
    /// 1: it leaves in a round, before `due_at` as well. 2: it stands ready, and is begun once the balance has as much.
    pub in_round: u16,
    /// 1: it is a private transfer, which gets no number and leaves by no wallet.
    pub to_code: u16,
}

impl Withdrawing {
    pub const IN_ROUND: u16 = 1;
    pub const STANDS: u16 = 2;

    /// Nothing waits for its release by it yet, and none of the balance is its.
    pub fn stands(&self) -> bool {
        self.in_round == Self::STANDS
    }
}

const _: () = assert!(size_of::<Withdrawing>() == 64);

/// A withdrawal that is to be begun.
pub struct Plan {
    /// Base units.
    pub amount: u64,
    pub wallet: Address,
    /// Unix seconds of its release; 0: at once.
    pub due_at: i64,
    /// It leaves in a round, at `due_at` the latest.
    pub in_round: bool,
}

/// A balance, and what gives withdrawals their numbers.
pub struct Source<'a> {
    pub slot: &'a mut Slot,
    pub counter: &'a mut Counter,
    pub pool: &'a Pool,
}

impl Personal {
    /// Withdrawals that may be under way at a time, at most.
    pub const MOST: u8 = 16;

    /// Bytes of an account for so many withdrawals at a time.
    pub fn size(withdrawals: u8) -> usize {
        size_of::<Personal>().wrapping_add(usize::from(withdrawals).wrapping_mul(size_of::<Withdrawing>()))
    }

    /// What of the balance nothing waits for, base units.
    pub fn available(&self, slot: &Slot) -> u64 {
        slot.amount.saturating_sub(self.waiting)
    }

    /// A withdrawal of this balance can be paid to the wallet.
    pub fn check_wallet(&self, wallet: &Address, program_id: &Address) -> Result<(), Failure> {
        check_wallet(wallet, &self.mint, program_id)
    }

    /// All are of this balance's token.
    pub fn check_token(&self, counter: &Counter, pool: &Pool) -> Result<(), Failure> {
        if pool.mint == self.mint && counter.mint == self.mint { Ok(()) } else { Err(Failure::InvalidAccount) }
    }
}

/// A withdrawal of the token can be paid to the wallet: it is somebody's, and not the pool that would pay it.
#[inline(never)]
pub fn check_wallet(wallet: &Address, mint: &Address, program_id: &Address) -> Result<(), Failure> {
    let (pool, _) = accounts::find(&Pool::seeds(mint.as_ref()), program_id)?;
    if wallet == &Address::default() || wallet == &pool {
        return Err(Failure::InvalidWallet);
    }
    Ok(())
}

impl Account<Personal> {
    fn under_way(&mut self) -> &mut [Withdrawing] {
        // SAFETY: taken as a personal account, and the reference to its tail lives as long as the one to the account.
        let bytes = unsafe { tail_mut::<Personal>(&mut self.view) };
        let (places, _) = bytes.as_chunks_mut::<{ size_of::<Withdrawing>() }>();
        // SAFETY: as many bytes each as a withdrawal has, aligned to 8 behind a head of 312; every bit pattern is valid.
        unsafe { core::slice::from_raw_parts_mut(places.as_mut_ptr().cast(), places.len()) }
    }

    /// The withdrawal that has this number among the balance's own.
    pub fn withdrawal(&mut self, id: u32) -> Result<&mut Withdrawing, Failure> {
        let mut all = self.under_way().iter_mut();
        all.find(|one| one.amount != 0 && one.id == id).ok_or(Failure::NoWithdrawalPending)
    }

    /// Whether nothing is under way or stands.
    pub fn is_idle(&mut self) -> bool {
        self.watched == 0 && !self.recovery.is_named() && self.under_way().iter().all(|one| one.amount == 0)
    }

    /// Notes whether something is to leave. To be called after every change.
    pub fn note(&mut self) {
        let (mut numbered, mut waits, mut stands, mut pays) = (false, false, false, false);
        for one in self.under_way().iter().filter(|one| one.amount != 0) {
            match (one.number, one.stands()) {
                (0, true) => stands = true,
                (0, false) => waits = true,
                _ => numbered = true,
            }
            pays |= one.to_code != 0;
        }
        (self.numbered, self.waits, self.pays) = (u8::from(numbered), u8::from(waits), u8::from(pays));
        self.watched = u8::from(self.order_threshold != 0 || self.delivery != 0 || stands);
    }

    /// Begins a withdrawal, and releases it where it waits for no time. Nothing leaves the balance before it has its number.
    pub fn withdraw(&mut self, source: &mut Source, plan: Plan) -> Result<(), Failure> {
        source.counter.check_kept(source.pool)?;
        let Plan { amount, wallet, due_at, in_round } = plan;
        let waiting =
            Withdrawing { number: 0, amount, wallet, due_at, id: 0, in_round: u16::from(in_round), to_code: 0 };
        let id = self.plan(source.slot, waiting)?;
        if due_at == 0 {
            return self.release(source, id);
        }
        self.note();
        WithdrawalPlanned {}.emit();
        Ok(())
    }

    /// Begins a private transfer to a payment code, which the execution authority makes. Nothing leaves the balance before that.
    pub fn transfer(&mut self, slot: &Slot, amount: u64, code: &Hash) -> Result<(), Failure> {
        let wallet = Address::new_from_array(*code);
        self.plan(slot, Withdrawing { number: 0, amount, wallet, due_at: 0, id: 0, in_round: 0, to_code: 1 })?;
        self.note();
        TransferPlanned {}.emit();
        Ok(())
    }

    /// Has something wait which is covered by what is available; returns its number among the balance's own. Not noted yet.
    fn plan(&mut self, slot: &Slot, waiting: Withdrawing) -> Result<u32, Failure> {
        let amount = waiting.amount;
        if amount > self.available(slot) {
            return Err(Failure::InsufficientBalance);
        }
        let id = self.place(waiting)?;
        amount::add(&mut self.waiting, amount)?;
        Ok(id)
    }

    /// Puts something into a place that is free, under the next number among the balance's own, and returns that.
    fn place(&mut self, one: Withdrawing) -> Result<u32, Failure> {
        if one.amount == 0 {
            return Err(Failure::ZeroAmount);
        }
        let id = self.next_id;
        let place = self.under_way().iter_mut().find(|one| one.amount == 0).ok_or(Failure::TooManyWithdrawals)?;
        *place = Withdrawing { id, ..one };
        self.next_id = id.checked_add(1).ok_or(Failure::Overflow)?;
        Ok(id)
    }

    /// The withdrawal to a wallet that has this number among the balance's own.
    pub fn wallet_bound(&mut self, id: u32) -> Result<&mut Withdrawing, Failure> {
        let one = self.withdrawal(id)?;
        if one.to_code == 0 { Ok(one) } else { Err(Failure::WrongWay) }
    }

    /// How many parts wait for a round.
    pub fn parts_waiting(&mut self) -> usize {
        self.under_way().iter().filter(|one| one.number == 0 && one.in_round == Withdrawing::IN_ROUND).count()
    }

    /// Has a part stand ready: it takes nothing of the balance before it is begun.
    pub fn stand(&mut self, amount: u64, wallet: Address) -> Result<(), Failure> {
        let in_round = Withdrawing::STANDS;
        self.place(Withdrawing { number: 0, amount, wallet, due_at: 0, id: 0, in_round, to_code: 0 })?;
        self.note();
        StandingOrderSet {}.emit();
        Ok(())
    }

    /// Has a part that stood ready wait for its round, if the balance has as much.
    pub fn begin(&mut self, source: &Source, id: u32, due_at: i64) -> Result<(), Failure> {
        source.counter.check_kept(source.pool)?;
        let available = self.available(source.slot);
        let one = self.wallet_bound(id)?;
        if one.amount > available {
            return Err(Failure::OrderNotDue);
        }
        (one.due_at, one.in_round) = (due_at, Withdrawing::IN_ROUND);
        let amount = one.amount;
        amount::add(&mut self.waiting, amount)?;
        self.note();
        WithdrawalPlanned {}.emit();
        Ok(())
    }

    /// Releases a withdrawal that waits. Numbers are public in the end, so one is given only now: it says nothing of when the withdrawal
    /// was asked for.
    pub fn release(&mut self, Source { slot, counter, pool }: &mut Source, id: u32) -> Result<(), Failure> {
        let one = self.withdrawal(id)?;
        let number = counter.take_number(pool, one.amount)?;
        (one.number, one.due_at) = (number, 0);
        let amount = one.amount;
        amount::sub(&mut slot.amount, amount)?;
        amount::sub(&mut self.waiting, amount)?;
        self.note();
        WithdrawalRequested { number }.emit();
        Ok(())
    }

    /// Everything that is in the balance, and what comes, goes to the wallet of whoever recovers it: by a standing order, which leaves
    /// nothing behind. What has its number is paid there too, unless the base has paid it already.
    pub fn hand_over(&mut self, wallet: &Address, (delay_min, delay_max): (u16, u16)) {
        for one in self.under_way().iter_mut().filter(|one| one.amount != 0) {
            if one.number == 0 {
                // SAFETY: every bit pattern is one.
                *one = unsafe { core::mem::zeroed() };
            } else {
                one.wallet = *wallet;
            }
        }
        self.waiting = 0;
        self.order_threshold = 1;
        self.order_wallet = *wallet;
        self.order_part = 0;
        self.order_delay_min = delay_min;
        self.order_delay_max = delay_max;
        self.note();
    }

    /// A withdrawal is not under way any more.
    pub fn end(&mut self, id: u32) -> Result<(), Failure> {
        let one = self.withdrawal(id)?;
        let waited = if one.number == 0 && !one.stands() { one.amount } else { 0 };
        // SAFETY: every bit pattern is one.
        *one = unsafe { core::mem::zeroed() };
        amount::sub(&mut self.waiting, waited)?;
        self.note();
        Ok(())
    }
}
