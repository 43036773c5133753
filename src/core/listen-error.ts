import type { ErrorCode } from './error-codes.ts';
import { CrawlhouseError } from './errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'no machine has that name',
};

/**
 * The error of a server that can't listen on `address` (`HOST:PORT`).
 *
 * @param way how to choose another port, such as `crawlhouse console --port 0`
 */
export function listenError(code: ErrorCode, address: string, way: string, cause: unknown): CrawlhouseError {
  const { code: system = '', message } = cause as NodeJS.ErrnoException;
  return new CrawlhouseError(code, `can't listen on ${address}: ${REASONS[system] ?? message}`, {
    cause,
    hint: `end that program, or choose another port: ${way}`,
  });
}
