import {
  type Decision,
  type DescribedProposal,
  decisionOn,
  type GivenList,
  givenLists,
  type ProposalEffect,
  readTreasury,
  schedulesPromised,
  standingText,
  type Treasury,
} from '@payouts/employer';
import { shortAddress } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import { createNoopSigner } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import { type Acting, asThemselves } from '../../../employer/acting.ts';
import { useDesk } from '../../../employer/useDesk.ts';
import { inPayRuns } from '../../../format/words.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { ActionDialog, type AskedAction } from '../ActionDialog.tsx';
import { ProvenList } from '../ProvenList.tsx';
import { ActionTrouble } from '../Trouble.tsx';

type Props = {
  readonly acting: Acting;
  readonly treasury: Treasury;
  readonly waiting: readonly DescribedProposal[];
  readonly onDecided: () => void;
};

/** A member's decision on a proposal. */
type Asked = AskedAction & { readonly decision: Decision; readonly about: DescribedProposal };

const NAMES: Readonly<Record<Decision, string>> = { approve: 'Approve', reject: 'Reject', execute: 'Execute' };
const DONE: Readonly<Record<Decision, string>> = { approve: 'Approved.', reject: 'Rejected.', execute: 'Executed.' };

/** What waits for a treasury's members, and what the wallet here decides of it. */
export function Waiting({ acting, treasury, waiting, onDecided }: Props) {
  const [asked, setAsked] = useState<Asked>();
  const [promised, setPromised] = useState<readonly string[]>([]);
  const ask = (decision: Decision, about: DescribedProposal) => {
    const { index } = about.proposal;
    const plan = () => planned(acting, treasury, index, decision);
    setAsked({ decision, about, name: `${NAMES[decision]} transaction ${index}`, plan });
  };
  const done = () => {
    if (asked?.decision === 'execute') setPromised(schedulesPromised(asked.about.proposal));
    onDecided();
  };
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waits for members</h2>
      {promised.length > 0 && <ListsMissing schedules={promised} />}
      {waiting.length === 0 && <Empty title="Nothing waits for the treasury’s members." />}
      {waiting.length > 1 && <p>What was proposed together is executed in the order of its numbers.</p>}
      {waiting.toReversed().map((each) => (
        <One
          key={`${treasury.multisig} ${each.proposal.index}`}
          acting={acting}
          treasury={treasury}
          found={each}
          onAsk={(decision) => ask(decision, each)}
        />
      ))}
      <ActionDialog acting={asThemselves(acting)} action={asked} onDone={done} onClose={() => setAsked(undefined)} />
    </section>
  );
}

/** What a decision does, against the ledger as it is now. */
async function planned(
  { ledgers, signer }: Acting,
  { multisig, vaultIndex }: Treasury,
  index: bigint,
  decision: Decision,
) {
  const treasury = await readTreasury(ledgers, multisig, vaultIndex);
  const { proposal, effects, steps } = await decisionOn({ ledgers, treasury }, index, {
    member: createNoopSigner(signer),
    decision,
  });
  return {
    warnings: effects.flatMap(({ sentence, isWarning }) => (isWarning ? [sentence] : [])),
    effects: [
      ...effects.flatMap(({ sentence, isWarning }) => (isWarning ? [] : [sentence])),
      `Its vote is ${standingText(treasury, proposal.vote)}.`,
    ],
    plan: { treasury: multisig },
    steps,
    done: DONE[decision],
    result: {},
  };
}

type OneProps = Pick<Props, 'acting' | 'treasury'> & {
  readonly found: DescribedProposal;
  readonly onAsk: (decision: Decision) => void;
};

/** What a transaction would do, read from the bytes that the treasury would sign, and how the vote on it stands. */
function One({ acting, treasury, found: { proposal, effects }, onAsk }: OneProps) {
  const [isLookedAt, setLookedAt] = useState(false);
  const { index, creator, vote } = proposal;
  const id = `transaction-${index}`;
  const decisions: readonly Decision[] = vote?.status === 'active' ? ['approve', 'reject', 'execute'] : ['execute'];
  const { timeLock } = treasury.state;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>Transaction {index.toString()}</h3>
      {effects.map((effect) => (
        <Effect key={effect.sentence} effect={effect} />
      ))}
      <Facts>
        <Fact name="Vote">{standingText(treasury, vote)}</Fact>
        <Fact name="Proposed by">
          <Address address={creator} copy />
        </Fact>
        {vote?.status === 'approved' && timeLock > 0 && (
          <Fact name="May be executed from">
            <Time at={(Number(vote.since) + timeLock) * 1_000} />
          </Fact>
        )}
      </Facts>
      {isLookedAt && <TheirLists acting={acting} proposal={proposal} />}
      <p class="actions">
        {schedulesPromised(proposal).length > 0 && (
          <button type="button" aria-label={`See whom it pays, transaction ${index}`} onClick={() => setLookedAt(true)}>
            See whom it pays
          </button>
        )}
        {decisions.map((decision) => (
          <button
            key={decision}
            type="button"
            aria-label={`${NAMES[decision]} transaction ${index}`}
            onClick={() => onAsk(decision)}
          >
            {NAMES[decision]}
          </button>
        ))}
      </p>
    </section>
  );
}

/** Whom the lists of a transaction pay, by what its proposer has given to members. */
function TheirLists({ acting: { ledgers }, proposal }: Pick<Props, 'acting'> & Pick<DescribedProposal, 'proposal'>) {
  const given = useResource(`lists ${proposal.index}`, () => givenLists(ledgers, proposal), { concerns: () => false });
  if (given.error !== undefined) return <ActionTrouble error={given.error} />;
  return (
    <Loaded of={given} what="the lists">
      {(lists) => lists.map((each) => <TheirList key={each.address} given={each} />)}
    </Loaded>
  );
}

function TheirList({ given }: { readonly given: GivenList }) {
  const desk = useDesk();
  if (desk === undefined) return null;
  return (
    <ProvenList
      desk={desk}
      terms={given}
      hint="Whoever proposed it gives you a file that says who is paid what. It is proven here to be the list of this transaction."
    />
  );
}

/** What a call does; loudly where it is no employer's, or money goes to somebody else. */
const Effect = ({ effect: { sentence, isWarning } }: { readonly effect: ProposalEffect }) =>
  isWarning ? <Notice kind="bad" title={sentence} /> : <p class="break">{inPayRuns(sentence)}</p>;

/** The coordinator takes a list once the ledger promises it. */
const ListsMissing = ({ schedules }: { readonly schedules: readonly string[] }) => (
  <Notice kind="warn" title="The coordinator has not the list yet, and pays nobody by it.">
    Whoever proposed it has a copy, and opens it on the payroll’s page:{' '}
    {schedules.map((schedule) => (
      <a key={schedule} href={href(`mine/${schedule}`)}>
        {shortAddress(schedule)}
      </a>
    ))}
  </Notice>
);
