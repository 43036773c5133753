import type { FastifyInstance } from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { openWarehouse, waitingLimits } from '../../answers/query/open-warehouse.ts';
import type { Access } from '../access/access.ts';
import { addressClass } from '../access/reach.ts';
import type { SharedLink } from '../access/shared-links.ts';
import type { Readers } from '../readers/readers.ts';
import { resolvedStatement, statementOf } from '../readers/statement.ts';
import { tooMany } from './guard.ts';
import { refuse } from './refuse.ts';

/** A key of 256 bits. */
const NAME = /^([\w-]{43})\.csv$/;
const MOST_ROWS = 100_000;
const MOST_BYTES = '10MB';

/**
 * Registers the route that returns the rows of shared links as CSV, without a session. An unknown or revoked link gets
 * the same response as any unknown page.
 */
export function sharedRoute(
  app: FastifyInstance,
  { access, readers }: { readonly access: Access; readonly readers: Readers },
  signal: AbortSignal,
): void {
  app.get('/shared/:name', async (request, reply) => {
    const { name } = request.params as { name: string };
    const key = NAME.exec(name)?.[1];
    const link = key === undefined ? null : access.shared.use(key);
    if (link === null) {
      const wait = access.failedSignIns.take(`shared ${addressClass(request.ip)}`);
      return wait === null ? reply.callNotFound() : tooMany(request, reply, wait);
    }
    const seconds = access.sharedAnswers.take(String(link.id));
    if (seconds !== null) return tooMany(request, reply, seconds);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    try {
      const csv = await readers.lanes.shared.run(() =>
        csvOf(link, readers, AbortSignal.any([signal, left.signal])),
      );
      return reply.type('text/csv; charset=utf-8').send(csv);
    } catch (thrown) {
      const { code, message: error } = toCrawlhouseError(thrown);
      // Without the path, which contains the key.
      readers.logger.warn('a shared link failed', { link: link.id, code, error });
      const message =
        code === 'query_limit'
          ? 'The rows are too many, or take too long.'
          : 'The rows could not be read. The owner of the link can try the statement in the console.';
      return refuse(request, reply, { status: 500, code, title: 'No rows', message });
    }
  });
}

async function csvOf(link: SharedLink, readers: Readers, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const settings = { ...waitingLimits(readers.settings), query_result_limit: MOST_BYTES };
  const texts = { kept: readers.texts, subject: '' };
  const statement = statementOf(new URLSearchParams(link.query), await readers.questions(), texts);
  await using warehouse = await openWarehouse(readers, settings);
  const { sql, parameters } = await resolvedStatement(statement, warehouse, signal);
  const pieces: string[] = [];
  const options = { format: 'csv', safeCsv: true, names: 'people', rowLimit: MOST_ROWS } as const;
  const collect = async (piece: string): Promise<void> => {
    pieces.push(piece);
  };
  await warehouse.write(sql, options, collect, signal, parameters);
  return pieces.join('');
}
