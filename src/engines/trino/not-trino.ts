import type { Dispatcher } from 'undici';
import { CrawlhouseError } from '../../core/errors/errors.ts';

/** Whether only another server answers a new statement so: a redirect, no such path, another method there. */
export function isElsewhere(status: number): boolean {
  return (status >= 300 && status < 400) || status === 404 || status === 405;
}

/** The error of an answer that comes from something else than a coordinator. It says what answered, and what to check. */
export function notTrino(
  at: string,
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  cause?: unknown,
): CrawlhouseError {
  const type = String(headers['content-type'] ?? 'no content type');
  const what =
    headers.location === undefined
      ? ` with ${type}, outside Trino's protocol: ${text.trim().slice(0, 60)}`
      : `, a redirect to ${headers.location}`;
  return new CrawlhouseError('contract_broken', `${at} answers ${statusCode}${what}`, {
    cause,
    hint: 'check warehouse.url: it is to be the address of the coordinator, not of a page or a proxy',
  });
}
