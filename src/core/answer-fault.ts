import type { ServerResponse } from 'node:http';
import { stringifyJson } from './json.ts';
import type { Logger } from './logger.ts';
import { reportFault } from './report-fault.ts';

/**
 * Answers a request that failed with 500 and the identifier under which its cause is logged. An answer that has begun is
 * cut, and whoever hung up gets none.
 */
export function answerFault(
  response: ServerResponse,
  thrown: unknown,
  logger: Logger,
  asked: Readonly<Record<string, unknown>>,
): void {
  if (response.destroyed || response.socket?.destroyed) return;
  const { code, message, hint } = reportFault(thrown, logger, asked);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { 'content-type': 'application/json' });
  response.end(`${stringifyJson({ error: { code, message, hint: hint ?? null } })}\n`);
}
