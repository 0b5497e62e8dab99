import { type Policy, policySentences, type TokenInfo } from '@payouts/employer';
import { sentenceLines } from '../output.ts';
import { timeText } from '../timeText.ts';

/** A policy for people, in lines that fit a terminal. */
export const policyLines = (policy: Policy | undefined, token: TokenInfo): string[] =>
  sentenceLines(policySentences(policy, token, timeText));
