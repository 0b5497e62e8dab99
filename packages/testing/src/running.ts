/** What has been begun and not been stopped yet; endRunning.ts stops it when a test file is over. */
export const running = new Set<{ stop(): Promise<void> }>();
