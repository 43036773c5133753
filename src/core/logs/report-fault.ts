import { randomUUID } from 'node:crypto';
import { CrawlhouseError, toCrawlhouseError } from '../errors/errors.ts';
import type { Logger } from './logger.ts';

/** Kinds of errors that the client caused, or nobody. */
const EXPECTED: readonly string[] = ['usage', 'skip', 'interrupted'];

/**
 * The error to show to a client over a network. One that the client did not cause is logged with its causes under an
 * identifier, which the hint of the shown error has.
 *
 * @param asked what was asked, for the log: `{ door: 'console', path: '/projects' }`
 */
export function reportFault(
  thrown: unknown,
  logger: Logger,
  asked: Readonly<Record<string, unknown>>,
): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  if (EXPECTED.includes(error.kind)) return error;
  const id = randomUUID().slice(0, 8);
  const { code, message } = error;
  logger.error('request failed', { error_id: id, ...asked, code, error: message, cause: causesOf(error) });
  logger.debug('request failed', { error_id: id, stack: thrown instanceof Error ? thrown.stack : undefined });
  const where = `the log has its cause: error_id ${id}`;
  return new CrawlhouseError(code, message, {
    cause: error,
    hint: `${error.hint}; ${where}`,
  });
}

/** The messages of the causes, the nearest first; undefined where they add nothing. */
function causesOf(error: CrawlhouseError): string | undefined {
  const messages = new Set<string>();
  for (let cause = error.cause; cause !== undefined && messages.size < 10; ) {
    messages.add(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.size === 0 ? undefined : [...messages].join(' ← ');
}
