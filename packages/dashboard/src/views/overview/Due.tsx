import type { NextDue } from '../../api/types.ts';
import { tokenText } from '../../format/amount.ts';
import { Address } from '../../parts/Address.tsx';
import { Empty } from '../../parts/Notice.tsx';
import { Time } from '../../parts/Time.tsx';
import { href } from '../../router.ts';

const SHOWN = 8;

/** What is due next, and whether the money is there. */
export const Due = ({ windows }: { readonly windows: readonly NextDue[] }) => (
  <section aria-labelledby="due">
    <h2 id="due">Due next</h2>
    {windows.length === 0 ? (
      <Empty title="No window is to come." />
    ) : (
      <table>
        <thead>
          <tr>
            <th scope="col">Due</th>
            <th scope="col">Schedule</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col">Money</th>
          </tr>
        </thead>
        <tbody>
          {windows.slice(0, SHOWN).map((due) => (
            <tr key={`${due.schedulePda}:${due.window}`}>
              <td>
                <Time at={due.dueAt * 1_000} as="relative" />
              </td>
              <td>
                <Address address={due.schedulePda} to={href(`schedules/${due.schedulePda}`)} />
              </td>
              <td class="number">{tokenText(due.amountPerExecution, due)}</td>
              <td>
                <Money isCovered={due.isCovered} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

function Money({ isCovered }: Pick<NextDue, 'isCovered'>) {
  if (isCovered === null) return <span class="faint">unknown</span>;
  return isCovered ? <>Funded</> : <span class="bad-text">! Short</span>;
}
