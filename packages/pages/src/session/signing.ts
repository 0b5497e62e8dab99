// What a session signs with, loaded when somebody signs in.
export { signRequest, signRequestWithBody } from '@payouts/client/browser';
export { createSignerFromKeyPair } from '@solana/kit';
