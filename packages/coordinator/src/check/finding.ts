/** What a check found: fine, to be thought about, or to be mended before a start. */
export type Finding = { readonly mark: '✔' | '!' | '✖'; readonly text: string };

export const fine = (text: string): Finding => ({ mark: '✔', text });
export const doubtful = (text: string): Finding => ({ mark: '!', text });
export const wrong = (text: string): Finding => ({ mark: '✖', text });

/** Milliseconds that one check may take. */
const WITHIN_MS = 8_000;

/** What a check finds, or that it took too long or failed: `otherwise` says what that means, and the mend. */
export async function within(
  check: () => Promise<Finding[]>,
  otherwise: (error: unknown) => string,
): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), WITHIN_MS);
  });
  const checking = check();
  // When it is late, nobody asks any more how it ended.
  checking.catch(() => {});
  try {
    return await Promise.race([checking, late]);
  } catch (error) {
    return [wrong(otherwise(error))];
  } finally {
    clearTimeout(timer);
  }
}
