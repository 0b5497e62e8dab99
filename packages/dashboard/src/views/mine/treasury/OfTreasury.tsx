import {
  describedProposal,
  readTreasury,
  roleHolders,
  sol,
  type Treasury,
  votesNeeded,
  waitingProposals,
} from '@payouts/employer';
import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { useResource } from '../../../api/resource.ts';
import type { Acting } from '../../../employer/acting.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { Members } from './Members.tsx';
import { Waiting } from './Waiting.tsx';

/** Members propose and vote without an event of the coordinator's. */
const EVERY_MS = 5_000;

type Props = { readonly acting: Acting; readonly treasury: Treasury };

/** A treasury as it is now on the ledger, with what waits for its members. */
async function look({ ledgers }: Acting, { multisig, vaultIndex }: Treasury) {
  const treasury = await readTreasury(ledgers, multisig, vaultIndex);
  const { employer } = treasury;
  const [holders, waiting, { value: lamports }] = await Promise.all([
    roleHolders(ledgers, employer, treasury),
    waitingProposals(ledgers, treasury),
    ledgers.base.getBalance(employer).send(),
  ]);
  const described = await Promise.all(waiting.map((each) => describedProposal({ ledgers, treasury }, each)));
  return { treasury, holders, lamports, waiting: described };
}

/** What a treasury has and by whom it decides, and what waits for them. */
export function OfTreasury({ acting, treasury }: Props) {
  const found = useResource(`treasury ${treasury.employer}`, () => look(acting, treasury), {
    concerns: () => false,
    every: EVERY_MS,
  });
  return (
    <Loaded of={found} what="the treasury">
      {({ treasury: now, holders, lamports, waiting }) => (
        <>
          <Facts>
            <Fact name="Employer, which gets tokens and SOL">
              <Address address={now.employer} copy what="treasury’s address" />
            </Fact>
            <Fact name="Multisig">
              vault {now.vaultIndex} of <Address address={now.multisig} copy what="multisig’s address" />
            </Fact>
            <Fact name="For rent and fees">{sol(lamports)} SOL</Fact>
            <Fact name="Threshold">{votesNeeded(now)}</Fact>
            <Fact name="Time lock">{now.state.timeLock === 0 ? 'none' : countText(now.state.timeLock, 'second')}</Fact>
          </Facts>
          <Waiting acting={acting} treasury={now} waiting={waiting} onDecided={found.refresh} />
          <Members acting={acting} holders={holders} onProposed={found.refresh} />
        </>
      )}
    </Loaded>
  );
}
