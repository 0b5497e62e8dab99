import { Lookup } from '../parts/Lookup.tsx';

/** For whoever is here for the first time. */
export const About = () => (
  <>
    <h1>Recurring payouts, without publishing who gets what</h1>
    <p class="lead">
      Employers lock tokens in a vault on a public ledger and promise a schedule. This coordinator pays each due window
      through a private execution layer: everybody can check that everybody is paid, and nobody sees who or how much.
    </p>
    <PublicAndPrivate />
    <Begin />
    <section aria-labelledby="words">
      <h2 id="words">Words</h2>
      <dl class="words">
        {WORDS.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  </>
);

const WORDS = [
  ['Vault', 'An employer’s balance of one token. What is promised is reserved; the rest is available.'],
  ['Schedule', 'A recurring payout: how many recipients, how much in all, when.'],
  ['Window', 'One due execution of a schedule, numbered from 0. It is paid at most once, whatever happens.'],
  ['Run', 'What the coordinator did about one window: its stages are delegate, claim and commit.'],
  ['On hold', 'A window that does not open until something is fixed, such as too little money in the vault.'],
  ['Needs attention', 'A run that has used up its retries. An operator can resume it; nobody is paid twice.'],
] as const;

export const PublicAndPrivate = () => (
  <section class="sides" aria-label="What is public and what is private">
    <div>
      <h2>Public, also on the ledger</h2>
      <p>
        Vault and schedule addresses, number of recipients, amount per execution in all, what is reserved, when the next
        window is due, what became of each window.
      </p>
    </div>
    <div>
      <h2>Private</h2>
      <p>
        Who is paid, how much each, in what order, and the proofs. Only the employer’s own wallet opens the list, and a
        recipient’s wallet their own entry.
      </p>
    </div>
  </section>
);

/** With what each of those who come here begins. */
export const Begin = () => (
  <section aria-labelledby="begin">
    <h2 id="begin">Get started</h2>
    <ul class="begin">
      <li>
        <h3>You are paid by a schedule, or check one</h3>
        <Lookup />
      </li>
      <li>
        <h3>You are an employer</h3>
        <p>
          Sign in with the wallet that owns the vault: <a href="#/mine">My payrolls</a> then shows your lists. To
          promise a first one, run <code>payout schedule preview payroll.csv --token MINT</code>.
        </p>
      </li>
      <li>
        <h3>You look after this coordinator</h3>
        <p>
          The <a href="#/">overview</a> says whether everybody is being paid. Sign in with a wallet that the setting{' '}
          <code>OPERATORS</code> names to resume runs and to reconcile.
        </p>
      </li>
    </ul>
  </section>
);
