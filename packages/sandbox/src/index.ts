export * from './coordinatorProcess.ts';
export * from './sampleToken.ts';
