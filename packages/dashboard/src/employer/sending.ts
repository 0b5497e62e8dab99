import type { HandedOut } from '@payouts/client';
import { checkMember, proposalSteps, proposeSteps, readTreasury, type Steps, type Treasury } from '@payouts/employer';
import type { PageBase } from '@payouts/pages/ledgers';
import { arrival, handOut, signAndSend, takeBack, withSignature } from '@payouts/pages/sending/handOut';
import { type SendStage, sendWithWallet } from '@payouts/pages/sending/send';
import { createNoopSigner, type Instruction } from '@solana/kit';
import type { Acting } from './acting.ts';

/** What is told while something is sent. */
type Say = (doing: string) => void;

/** How far a sending is, for whoever waits for it. */
const stageText = (stage: SendStage, wallet: string): string =>
  ({
    asking: `Confirm it in ${wallet}`,
    sending: 'Sending',
    landing: 'Sent. Waiting for the ledger',
    finality: 'On the ledger. Waiting until it is final',
    done: 'Final',
  })[stage];

/** Who signs an instruction is known by address alone: the wallet signs the whole transaction. */
const bySignerAddress = ({ accounts = [], ...rest }: Instruction): Instruction => ({
  ...rest,
  accounts: accounts.map((account) =>
    'signer' in account ? { address: account.address, role: account.role } : account,
  ),
});

/** Instructions of steps, without the signers that made them. */
const plain = (steps: Steps): Steps => steps.map((step) => step.map((each) => each.map(bySignerAddress)));

/** What is done to an account of the ledger, and what else tells it from others, in public words: by these it is known again after a reload. */
export type NamedAction = { readonly name: string; readonly of: string; readonly more?: readonly string[] };

/** What is sent: its steps, and what they do. */
export type Sent = { readonly steps: Steps; readonly action: NamedAction };

const BETWEEN = '\t';
/** An action as it is kept, and out of it. */
const actionText = ({ name, of, more = [] }: NamedAction): string => [name, of, ...more].join(BETWEEN);
export function actionFrom(text: string): NamedAction {
  const [name = '', of = '', ...more] = text.split(BETWEEN);
  return { name, of, more };
}

const PROPOSES = 'Propose: ';
/** An action as it is proposed to a treasury's members, in the place that it has among what is proposed with it. */
const proposalOf = ({ name, of, more = [] }: NamedAction, { employer }: Treasury, place: number): NamedAction => ({
  name: `${PROPOSES}${name}`,
  of,
  more: [...more, employer, String(place)],
});
/** Whether an action was proposed, and not done. */
export const isProposal = ({ name }: NamedAction): boolean => name.startsWith(PROPOSES);

/** Throws `Failure` not-member or role-refuses where whoever is signed in may not propose to the treasury that they act for. */
export function checkMayAct({ treasury, signer }: Acting): void {
  if (treasury !== undefined) checkMember(treasury, signer, 'initiate');
}

/** Has the wallet sign steps, and follows each until it is final. Of a treasury, it proposes them instead, and approves them where it may vote. */
export async function signHere(
  { ledgers, wallet, treasury }: Acting,
  { steps, action }: Sent,
  say: Say,
): Promise<void> {
  if (wallet === undefined) throw new Error('No wallet is connected.');
  const onStage = (stage: SendStage) => say(stageText(stage, wallet.name));
  const send = (own: Steps, named: NamedAction) =>
    sendWithWallet(ledgers, wallet, { steps: plain(own), action: actionText(named), onStage });
  if (treasury === undefined) {
    await send(steps, action);
    return;
  }
  const member = createNoopSigner(wallet.address);
  await proposeSteps(ledgers, treasury, { member, steps }, (own, place) =>
    send(own, proposalOf(action, treasury, place)),
  );
}

/** A transaction that is signed elsewhere, and what sends it once that is done. */
export type Elsewhere = {
  readonly wire: string;
  readonly send: (signed: string, say: Say) => Promise<void>;
  /** How it ended where whoever signs it last sends it, too. */
  readonly arrival: (abort: AbortSignal) => ReturnType<typeof arrival>;
};

/** Hands a transaction out to be signed elsewhere: by a hardware wallet, another machine. Of a treasury's member: one that proposes it. */
export async function signElsewhere(acting: Acting, { steps, action }: Sent): Promise<Elsewhere> {
  const { ledgers, signer, treasury } = acting;
  if (treasury === undefined) {
    return elsewhere(ledgers, await handOut(ledgers, plain(steps).flat(2), signer), actionText(action));
  }
  const now = await readTreasury(ledgers, treasury.multisig, treasury.vaultIndex);
  const { steps: own } = await proposalSteps(now, createNoopSigner(signer), steps.flat(2));
  // A vote that doesn't fit into it is cast among what waits.
  const [[proposes = []] = []] = plain(own);
  return elsewhere(ledgers, await handOut(ledgers, proposes, signer), actionText(proposalOf(action, now, 0)));
}

/** The same once the wallet here has signed: somebody else signs, too. */
export async function signFirst(acting: Acting, { steps, action }: Sent, say: Say): Promise<Elsewhere> {
  const { ledgers, signer, wallet } = acting;
  if (wallet === undefined) throw new Error('No wallet is connected.');
  const handedOut = await handOut(ledgers, plain(steps).flat(2), signer);
  say(stageText('asking', wallet.name));
  return elsewhere(ledgers, await withSignature(ledgers, wallet, handedOut), actionText(action));
}

/** Signs what somebody else has made and signed, and sends it. */
export async function signLast(
  { ledgers, wallet }: Acting,
  text: string,
  action: NamedAction,
  say: Say,
): Promise<void> {
  if (wallet === undefined) throw new Error('No wallet is connected.');
  const onStage = (stage: SendStage) => say(stageText(stage, wallet.name));
  await signAndSend(ledgers, wallet, text, { action: actionText(action), onStage });
}

const elsewhere = (ledgers: PageBase, handedOut: HandedOut, action: string): Elsewhere => ({
  wire: handedOut.wire,
  send: async (signed, say) => {
    const onStage = (stage: SendStage) => say(stageText(stage, 'the wallet elsewhere'));
    await takeBack(ledgers, handedOut, signed, { action, onStage });
  },
  arrival: (abort) => arrival(ledgers, handedOut, abort),
});
