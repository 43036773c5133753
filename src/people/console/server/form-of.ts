import type { FastifyRequest } from 'fastify';

/** The form that a request sends; an empty one for a request without a body. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}
