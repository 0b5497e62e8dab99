import type { FastifyRequest } from 'fastify';

/** Stands for the route of what no route takes. */
export const UNMATCHED = 'unmatched';

/** A request's route as logs and metrics name it: never the path that was sent. */
export const routeTemplate = (request: FastifyRequest): string => request.routeOptions.url ?? UNMATCHED;
