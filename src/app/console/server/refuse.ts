import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { notice, shellEnd, shellStart } from '../layout/shell.ts';

export interface Refused {
  readonly status: number;
  readonly code: ErrorCode;
  readonly title: string;
  readonly message: string;
  readonly hint?: string | null;
}

/** Sends the refusal of a request: JSON if JSON was requested, else a page. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, title, message, hint }: Refused,
): FastifyReply {
  reply.code(status);
  if (wantsJson(request)) {
    reply.type('application/json; charset=utf-8');
    return reply.send(`${stringifyJson({ error: { code, message, hint: hint ?? null } })}\n`);
  }
  return sendPage(reply, title, notice(title, message, hint).text, request);
}

/** Sends a page without a session's data, to signed-in people and strangers. */
export function sendPage(
  reply: FastifyReply,
  title: string,
  body: string,
  { person, canAct = false }: Pick<FastifyRequest, 'person'> & { readonly canAct?: boolean },
): FastifyReply {
  const shell = { path: '', subject: person?.subject ?? '', csrf: person?.csrf ?? '', canAct };
  return reply.type('text/html; charset=utf-8').send(shellStart(shell, title) + body + shellEnd());
}

/** Returns whether a program sent the request, rather than a user of pages. */
export function wantsJson({ url }: FastifyRequest): boolean {
  const path = url.split('?')[0] ?? '';
  return path.endsWith('.json') || path === '/live';
}

/** For every answer: nothing from elsewhere is loaded, no other site may frame it, and nothing is cached. */
export const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;
