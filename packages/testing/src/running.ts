/** What has been begun and not been ended yet; endRunning.ts ends it when a test file is over. */
export const running = new Set<{ stop(): Promise<void> }>();
