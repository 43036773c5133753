import { open, stat } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Names } from '../../answers/presentation/blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { writeAnswer } from '../../answers/workbook/write-answer.ts';
import type { Readers } from '../readers/readers.ts';
import { resolvedStatement, type Statement } from '../readers/statement.ts';
import { type DownloadFiles, sendPieces, TooManyDownloads } from './download-files.ts';
import { sessionOf } from './guard.ts';
import { refuse } from './refuse.ts';

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: XLSX_TYPE,
} as const;
type Format = keyof typeof TYPES;
/** Characters of a file's name, without its extension. */
const MOST_NAME = 120;

interface Download {
  readonly readers: Readers;
  readonly files: DownloadFiles;
  readonly request: FastifyRequest;
}

/** A file to send. */
interface Prepared {
  readonly type: string;
  readonly name: string;
  /** Writes the whole file to a new path. */
  readonly write: (output: string, signal: AbortSignal) => Promise<void>;
}

/**
 * Writes a file within the limits of the settings, then sends it. If writing fails, sends a page with the reason. If
 * sending fails, cuts the connection, so that no browser mistakes a part for the whole file.
 *
 * @param failed the heading of that page
 */
export async function sendWritten(
  { readers, files, request }: Download,
  { failed, prepare }: { readonly failed: string; readonly prepare: () => Promise<Prepared> },
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const session = sessionOf(request);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const within = AbortSignal.any([signal, left.signal]);
  try {
    const { type, name, write } = await prepare();
    await files.use(session.subject, async (output) => {
      // A slow or stalled reader of a written file occupies no slot.
      await readers.lanes.of(session, () => readers.lanes.downloads.run(() => write(output, within)));
      reply.header('content-length', (await stat(output)).size);
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
      });
      await sendPieces(output, reply.raw, within);
    });
    reply.raw.end();
  } catch (thrown) {
    if (reply.raw.headersSent) reply.raw.destroy();
    else if (!left.signal.aborted) {
      const { code, message, hint, kind } = toCrawlhouseError(thrown);
      const status = thrown instanceof TooManyDownloads ? 429 : kind === 'usage' ? 400 : 500;
      return refuse(request, reply, { status, code, title: failed, message, hint });
    }
  }
  return reply;
}

/**
 * Sends the whole answer of a statement as a file.
 *
 * @param query the format of the file and its name
 */
export function sendDownload(
  download: Download,
  {
    query,
    statement: read,
  }: { readonly query: URLSearchParams; readonly statement: () => Promise<Statement> },
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { readers } = download;
  const prepare = async (): Promise<Prepared> => {
    const format = formatOf(query.get('format'));
    const statement = await read();
    const name = fileName(
      query.get('name') || statement.question?.name || 'answer',
      Boolean(query.get('name')),
    );
    const names: Names = query.get('names') === 'people' ? 'people' : 'columns';
    const form = { format, names, name, bom: query.has('bom') };
    return {
      type: TYPES[format],
      name: `${name}.${format}`,
      write: (output, within) => writeStatement(readers, statement, { ...form, output }, within),
    };
  };
  return sendWritten(download, { failed: 'The answer could not be downloaded', prepare }, reply, signal);
}

interface FileForm {
  readonly output: string;
  readonly format: Format;
  readonly names: Names;
  /** The name of the file, without its extension. */
  readonly name: string;
  /** Whether a CSV begins with a byte order mark. */
  readonly bom: boolean;
}

async function writeStatement(
  readers: Readers,
  statement: Statement,
  { output, format, name, names, bom }: FileForm,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const isParquet = format === 'parquet';
  await using warehouse = await openWarehouse(readers, readers.settings, isParquet ? { output } : {});
  const { sql, parameters } = await resolvedStatement(statement, warehouse, signal);
  if (isParquet) {
    await warehouse.writeParquet(sql, output, signal, parameters);
    return;
  }
  if (format === 'xlsx') {
    await writeAnswer(output, warehouse, { name, sql, parameters, names }, signal);
    return;
  }
  await using file = await open(output, 'wx', 0o600);
  const write = (text: string): Promise<void> => file.appendFile(text);
  await warehouse.write(sql, { format, safeCsv: true, names, bom }, write, signal, parameters);
}

function formatOf(text: string | null): Format {
  if (text !== null && Object.hasOwn(TYPES, text)) return text as Format;
  throw new CrawlhouseError('usage', `there is no format ${text}`, {
    hint: `formats: ${Object.keys(TYPES).join(', ')}`,
  });
}

/** Only letters, digits, `.`, `_` and `-`; with the day unless it is whole: `q05_status_codes_by_crawl-2026-11-22`. */
export function fileName(name: string, isWhole: boolean): string {
  return (isWhole ? name : `${name}-${new Date().toISOString().slice(0, 10)}`)
    .slice(0, MOST_NAME)
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '');
}
