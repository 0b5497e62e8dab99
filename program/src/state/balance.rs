use super::{Header, State};
use crate::{accounts, amount, errors::Failure};
use pinocchio::{AccountView, Address, ProgramResult};

/// A recipient's private balance of one token, an ephemeral account of the execution layer. PDA `["balance", balance_seed]`.
#[repr(C)]
pub struct Balance {
    pub header: Header,
    /// 1: something is to leave (see `note`); whoever pays withdrawals looks for this byte.
    pub attention: u8,
    pub reserved_head: [u8; 4],
    /// Base units, without a withdrawal under way.
    pub amount: u64,
    pub mint: Address,
    pub recipient: Address,
    /// Number of the withdrawal under way; 0 when there is none.
    pub pending_number: u64,
    pub pending_amount: u64,
    pub pending_wallet: Address,
    /// Unix seconds of the last issue to the base; 0 when it was not issued yet.
    pub issued_at: i64,
    /// Part of `amount` that goes to the recipient's own wallet unasked, base units.
    pub deliver: u64,
    /// The standing order takes all out when `amount` reaches this, base units; 0: no order.
    pub order_threshold: u64,
    pub order_wallet: Address,
    pub reserved: [u8; 8],
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

    /// The signer is the recipient whose balance this is.
    pub fn check_recipient(&self, recipient: &AccountView) -> ProgramResult {
        accounts::signer(recipient)?;
        if recipient.address() == &self.recipient { Ok(()) } else { Err(Failure::NotRecipient.into()) }
    }

    /// Whether the standing order is to be carried out.
    pub fn is_order_due(&self) -> bool {
        self.order_threshold != 0 && self.amount >= self.order_threshold
    }

    /// Notes whether something is to leave. To be called after every change.
    #[inline(always)]
    pub fn note(&mut self) {
        self.attention = u8::from(self.pending_number != 0 || self.deliver != 0 || self.is_order_due());
    }

    /// Moves an amount to a withdrawal under way.
    pub fn start_withdrawal(&mut self, number: u64, withdrawal: u64, wallet: Address) -> Result<(), Failure> {
        if withdrawal == 0 {
            return Err(Failure::ZeroAmount);
        }
        if withdrawal > self.amount {
            return Err(Failure::InsufficientBalance);
        }
        amount::sub(&mut self.amount, withdrawal)?;
        self.deliver = self.deliver.min(self.amount);
        self.pending_number = number;
        self.pending_amount = withdrawal;
        self.pending_wallet = wallet;
        self.issued_at = 0;
        self.note();
        Ok(())
    }
}
