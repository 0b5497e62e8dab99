import { Problem } from '../../domain/problems.ts';
import type { Logger } from '../../log/log.ts';
import { scheduleAddress } from '../address.ts';
import { readEntries } from '../recipients.ts';
import { type RegistrarInput, register } from '../registration.ts';
import { ProblemView, RegistrationBody, RegistrationView } from '../schemas.ts';
import type { Api } from '../server.ts';

const schema = {
  summary: "Registers a schedule's recipients",
  description: 'The list must rebuild the root on the ledger. 201: stored; 200: the same list was stored before.',
  body: RegistrationBody,
  response: { 200: RegistrationView, 201: RegistrationView, '4xx': ProblemView, '5xx': ProblemView },
};

/** POST /api/schedules */
export function registerScheduleRoute(app: Api, registrar: RegistrarInput, bodyLimit: number, log: Logger): void {
  app.post('/api/schedules', { schema, bodyLimit }, async (request, reply) => {
    const { schedulePda, recipients: entries } = request.body;
    const address = scheduleAddress(schedulePda);
    try {
      const recipients = await readEntries(entries);
      const { root, created } = await register(registrar, address, recipients);
      log.info({ schedule: address, recipientCount: recipients.length, created }, 'registration accepted');
      reply.status(created ? 201 : 200);
      return { schedulePda: address, root, recipients: recipients.length, created };
    } catch (error) {
      if (error instanceof Problem) log.info({ schedule: address, code: error.code }, 'registration rejected');
      throw error;
    }
  });
}
