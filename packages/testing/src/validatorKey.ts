import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';

/** The development key of the ephemeral validator, which its own source publishes: it signs for every validator that is started without another. */
const DEVELOPMENT_KEY =
  '0753b837c8dfee89a6f46b7ebd10c224e4442b8f0d5b035135fd1a2432c6289f0b5009d0b7bd6cc8594da84ce9c5841615bacaf069a89d40e9f96468d2295357';

/** Signs as the validator of the local execution layer. */
export const developmentValidator = (): Promise<KeyPairSigner> =>
  createKeyPairSignerFromBytes(Buffer.from(DEVELOPMENT_KEY, 'hex'));
