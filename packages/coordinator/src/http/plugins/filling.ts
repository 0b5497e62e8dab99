import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { paddedToBlock } from '../../domain/padToBlock.ts';

/** Makes private answers as long as each other whatever the amounts in them are: encryption hides what they say, not how long they are. */
export function fillPrivateAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    return typeof payload === 'string' && isPrivateAnswer(request, reply) ? paddedToBlock(payload) : payload;
  });
}

/** Whether an answer is of a private route and no error. */
export const isPrivateAnswer = (request: FastifyRequest, reply: FastifyReply): boolean =>
  request.routeOptions.config.limit === 'private' && reply.statusCode >= 200 && reply.statusCode < 300;
