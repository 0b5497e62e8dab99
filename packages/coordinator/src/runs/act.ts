/**
 * Does something to a ledger that somebody else may be doing too. An error counts only if the ledger's state shows afterwards that
 * the purpose was not reached: success is decided by the state, never by an answer.
 */
export async function actUnlessDone(act: () => Promise<void>, isDone: () => Promise<boolean>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(await isDone())) throw error;
  }
}
