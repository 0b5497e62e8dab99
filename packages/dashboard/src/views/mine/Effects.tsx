/** What will happen, before it is agreed to. */
export const Effects = ({ sentences }: { readonly sentences: readonly string[] }) => (
  <ul class="effects">
    {sentences.map((sentence) => (
      <li key={sentence}>{sentence}</li>
    ))}
  </ul>
);
