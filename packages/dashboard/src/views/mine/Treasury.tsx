import { Failure, readTreasury } from '@payouts/employer';
import { href } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import { isAddress } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useAttempt } from '../../book/useAttempt.ts';
import { chooseTreasury, chosenTreasury } from '../../employer/chosenTreasury.ts';
import { connectPage } from '../../employer/pageLedger.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Field } from './Fields.tsx';
import { OnLedger } from './OnLedger.tsx';
import { ActionTrouble } from './Trouble.tsx';
import { OfTreasury } from './treasury/OfTreasury.tsx';

/** For which treasury somebody acts, who its members are, and what waits for them. */
export const Treasury = () => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a>
    </p>
    <h1>Treasury</h1>
    <p>
      An employer can be a vault of a multisig of Squads v4. Its members propose, approve and execute what it does; no
      member alone can do any of it.
    </p>
    <SignedInOnly who="the wallet of a member">
      {() => (chosenTreasury.value === undefined ? <Choose /> : <Chosen />)}
    </SignedInOnly>
  </>
);

/** Which treasury it is, as the ledger has it. */
function Choose() {
  const time = useTime();
  const { isBusy, error, attempt } = useAttempt();
  const [multisig, setMultisig] = useState('');
  const [vault, setVault] = useState('0');
  const choose = (event: Event) => {
    event.preventDefault();
    attempt(async () => {
      const address = multisig.trim();
      if (!isAddress(address)) {
        throw new Failure('address-invalid', 'That is no address. Copy the multisig’s own from Squads’ app.');
      }
      const { vaultIndex, employer } = await readTreasury(await connectPage(time), address, Number(vault));
      chooseTreasury({ multisig: address, vaultIndex, employer });
    });
  };
  return (
    <form class="fields" onSubmit={choose}>
      <Field name="The multisig’s own address">
        <input
          required
          spellcheck={false}
          autocomplete="off"
          value={multisig}
          onInput={(event) => setMultisig(event.currentTarget.value)}
        />
      </Field>
      <Field name="Which of its vaults">
        <input
          type="number"
          required
          min="0"
          max="255"
          value={vault}
          onInput={(event) => setVault(event.currentTarget.value)}
        />
      </Field>
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          Act for this treasury
        </button>
        <span class="faint">This browser remembers it for your wallet.</span>
      </p>
      {error !== undefined && <ActionTrouble error={error} />}
    </form>
  );
}

const Chosen = () => (
  <>
    <OnLedger>{(acting) => acting.treasury && <OfTreasury acting={acting} treasury={acting.treasury} />}</OnLedger>
    <p class="actions">
      <button type="button" onClick={() => chooseTreasury(undefined)}>
        Stop acting for this treasury
      </button>
      <span class="faint">Nothing of it changes.</span>
    </p>
  </>
);
