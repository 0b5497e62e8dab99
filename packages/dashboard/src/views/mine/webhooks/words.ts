import type { WebhookTypeName } from '@payouts/employer';

/** What a webhook is told, by the type of the message. */
export const TYPE_WORDS: Readonly<Record<WebhookTypeName, string>> = {
  'run.opened': 'a pay run is open',
  'run.held': 'a pay run is on hold until something is fixed',
  'run.exhausted': 'a pay run needs an operator’s attention',
  'run.completed': 'a pay run is settled, and what it paid in all',
  'recipient.unpaid': 'recipients stayed unpaid, and why',
  'schedule.completed': 'the last pay run of a payroll is settled',
  'funding.low': 'the money of a payroll ends soon',
  'window.late': 'a pay run is late',
};

export const TYPES = Object.keys(TYPE_WORDS) as readonly WebhookTypeName[];
