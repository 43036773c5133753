import type { FastifyReply } from 'fastify';

/** Aborts when the console ends, or the browser disconnects. */
export function leaving(reply: FastifyReply, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  // A request closes as soon as its body is read.
  reply.raw.once('close', () => left.abort());
  return AbortSignal.any([signal, left.signal]);
}
