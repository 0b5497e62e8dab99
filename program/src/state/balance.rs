use super::{Counter, Header, Pool, State};
use crate::{
    amount,
    errors::Failure,
    events::{Event, Kind},
};
use pinocchio::{AccountView, Address};

/// A recipient's private balance of one token, an ephemeral account of the execution layer. PDA `["balance", balance_seed]`.
#[repr(C)]
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
}

const _: () = assert!(size_of::<Balance>() == 192);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Balance {
    const KIND: u8 = 5;
}

impl Balance {
    pub const SEED: &'static [u8] = b"balance";

    /// Writes a new account, whose bytes are zero: only what isn't. `entry` begins with the recipient.
    #[inline(always)]
    pub fn begin<'a>(
        account: &'a mut AccountView,
        bump: u8,
        mint: &Address,
        entry: &[u8],
    ) -> Result<&'a mut Self, Failure> {
        let recipient = entry.first_chunk::<32>().ok_or(Failure::InvalidData)?;
        if account.data_len() != size_of::<Balance>() {
            return Err(Failure::InvalidAccount);
        }
        // SAFETY: the length was checked, and any bytes are a balance; nothing else refers to the account.
        let balance = unsafe { &mut *account.data_mut_ptr().cast::<Balance>() };
        balance.header = Header::new::<Balance>(bump);
        balance.mint = *mint;
        balance.recipient = Address::new_from_array(*recipient);
        Ok(balance)
    }

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

    /// Begins a withdrawal that is released at `due_at` (0: at once). Nothing leaves the balance before it has its number.
    pub fn plan_withdrawal(&mut self, withdrawal: u64, wallet: Address, due_at: i64) -> Result<(), Failure> {
        if withdrawal == 0 {
            return Err(Failure::ZeroAmount);
        }
        if withdrawal > self.amount {
            return Err(Failure::InsufficientBalance);
        }
        self.pending_amount = withdrawal;
        self.pending_wallet = wallet;
        self.due_at = due_at;
        self.note();
        Ok(())
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
        Event::new(Kind::WithdrawalRequested).u64(number).emit();
        Ok(())
    }
}
