import { approvalInstructions } from './approval.ts';
import { employerInstructions } from './employer.ts';
import { governanceInstructions } from './governance.ts';
import { wayOutInstructions } from './lossRecovery.ts';
import { permissionInstructions } from './permission.ts';
import { windowInstructions } from './window.ts';
import { withdrawalInstructions } from './withdrawal.ts';

export const instructions = [
  ...governanceInstructions,
  ...employerInstructions,
  ...windowInstructions,
  ...withdrawalInstructions,
  ...permissionInstructions,
  ...wayOutInstructions,
  ...approvalInstructions,
];
