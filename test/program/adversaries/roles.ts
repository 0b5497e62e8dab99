/** Who could do harm, alone: what each can take, stop and change by its own keys, how fast, and who can refuse it. */
export const ROLES = {
  stranger: { take: 'nothing', stop: 'nothing', change: 'nothing', speed: '–', refusedBy: '–' },
  employer: {
    take: 'what is in their own vault and not promised',
    stop: 'their own schedules’ next windows',
    change: 'their own schedules and vault; above the limits, with their approver',
    speed: 'at once, up to the daily limit; looser limits after 7 days',
    refusedBy: 'their approver, above the limits',
  },
  viewer: {
    take: 'nothing',
    stop: 'nothing',
    change: 'nothing',
    speed: '–',
    refusedBy: 'the employer',
  },
  approver: {
    take: 'nothing',
    stop: 'what needs their approval, for 7 days',
    change: 'nothing',
    speed: 'at once',
    refusedBy: 'the employer, after 7 days',
  },
  recipient: {
    take: 'their own balance',
    stop: 'nothing',
    change: 'their own withdrawals, orders and recovery wallet',
    speed: 'at once',
    refusedBy: '–',
  },
  'recovery wallet': {
    take: 'the balance for which it is named',
    stop: 'another recovery wallet, until its recovery is refused',
    change: 'nothing',
    speed: '14 days',
    refusedBy: 'the recipient',
  },
  'execution authority': {
    take: 'nothing',
    stop: 'openings, claims and withdrawals, by not doing them',
    change: 'who the recorded root leaves out',
    speed: 'at once',
    refusedBy: 'governance names another',
  },
  validator: {
    take: 'what the recorded root covers, of the pool alone',
    stop: 'open windows and withdrawals, by going away',
    change: 'what the layer says',
    speed: 'at once',
    refusedBy: 'governance and guardian declare the layer lost',
  },
  'another validator': { take: 'nothing', stop: 'nothing', change: 'nothing', speed: '–', refusedBy: '–' },
  governance: {
    take: 'nothing alone',
    stop: 'new promises; openings for 7 of 37 days; a declared loss once in 180 days',
    change: 'limits, whitelists; execution authority; guardian',
    speed: 'at once; 7 days; 30 days',
    refusedBy: 'nobody; the guardian; the guardian',
  },
  guardian: {
    take: 'nothing',
    stop: 'another execution authority; openings for 7 of 37 days; a declared loss once in 180 days',
    change: 'governance',
    speed: '30 days',
    refusedBy: 'governance',
  },
  'upgrade authority': {
    take: 'everything, by another program',
    stop: 'everything, by another program',
    change: 'the program',
    speed: 'at once',
    refusedBy: 'nobody: keep it in a multisig, or drop it',
  },
} as const;

export type Role = keyof typeof ROLES;
