import type { OwnedBalance } from '@payouts/cli';
import {
  addressFromBytes,
  getPersonalDecoder,
  type Ledgers,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERSONAL_KIND,
  type PersonalShown,
  type Withdrawing,
} from '@payouts/client';

/** What has been asked of a balance, and where that stands, as a layer without read permissions shows it to everybody; undefined: nothing. */
export async function personalSeen(
  { layer }: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<PersonalShown | undefined> {
  const owner = addressFromBytes(ownerRecord(balance).owner);
  const found = await layer.getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64' }).send();
  return found
    .map(({ pubkey: address, account }) => ({ address, bytes: Buffer.from(account.data[0], 'base64') }))
    .filter(({ bytes }) => bytes[0] === PERSONAL_KIND)
    .map(({ address, bytes }) => ({ address, ...getPersonalDecoder().decode(bytes) }))
    .find((each) => each.mint === balance.mint && addressFromBytes(Uint8Array.from(each.owner)) === owner);
}

/** The withdrawals of a balance that are under way, in the order in which they were asked for; on such a layer. */
export async function underWay(
  ledgers: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<readonly Withdrawing[]> {
  const all = (await personalSeen(ledgers, balance))?.withdrawals ?? [];
  return all.filter(({ amount }) => amount !== 0n).sort((one, other) => one.id - other.id);
}
