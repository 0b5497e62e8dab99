/** A patch that takes just one guard out of the source: text that stands once in a file below program/src. */
export interface Mutant {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** What stops an attempt, and the program without it. Without any: more than one check stops it, so that none can be missed. */
export const GUARDS = {
  several: undefined,
  'loan comes back': { file: 'state/schedule.rs', find: 'Ok(lent.min(batch', replace: 'Ok(lent.min(0).min(batch' },
  'fee once a recipient': {
    file: 'state/schedule.rs',
    find: 'let charged = new_recipients.min(self.prepaid_recipients);',
    replace: 'let charged = new_recipients;',
  },
  'fees of an open window': {
    file: 'state/schedule.rs',
    find: 'let of_open = if self.is_open() {',
    replace: 'let of_open = if false && self.is_open() {',
  },
  'opening fee': {
    file: 'instructions/delegate_schedule.rs',
    find: 'schedule.use_prepaid_openings(lacking)?',
    replace: 'schedule.use_prepaid_openings(lacking.min(0))?',
  },
  'most fees': {
    file: 'instructions/create_schedule.rs',
    find: 'prepay(payer)? > terms.max_fees {',
    replace: 'prepay(payer)? > terms.max_fees && false {',
  },
  'least opening': {
    file: 'instructions/pay_out.rs',
    find: '&& amount < pool.least_opening {',
    replace: '&& false && amount < pool.least_opening {',
  },
  'both keys for openings': {
    file: 'instructions/set_least_opening.rs',
    find: 'config.check_guardian(&guardian)?;',
    replace: '',
  },
  employer: {
    file: 'state/vault.rs',
    find: 'if employer.address() != &self.employer {',
    replace: 'if false && employer.address() != &self.employer {',
  },
  'own role': {
    file: 'instructions/set_role.rs',
    find: 'if is_there || !is_given {',
    replace: 'if !is_there && !is_given {',
  },
  approver: { file: 'state/approval.rs', find: 'approver.address() == &self.approver', replace: 'true' },
  authority: {
    file: 'state/config.rs',
    find: 'if authority.address() != &self.execution_authority {',
    replace: 'if false && authority.address() != &self.execution_authority {',
  },
  governance: {
    file: 'state/config.rs',
    find: 'if governance.address() == &self.governance {',
    replace: 'if true || governance.address() == &self.governance {',
  },
  guardian: {
    file: 'state/config.rs',
    find: 'if guardian.address() == &self.guardian {',
    replace: 'if true || guardian.address() == &self.guardian {',
  },
  recipient: {
    file: 'authority.rs',
    find: 'if self.signer.address() == owner {',
    replace: 'if true || self.signer.address() == owner {',
  },
  'present recovery wallet': {
    file: 'authority.rs',
    find: 'self.check_as(&wallet, Failure::NotRecoveryWallet)',
    replace: 'Ok(())',
  },
  'time to refuse': {
    file: 'state/recovery.rs',
    find: 'due_at if now < due_at => Err(Failure::RecoveryNotDue),',
    replace: 'due_at if false && now < due_at => Err(Failure::RecoveryNotDue),',
  },
  'recovery that was asked for': {
    file: 'state/recovery.rs',
    find: '0 => Err(Failure::NoRecoveryUnderWay),',
    replace: '0 => Ok(()),',
  },
  'recovery wallets change slowly': {
    file: 'state/recovery.rs',
    find: 'if self.wallet == NOBODY {',
    replace: 'if true || self.wallet == NOBODY {',
  },
  'recovery outlives a change': {
    file: 'state/recovery.rs',
    find: 'if self.due_at == 0 && self.next_since',
    replace: 'if self.next_since',
  },
  'recovery asked for once': {
    file: 'state/recovery.rs',
    find: 'if self.due_at != 0 {',
    replace: 'if false && self.due_at != 0 {',
  },
  'lapse of an authorisation': {
    file: 'authority.rs',
    find: 'if Clock::get()?.unix_timestamp > expires_at {',
    replace: 'if false && Clock::get()?.unix_timestamp > expires_at {',
  },
  'words of a signature': {
    file: 'authority.rs',
    find: '&& self.begins(terms);',
    replace: ';',
  },
  'one page of a number': {
    file: 'instructions/open_bitmap.rs',
    find: 'if batch.bitmap_pages & made != 0 {',
    replace: 'if false && batch.bitmap_pages & made != 0 {',
  },
  'bits of the list': {
    file: 'instructions/open_bitmap.rs',
    find: 'if page_number >= BitmapPage::count(recipients) {',
    replace: 'if false && page_number >= BitmapPage::count(recipients) {',
  },
  'bits of who is held back': {
    file: 'instructions/open_bitmap.rs',
    find: 'if index / BitmapPage::BITS == page_number {',
    replace: 'if false && index / BitmapPage::BITS == page_number {',
  },
  'bits of the schedule': {
    file: 'state/bitmap_page.rs',
    find: 'let is_its = self.schedule == batch.schedule && ',
    replace: 'let is_its = ',
  },
  'bits of the window': { file: 'state/bitmap_page.rs', find: ' && self.window == batch.window', replace: '' },
  'bits of the range': { file: 'state/bitmap_page.rs', find: ' && self.number == number;', replace: ';' },
  'range in one page': {
    file: 'instructions/claim_payment.rs',
    find: 'if data.entries.len().saturating_add(first as usize) > BitmapPage::BITS as usize {',
    replace: 'if false && data.entries.len().saturating_add(first as usize) > BitmapPage::BITS as usize {',
  },
  'all pages of the bitmap': {
    file: 'instructions/commit.rs',
    find: 'if views.len() != batch.bitmap_pages.count_ones() as usize {',
    replace: 'if false && views.len() != batch.bitmap_pages.count_ones() as usize {',
  },
  'order of the pages': {
    file: 'instructions/commit.rs',
    find: 'if pages.last().is_some_and(',
    replace: 'if false && pages.last().is_some_and(',
  },
  'one account a balance': {
    file: 'state/balance_page.rs',
    find: 'if *noted & IS_THERE != 0 {',
    replace: 'if false && *noted & IS_THERE != 0 {',
  },
  'permission of the closing': {
    file: 'permission.rs',
    find: 'check_address(permission, account)?;',
    replace: '',
  },
  'page of the wiping': {
    file: 'instructions/wipe_personal.rs',
    find: 'accounts::is(&page.view, &personal.page)?;',
    replace: '',
  },
  'slot of the owner': {
    file: 'instructions/claim_payment.rs',
    find: 'if slot.owner != NO_OWNER {',
    replace: 'if false && slot.owner != NO_OWNER {',
  },
  'least claims': {
    file: 'state/config.rs',
    find: 'CLAIMS.contains(&self.max_claims)',
    replace: '(1..=1_100).contains(&self.max_claims)',
  },
  'owner who is somebody': {
    file: 'instructions/claim_payment.rs',
    find: 'if entry.owner == NO_OWNER {',
    replace: 'if false && entry.owner == NO_OWNER {',
  },
  'page of the token': {
    file: 'instructions/claim_payment.rs',
    find: 'if page.mint != batch.mint {',
    replace: 'if false && page.mint != batch.mint {',
  },
  'page that was asked for': {
    file: 'instructions/open_pages.rs',
    find: 'if page.mint != batch.mint || &page.nonce != nonce {',
    replace: 'if false && page.mint != batch.mint {',
  },
  'open batch': {
    file: 'state/batch.rs',
    find: 'if self.phase == BatchPhase::Open { Ok(()) }',
    replace: 'if true || self.phase == BatchPhase::Open { Ok(()) }',
  },
  'rent of the batch': {
    file: 'instructions/fund_counter.rs',
    find: ' || batch.view.lamports() < layer::least_to_pay(&batch.view, lamports)?',
    replace: '',
  },
  'counter of the token': {
    file: 'instructions/fund_counter.rs',
    find: 'if batch.mint != counter.mint || ',
    replace: 'if ',
  },
  'owner of the slot': {
    file: 'state/balance_page.rs',
    find: 'if &found.owner == owner { Ok(found) }',
    replace: 'if true || &found.owner == owner { Ok(found) }',
  },
  'opened by its recipient': {
    file: 'instructions/open_personal.rs',
    find: 'if config.check_authority(&signer).is_err() {',
    replace: 'if false && config.check_authority(&signer).is_err() {',
  },
  'reader that is named': {
    file: 'instructions/open_personal.rs',
    find: 'accounts::is(&execution_authority, &config.execution_authority)?;',
    replace: '',
  },
  'private from the first moment': {
    file: 'instructions/open_personal.rs',
    find: 'permissions.check_set(&permission)',
    replace: 'Ok(())',
  },
  'room for withdrawals': {
    file: 'instructions/open_personal.rs',
    find: ' || withdrawals > Personal::MOST',
    replace: '',
  },
  'nothing left in the account': {
    file: 'instructions/wipe_personal.rs',
    find: 'if !personal.is_idle() {',
    replace: 'if false && !personal.is_idle() {',
  },
  'counter that paid': {
    file: 'instructions/close_personal.rs',
    find: 'if counter.mint != wiped.mint {',
    replace: 'if false && counter.mint != wiped.mint {',
  },
  'age of what is wiped': {
    file: 'instructions/wipe_personal.rs',
    find: 'check_unread(personal.made_at, now)?;',
    replace: '',
  },
  'time between wiping and closing': {
    file: 'instructions/close_personal.rs',
    find: 'check_unread(wiped.wiped_at, now()?)?;',
    replace: '',
  },
  'signature of the reader': {
    file: 'instructions/show_balance.rs',
    find: 'authority::check_reader(&instructions_sysvar, &recipient, program_id, &owner)?;',
    replace: '',
  },
  'signature of who asked': {
    file: 'instructions/show_personal.rs',
    find: 'authority::check_reader(&instructions_sysvar, &personal.recipient, program_id, &personal.owner)?;',
    replace: '',
  },
  'number of the account': {
    file: 'state/balance_page.rs',
    find: 'if number == 0 || number >= IS_THERE {',
    replace: 'if false && number >= IS_THERE {',
  },
  'page of the account': {
    file: 'instructions/request_withdrawal.rs',
    find: 'accounts::is(&page.view, &personal.page)?;',
    replace: '',
  },
  'what the others leave': {
    file: 'state/personal.rs',
    find: 'if amount > self.available(slot) {',
    replace: 'if false && amount > self.available(slot) {',
  },
  'money for what stands ready': {
    file: 'state/personal.rs',
    find: 'if one.amount > available {',
    replace: 'if false && one.amount > available {',
  },
  'time of release': {
    file: 'instructions/execute_order.rs',
    find: 'if now < withdrawal.due_at && !leaves {',
    replace: 'if false && now < withdrawal.due_at && !leaves {',
  },
  'somebody to deliver to': {
    file: 'instructions/open_personal.rs',
    find: 'check_wallet(&recipient, &mint, program_id)?;',
    replace: '',
  },
  'nothing leaves unasked': {
    file: 'instructions/execute_order.rs',
    find: '} else if personal.delivery != 0 && available != 0 {',
    replace: '} else if available != 0 {',
  },
  'not what the base has paid': {
    file: 'instructions/redeem.rs',
    find: 'if number != 0 && is_paid(',
    replace: 'if false && is_paid(',
  },
  'upgrade authority': {
    file: 'instructions/init_config.rs',
    find: 'named != Some(upgrade_authority.address().as_ref())',
    replace: 'false && named.is_none()',
  },
  'named successor': {
    file: 'instructions/accept_governance.rs',
    find: '|| pending_governance.address() != &config.pending_governance',
    replace: '',
  },
  'either key revokes': {
    file: 'state/config.rs',
    find: 'if key.address() == &self.governance || key.address() == &self.guardian {',
    replace: 'if true || key.address() == &self.governance {',
  },
  'recorded leaf': {
    file: 'liabilities.rs',
    find: 'self.hashes)? != pool.liabilities_root',
    replace: 'self.hashes)? != pool.liabilities_root && false',
  },
  'paid at most the recipients': { file: 'instructions/settle.rs', find: '|| paid_count > payable', replace: '' },
  'deadline of the base': {
    file: 'instructions/settle.rs',
    find: 'if paid_count < payable && !is_over {',
    replace: 'if false && paid_count < payable && !is_over {',
  },
  'window of the recording': {
    file: 'instructions/settle.rs',
    find: 'if schedule.window_opening > of_all.pool.recorded_openings {',
    replace: 'if false && schedule.window_opening > of_all.pool.recorded_openings {',
  },
  'paid as recorded': {
    file: 'instructions/settle.rs',
    find: 'if settlement.paid == paid {',
    replace: 'if true || settlement.paid == paid {',
  },
  'returned is owed no more': {
    file: 'instructions/settle.rs',
    find: 'self.pool.take_recorded(returned)?;',
    replace: '',
  },
  'window of the batch': { file: 'instructions/settle.rs', find: 'if &batch.window != number || ', replace: 'if ' },
  'recorded withdrawal': {
    file: 'withdrawal.rs',
    find: 'Ok(root) if root == pool.withdrawals_root => Ok(()),',
    replace: 'Ok(root) if true || root == pool.withdrawals_root => Ok(()),',
  },
  'marked once': {
    file: 'numbers.rs',
    find: 'if bitmap::is_set(marks, bit) {',
    replace: 'if false && bitmap::is_set(marks, bit) {',
  },
  'pinned sender': {
    file: 'instructions/pay_out.rs',
    find: 'first.is_signer() && &first.key == validator',
    replace: 'first.is_signer() && (true || &first.key == validator)',
  },
  'proof of the list': {
    file: 'instructions/claim_payment.rs',
    find: 'proof)? != batch.root {',
    replace: 'proof)? != batch.root && false {',
  },
  due: {
    file: 'instructions/delegate_schedule.rs',
    find: 'if now < schedule.due_at() {',
    replace: 'if false && now < schedule.due_at() {',
  },
  'number of the window': {
    file: 'instructions/delegate_schedule.rs',
    find: 'if schedule.window != data.window {',
    replace: 'if false && schedule.window != data.window {',
  },
  active: {
    file: 'instructions/delegate_schedule.rs',
    find: 'if schedule.status != ScheduleStatus::Active ||',
    replace: 'if false && schedule.status != ScheduleStatus::Active ||',
  },
  'commit in time': {
    file: 'instructions/commit.rs',
    find: 'if now()? < deadline {',
    replace: 'if false && now()? < deadline {',
  },
  'windows kept': {
    file: 'state/schedule.rs',
    find: 'let wanted = u32::from(self.kept).min(',
    replace: 'let wanted = 255u32.min(',
  },
  'reserve of its own': {
    file: 'state/schedule.rs',
    find: 'self.kept_reserved.checked_sub(1).ok_or(Failure::InsufficientReserve)?',
    replace: 'self.kept_reserved.saturating_sub(1)',
  },
  'nothing during a pause': {
    file: 'instructions/reserve_windows.rs',
    find: 'if schedule.status != ScheduleStatus::Active {',
    replace: 'if false && schedule.status != ScheduleStatus::Active {',
  },
  available: {
    file: 'instructions/withdraw.rs',
    find: 'if amount > vault.available()? {',
    replace: 'if false && amount > vault.available()? {',
  },
  'limit of the approval': {
    file: 'instructions/withdraw.rs',
    find: 'if !vault.spend_alone(amount, amount, now()?) {',
    replace: 'if false && !vault.spend_alone(amount, amount, now()?) {',
  },
  'policy before closing': {
    file: 'instructions/close_vault.rs',
    find: 'if vault.approval != 0 {',
    replace: 'if false && vault.approval != 0 {',
  },
  'closed when idle': {
    file: 'instructions/close_schedule.rs',
    find: 'if !schedule.has_ended() || schedule.is_open() {',
    replace: 'if !schedule.has_ended() {',
  },
  'total of the root': {
    file: 'liabilities.rs',
    find: 'if self.total != known ||',
    replace: 'if false && self.total != known ||',
  },
  'next sequence': {
    file: 'liabilities.rs',
    find: 'if Some(self.sequence) != pool.sequence.checked_add(1) {',
    replace: 'if false && Some(self.sequence) != pool.sequence.checked_add(1) {',
  },
  'covered is known': {
    file: 'liabilities.rs',
    find: 'if !self.covers_what_is_known(pool) {',
    replace: 'if false && !self.covers_what_is_known(pool) {',
  },
  'frozen at the declaration': {
    file: 'state/config.rs',
    find: 'if self.loss_declared_at == 0 {',
    replace: 'if true || self.loss_declared_at == 0 {',
  },
  'lost before redeeming': {
    file: 'state/config.rs',
    find: 'if self.is_lost(Clock::get()?.unix_timestamp) { Ok(()) }',
    replace: 'if true || self.is_lost(Clock::get()?.unix_timestamp) { Ok(()) }',
  },
  'validator of the pool': {
    file: 'instructions/pay_out.rs',
    find: 'is_sent_by(&self.pool.validator,',
    replace: 'is_sent_by(&self.config.validator,',
  },
  'version of the list': {
    file: 'state/schedule.rs',
    find: 'if self.root_version == named { Ok(()) }',
    replace: 'if true || self.root_version == named { Ok(()) }',
  },
  'openings apart': {
    file: 'instructions/delegate_schedule.rs',
    find: 'schedule.space_openings(now);',
    replace: '',
  },
  'no first execution long past': {
    file: 'instructions/create_schedule.rs',
    find: 'if self.first_execution < now.saturating_sub(LATEST) {',
    replace: 'if false && self.first_execution < now.saturating_sub(LATEST) {',
  },
  'token on the whitelist': {
    file: 'instructions/create_schedule.rs',
    find: 'Listed { entry: &mint_entry, subject: &vault.mint, is_asked, program_id }.check()?;',
    replace: '',
  },
  'authority in public': {
    file: 'instructions/accept_authority.rs',
    find: 'if now()? < config.authority_from {',
    replace: 'if false && now()? < config.authority_from {',
  },
  'proposed authority': {
    file: 'instructions/accept_authority.rs',
    find: 'if pending_authority.address() != &config.pending_authority {',
    replace: 'if false && pending_authority.address() != &config.pending_authority {',
  },
  suspended: {
    file: 'state/config.rs',
    find: 'if self.suspended_until != 0 && ',
    replace: 'if false && self.suspended_until != 0 && ',
  },
  'suspension now and then': {
    file: 'instructions/suspend.rs',
    find: 'if now < from {',
    replace: 'if false && now < from {',
  },
  'replacement in public': {
    file: 'instructions/accept_replacement.rs',
    find: 'if now()? < from {',
    replace: 'if false && now()? < from {',
  },
  'proposed replacement': {
    file: 'instructions/accept_replacement.rs',
    find: 'if key == Address::default() || !(is_guardian || key == config.next_governance) {',
    replace: 'if key == Address::default() {',
  },
  'one key never both': {
    file: 'instructions/accept_replacement.rs',
    find: 'if key == config.governance || key == config.guardian {',
    replace: 'if false && key == config.governance {',
  },
  'what a replaced key began ends': {
    file: 'state/config.rs',
    find: 'self.pending_governance = Address::default();',
    replace: '',
  },
  'silence of the layer': {
    file: 'instructions/declare_loss_alone.rs',
    find: 'if now < silent_from || ',
    replace: 'if ',
  },
  'batch still away': {
    file: 'instructions/declare_loss_alone.rs',
    find: ' || !batch.owned_by(&DelegationProgram::ADDRESS)',
    replace: '',
  },
  'revocation now and then': {
    file: 'instructions/revoke_loss.rs',
    find: 'if now < from {',
    replace: 'if false && now < from {',
  },
  'limit of a day': { file: 'state/vault.rs', find: ' && spent <= self.daily_limit', replace: '' },
  'named windows': {
    file: 'instructions/approve_schedule.rs',
    find: '&& self.windows ==',
    replace: '&& true || self.windows ==',
  },
  'surplus alone': {
    file: 'instructions/book_surplus.rs',
    find: '?.saturating_sub(booked);',
    replace: '?;',
  },
} as const satisfies Record<string, Mutant | undefined>;

export type GuardName = keyof typeof GUARDS;
