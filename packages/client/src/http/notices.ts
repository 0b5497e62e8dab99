import type { Address } from '@solana/kit';

/** Sends the coordinator a request that somebody has signed, and gives its answer. */
export type SignedSend = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<T>;

/** What somebody wants to be told of, by e-mail or in a chat. */
export type NoticeWish = {
  /** An e-mail address, or the https address of a chat's webhook. */
  readonly address: string;
  /** What the chat takes; Slack's form if left out. */
  readonly format?: 'slack' | 'discord' | 'teams';
  /** A schedule of theirs, of which they are told as its employer; left out: of their own money as a recipient. */
  readonly schedulePda?: Address;
  /** This schedule alone, or all of its vault. */
  readonly scope?: 'schedule' | 'vault';
  /** All if left out. */
  readonly types?: readonly string[];
  /** Whether amounts are said, and which payroll; not if left out. */
  readonly details?: 'none' | 'amounts';
};

/** A notice as the coordinator shows it to whose it is. */
export type NoticeJson = {
  readonly id: string;
  readonly address: string;
  /** Null: by e-mail. */
  readonly format: 'slack' | 'discord' | 'teams' | null;
  /** Null: of a recipient's own money. */
  readonly vault: string | null;
  /** Null: all schedules of the vault. */
  readonly schedulePda: string | null;
  readonly types: readonly string[];
  readonly details: 'none' | 'amounts';
  /** Unconfirmed: the code that was sent to the address is waited for. */
  readonly state: 'unconfirmed' | 'active' | 'failing' | 'disabled';
};

const STANDING: Readonly<Record<NoticeJson['state'], string>> = {
  unconfirmed: 'waits for the code that was sent there',
  active: 'gets messages',
  failing: 'gets messages, but the last one did not arrive',
  disabled: 'gets no messages: the address is not there, or nothing arrived for three days',
};

/** How a notice stands, in words that are read behind its address. */
export const noticeStanding = ({ state }: Pick<NoticeJson, 'state'>): string => STANDING[state];

const NOTICES = '/api/notices';
const pathOf = (id: string) => `${NOTICES}/${encodeURIComponent(id)}`;

/** Has somebody told; to an e-mail address a code is sent first. Throws what `send` throws, as all of these do. */
export const addNotice = (send: SignedSend, wish: NoticeWish): Promise<NoticeJson> =>
  send<NoticeJson>('POST', NOTICES, wish);

/** Confirms an e-mail address with the code that was sent to it. */
export const confirmNotice = (send: SignedSend, id: string, code: string): Promise<NoticeJson> =>
  send<NoticeJson>('POST', `${pathOf(id)}/code`, { code });

/** The notices of whoever signs, oldest first. */
export async function listNotices(send: SignedSend): Promise<readonly NoticeJson[]> {
  return (await send<{ readonly notices: readonly NoticeJson[] }>('GET', NOTICES)).notices;
}

/** Forgets a notice, and where it goes, at once; returns it as it was. */
export const removeNotice = (send: SignedSend, id: string): Promise<NoticeJson> =>
  send<NoticeJson>('DELETE', pathOf(id));

/** What adding a notice will do. */
export const noticeEffects = ({ address, schedulePda, scope, types, details }: NoticeWish): string[] => {
  const payrolls = scope === 'vault' ? 'all payrolls of the vault' : 'this payroll';
  const of = schedulePda === undefined ? 'your own money' : payrolls;
  return [
    `Tells ${address} of ${of}: ${types?.join(', ') ?? 'everything'}.`,
    details === 'amounts' ? 'Says amounts, which whoever carries the message can read.' : 'Says no amount and no name.',
  ];
};
