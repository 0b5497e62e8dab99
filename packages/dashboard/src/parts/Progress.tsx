type Props = { readonly paid: number; readonly total: number; readonly isQuiet?: boolean };

/** How many recipients are paid, of how many; the numbers are what counts. */
export const Progress = ({ paid, total, isQuiet = false }: Props) => (
  <span class="progress">
    <span class="numbers">
      {paid.toLocaleString('en')}
      <span class="faint"> of {total.toLocaleString('en')}</span>
    </span>
    {!isQuiet && total > 0 && <progress value={paid} max={total} aria-label={`${paid} of ${total} recipients paid`} />}
  </span>
);
