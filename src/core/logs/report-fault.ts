import { randomUUID } from 'node:crypto';
import { CrawlhouseError, firstStack, toCrawlhouseError } from '../errors/errors.ts';
import type { Logger } from './logger.ts';

/** Kinds of errors that are not faults of this program, because the client or the environment causes them. */
const EXPECTED: readonly string[] = ['usage', 'skip', 'interrupted'];

/**
 * Returns the error to show to a client over a network. An error that the client did not cause is logged with its
 * causes under an identifier, which the hint of the shown error contains.
 *
 * @param asked the request, for the log: `{ door: 'console', path: '/projects' }`
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
  const fields = { error_id: id, ...asked, code, error: message, cause: causesOf(error) };
  logger.error('request failed', { ...fields, ...firstStack(error) });
  const where = `the log has its cause: error_id ${id}`;
  return new CrawlhouseError(code, message, { cause: error, hint: `${error.hint}; ${where}` });
}

/** Returns the messages of the causes, nearest first; undefined if they add nothing. */
function causesOf(error: CrawlhouseError): string | undefined {
  const messages = new Set<string>();
  for (let cause = error.cause; cause !== undefined && messages.size < 10; ) {
    messages.add(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.size === 0 ? undefined : [...messages].join(' ← ');
}
