import { open, stat } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Names } from '../../../project/model/shown/blocks.ts';
import type { SignedIn } from '../access/sessions.ts';
import type { Readers } from '../desk/desk.ts';
import { resolvedStatement, type Statement, statementOf } from '../desk/statement.ts';
import { type DownloadFiles, sendPieces, TooManyDownloads } from './download-files.ts';
import { sessionOf } from './guard.ts';
import { refuse } from './refuse.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;
type Format = keyof typeof TYPES;
/** Characters of a file's name, without its ending. */
const MOST_NAME = 120;

interface Download {
  readonly desk: Readers;
  readonly files: DownloadFiles;
  readonly query: URLSearchParams;
  readonly request: FastifyRequest;
}

/**
 * Sends the whole answer of a statement as a file, within the limits of the settings. A failure of the
 * statement is a page that says why; one while it is sent cuts the connection, so that no browser takes the part for the whole.
 */
export async function sendDownload(
  { desk, files, query, request }: Download,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const session = sessionOf(request);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const within = AbortSignal.any([signal, left.signal]);
  try {
    const format = formatOf(query.get('format'));
    const texts = { kept: desk.texts, subject: session.subject };
    const statement = statementOf(query, await desk.questions(), texts);
    const name = `${fileName(statement, query.get('name'))}.${format}`;
    const start = (): void => {
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="${name}"`,
      });
    };
    const names: Names = query.get('names') === 'people' ? 'people' : 'columns';
    const sending = { desk, statement, reply, start, format, names, session };
    await files.use(session.subject, (output) => sendFile(sending, output, within));
    reply.raw.end();
  } catch (thrown) {
    if (reply.raw.headersSent) reply.raw.destroy();
    else if (!left.signal.aborted) {
      const { code, message, hint, kind } = toCrawlhouseError(thrown);
      const status = thrown instanceof TooManyDownloads ? 429 : kind === 'usage' ? 400 : 500;
      const title = 'The answer could not be downloaded';
      return refuse(request, reply, { status, code, title, message, hint });
    }
  }
  return reply;
}

interface Sending {
  readonly desk: Readers;
  readonly statement: Statement;
  readonly format: Format;
  readonly names: Names;
  readonly session: SignedIn;
  readonly reply: FastifyReply;
  /** Sends the head of the answer. */
  readonly start: () => void;
}

/** The answer is written whole before it is sent: whoever reads it slowly, or not at all, keeps no place meanwhile. */
async function sendFile(sending: Sending, output: string, signal: AbortSignal): Promise<void> {
  const { desk, reply, start, session } = sending;
  await desk.lanes.of(session, () => desk.lanes.downloads.run(() => writeAnswer(sending, output, signal)));
  reply.header('content-length', (await stat(output)).size);
  start();
  await sendPieces(output, reply.raw, signal);
}

async function writeAnswer(
  { desk, statement, format, names }: Sending,
  output: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const isParquet = format === 'parquet';
  await using warehouse = await openWarehouse(desk, desk.settings, isParquet ? { output } : {});
  const { sql, parameters } = await resolvedStatement(statement, warehouse, signal);
  if (isParquet) {
    await warehouse.writeParquet(sql, output, signal, parameters);
    return;
  }
  await using file = await open(output, 'wx', 0o600);
  const write = (text: string): Promise<void> => file.appendFile(text);
  await warehouse.write(sql, { format, safeCsv: true, names }, write, signal, parameters);
}

function formatOf(text: string | null): Format {
  if (text !== null && Object.hasOwn(TYPES, text)) return text as Format;
  throw new CrawlhouseError('usage', `there is no format ${text}`, {
    hint: `formats: ${Object.keys(TYPES).join(', ')}`,
  });
}

/** The name that the link gives, else `q05_status_codes_by_crawl-2026-11-22`; letters, digits, `.`, `_` and `-` alone. */
function fileName({ question }: Statement, given: string | null): string {
  const name = given || `${question?.name ?? 'answer'}-${new Date().toISOString().slice(0, 10)}`;
  return name
    .slice(0, MOST_NAME)
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '');
}
