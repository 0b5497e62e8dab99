/** Reads what the coordinator answers in JSON to a request that is signed; whoever gives it says by whom, and what it throws. */
export type Ask = <T>(path: string) => Promise<T>;
