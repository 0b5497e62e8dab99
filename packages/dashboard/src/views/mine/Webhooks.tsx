import { shortAddress, tokenText } from '@payouts/pages/format/amount';
import { Empty } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import type { Schedule } from '../../api/types.ts';
import { tokenOf } from '../../format/token.ts';
import { calendarText } from '../../format/words.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Loaded } from '../../parts/Trouble.tsx';
import { useOwnPayrolls } from './ownPayrolls.ts';
import { People } from './webhooks/People.tsx';
import { WebhooksOf } from './webhooks/WebhooksOf.tsx';

/** Who is told what becomes of an employer's pay runs; of `schedule` first, if it is given. */
export const Webhooks = ({ schedule }: { readonly schedule: string | undefined }) => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a>
    </p>
    <h1>Webhooks</h1>
    <p>
      A program of yours is told when a pay run opens, waits, ends, is late or lacks money. Each message is signed, and
      names nobody.
    </p>
    <SignedInOnly who="the wallet that owns the payroll">
      {(wallet) => <Own wallet={wallet} first={schedule} />}
    </SignedInOnly>
  </>
);

function Own({ wallet, first }: { readonly wallet: string; readonly first: string | undefined }) {
  const own = useOwnPayrolls(wallet);
  const [chosen, setChosen] = useState(first);
  return (
    <Loaded of={own} what="your payrolls">
      {(payrolls) => {
        const schedule = payrolls.find(({ schedulePda }) => schedulePda === chosen) ?? payrolls[0];
        if (schedule === undefined) {
          return <Empty title="This wallet owns no payroll here, so there is nothing to be told of." />;
        }
        const { schedulePda } = schedule;
        return (
          <>
            <Choice payrolls={payrolls} chosen={schedulePda} onChoose={setChosen} />
            <WebhooksOf key={schedulePda} schedule={schedulePda as Address} />
            <People key={`people ${schedulePda}`} schedule={schedule} />
          </>
        );
      }}
    </Loaded>
  );
}

type ChoiceProps = {
  readonly payrolls: readonly Schedule[];
  readonly chosen: string;
  readonly onChoose: (schedule: string) => void;
};

const Choice = ({ payrolls, chosen, onChoose }: ChoiceProps) => (
  <p class="fields">
    <label>
      Payroll
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {payrolls.map((payroll) => (
          <option key={payroll.schedulePda} value={payroll.schedulePda}>
            {tokenText(payroll.amountPerExecution, tokenOf(payroll))} {calendarText(payroll.calendar)},{' '}
            {shortAddress(payroll.schedulePda)}
          </option>
        ))}
      </select>
    </label>
  </p>
);
