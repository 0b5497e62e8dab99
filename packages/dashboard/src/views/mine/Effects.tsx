import { inPayRuns } from '../../format/words.ts';

/** What will happen, before it is agreed to. */
export const Effects = ({ sentences }: { readonly sentences: readonly string[] }) => (
  <ul class="effects">
    {sentences.map((sentence) => (
      <li key={sentence}>{inPayRuns(sentence)}</li>
    ))}
  </ul>
);
