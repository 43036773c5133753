import type { Socket } from 'node:net';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { forbidden, Refusal } from '../resources/refusal.ts';
import type { StoredResource } from '../resources/resources.ts';

/** The maximum number of bytes of a body that is not an ingest file. */
export const BODY_LIMIT = 4 * 1024 * 1024;

/** The message for a request that the server did not read. */
const UNREAD: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'this content type is not accepted: send JSON as application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: `the body is larger than ${BODY_LIMIT / 1024 ** 2} MB`,
  FST_ERR_BAD_URL: 'the address is not correctly percent-encoded',
};

/** Returns the refusal for any error. Internal errors are logged and sent as internal errors. */
export function refusalOf(error: unknown, request: string, logger: Logger): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof CrawlhouseError && error.kind === 'usage')
    return new Refusal('invalid_request', error.hint ? `${error.message} (${error.hint})` : error.message);
  const { statusCode: status, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new Refusal('invalid_request', lookUp(UNREAD, String(code)) ?? message);
  logger.error('the local service failed on a request', { request, error: message });
  return new Refusal('internal_error', 'the request could not complete because of a fault in the service');
}

export function malformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const body = JSON.stringify(new Refusal('invalid_request', `not a request: ${error.message}`));
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}

/**
 * Refuses changes to the account data of a workspace if the token's owner is only a user there (api-spec.md §2.10).
 *
 * @throws Refusal `forbidden`, with the code `insufficient_role`
 */
export function requireWriter(workspace: StoredResource): void {
  if (workspace.role !== 'user') return;
  throw forbidden(
    `the role user in the workspace ${workspace.id} does not allow changes to account data`,
    'insufficient_role',
  );
}
