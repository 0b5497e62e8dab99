/** The likelihood of so many right ones or more, if each is right with its own probability, whatever is known. */
export function likelihood(probabilities: readonly number[], right: number): number {
  // By how many are right, over those looked at so far.
  let counts = [1];
  for (const probability of probabilities) {
    const next = new Array<number>(counts.length + 1).fill(0);
    for (const [count, likely] of counts.entries()) {
      next[count] = (next[count] as number) + likely * (1 - probability);
      next[count + 1] = (next[count + 1] as number) + likely * probability;
    }
    counts = next;
  }
  return counts.slice(right).reduce((sum, likely) => sum + likely, 0);
}
