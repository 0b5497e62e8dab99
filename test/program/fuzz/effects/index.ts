import { approvalEffects } from './approval.ts';
import type { Effects } from './effect.ts';
import { employerEffects } from './employer.ts';
import { governanceEffects } from './governance.ts';
import { layerAccountEffects } from './layerAccounts.ts';
import { wayOutEffects } from './lossRecovery.ts';
import { recoveryEffects } from './recovery.ts';
import { windowEffects } from './window.ts';
import { withdrawalEffects } from './withdrawal.ts';

/** What each instruction does to the model, by its number. */
export const effects: Effects = {
  ...governanceEffects,
  ...employerEffects,
  ...windowEffects,
  ...layerAccountEffects,
  ...withdrawalEffects,
  ...recoveryEffects,
  ...wayOutEffects,
  ...approvalEffects,
};
