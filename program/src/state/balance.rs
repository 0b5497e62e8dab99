use super::{Counter, Header, Pool, State};
use crate::{
    amount,
    errors::Failure,
    events::{Event, WithdrawalPlanned, WithdrawalRequested},
};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// A recipient's private balance of one token, an ephemeral account of the execution layer.
    #[account(kind = 5, size = 208)]
    #[seeds(b"balance", balance_seed: Hash)]
    pub struct Balance {
        pub header: Header,
        /// 1: something is to leave now, 2: a withdrawal at `due_at`, or a delivery with those that wait (see `note`); whoever pays
        /// withdrawals looks for this byte.
        pub attention: u8,
        /// Minutes between which the release of a standing order's withdrawal is drawn.
        pub order_delay_min: u16,
        pub order_delay_max: u16,
        /// Base units, without a withdrawal that has its number.
        pub amount: u64,
        pub mint: Address,
        pub recipient: Address,
        /// Number of the withdrawal under way; 0 when there is none, or it waits for its release.
        pub pending_number: u64,
        /// Base units; 0 when no withdrawal is under way. Part of `amount` until it has its number.
        pub pending_amount: u64,
        pub pending_wallet: Address,
        /// Unix seconds: without a number, of the release (0: at once); with one, from which it may be issued to the base.
        pub due_at: i64,
        /// Part of `amount` that goes to the recipient's own wallet unasked, base units.
        pub deliver: u64,
        /// The standing order takes tokens out when `amount` reaches this, base units; 0: no order.
        pub order_threshold: u64,
        pub order_wallet: Address,
        /// What each withdrawal of the order takes, base units; 0: everything.
        pub order_part: u64,
        /// Of the leaves that pay into it: with `mint` and `recipient` it is what the address derives from.
        pub salt: [u8; 16],
    }
}

/// A withdrawal that is to be begun.
pub struct Plan {
    /// Base units.
    pub amount: u64,
    pub wallet: Address,
    /// Unix seconds of its release; 0: at once.
    pub due_at: i64,
}

impl Balance {
    /// Whether the standing order is to be carried out.
    pub fn is_order_due(&self) -> bool {
        self.order_threshold != 0 && self.amount >= self.order_threshold
    }

    /// Whether the withdrawal under way has no number yet.
    pub fn is_waiting(&self) -> bool {
        self.pending_number == 0 && self.pending_amount != 0
    }

    /// Notes whether something is to leave. To be called after every change. A delivery that left as it was claimed would show by its
    /// time whose claims these were.
    #[inline(always)]
    pub fn note(&mut self) {
        let waits = self.is_waiting() && self.due_at != 0;
        let leaves_now = !waits && (self.pending_amount != 0 || self.is_order_due());
        self.attention = match (leaves_now, waits || self.deliver != 0) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        };
    }

    /// Nothing leaves the balance before the withdrawal has its number.
    fn plan_withdrawal(&mut self, &Plan { amount, wallet, due_at }: &Plan) -> Result<(), Failure> {
        if amount == 0 {
            return Err(Failure::ZeroAmount);
        }
        if amount > self.amount {
            return Err(Failure::InsufficientBalance);
        }
        self.pending_amount = amount;
        self.pending_wallet = wallet;
        self.due_at = due_at;
        self.note();
        Ok(())
    }

    /// Begins a withdrawal, and releases it where it waits for no time.
    pub fn withdraw(&mut self, counter: &mut Counter, pool: &Pool, plan: Plan) -> Result<(), Failure> {
        counter.check_kept(pool)?;
        self.plan_withdrawal(&plan)?;
        if plan.due_at == 0 {
            return self.release_withdrawal(counter, pool);
        }
        WithdrawalPlanned {}.emit();
        Ok(())
    }

    /// Everything that is in the balance, and what comes, goes to the wallet of whoever recovers it: by a standing order, which leaves
    /// nothing behind. What has its number is paid there too, unless the base has paid it already.
    pub fn hand_over(&mut self, wallet: &Address, (delay_min, delay_max): (u16, u16)) {
        if self.is_waiting() {
            self.end_withdrawal();
        } else if self.pending_number != 0 {
            self.pending_wallet = *wallet;
        }
        self.order_threshold = 1;
        self.order_wallet = *wallet;
        self.order_part = 0;
        self.order_delay_min = delay_min;
        self.order_delay_max = delay_max;
        self.note();
    }

    /// No withdrawal is under way any more.
    pub fn end_withdrawal(&mut self) {
        self.pending_number = 0;
        self.pending_amount = 0;
        self.pending_wallet = Address::default();
        self.due_at = 0;
        self.note();
    }

    /// A withdrawal can be paid to the wallet: it is somebody's, and not the pool that would pay it.
    #[inline(never)]
    pub fn check_wallet(&self, wallet: &Address, program_id: &Address) -> Result<(), Failure> {
        let pool = Address::try_find_program_address(&Pool::seeds(self.mint.as_ref()), program_id);
        if wallet == &Address::default() || pool.is_some_and(|(pool, _)| &pool == wallet) {
            return Err(Failure::InvalidWallet);
        }
        Ok(())
    }

    /// Both are of this balance's token.
    pub fn check_token(&self, counter: &Counter, pool: &Pool) -> Result<(), Failure> {
        if pool.mint == self.mint && counter.mint == self.mint { Ok(()) } else { Err(Failure::InvalidAccount) }
    }

    /// Releases the withdrawal under way. Numbers are public in the end, so one is given only now: it says nothing of when the
    /// withdrawal was asked for.
    pub fn release_withdrawal(&mut self, counter: &mut Counter, pool: &Pool) -> Result<(), Failure> {
        let number = counter.take_number(pool, self.pending_amount)?;
        amount::sub(&mut self.amount, self.pending_amount)?;
        self.deliver = self.deliver.min(self.amount);
        self.pending_number = number;
        self.due_at = 0;
        self.note();
        WithdrawalRequested { number }.emit();
        Ok(())
    }
}
