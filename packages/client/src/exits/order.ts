import { type RandomBelow, secureRandomBelow } from '../rules/releaseTimes.ts';

/** The same items in an order that says nothing, each as likely as any other (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: RandomBelow = secureRandomBelow): T[] {
  const result = [...items];
  for (let place = result.length - 1; place > 0; place -= 1) {
    const other = random(place + 1);
    [result[place], result[other]] = [result[other] as T, result[place] as T];
  }
  return result;
}
