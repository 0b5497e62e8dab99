//! One file per instruction: accounts, data, checks, effects, in this order.

pub mod claim_payment;
pub mod commit;
pub mod confirm_withdrawal;
pub mod create_schedule;
pub mod delegate_schedule;
pub mod deposit;
pub mod init_config;
pub mod init_counter;
pub mod init_pool;
pub mod init_vault;
pub mod pay_out;
pub mod request_withdrawal;
pub mod settle;
pub mod undelegation_callback;
pub mod withdraw;
