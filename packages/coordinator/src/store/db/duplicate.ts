/** SQLSTATE unique_violation. */
const DUPLICATE = '23505';

/** Whether an error says that a row like this is there already. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === DUPLICATE;
