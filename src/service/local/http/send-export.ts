import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExportBody, ExportFileType } from '../../api/resources/search.ts';
import { invalidParameter } from '../resources/refusal.ts';
import { checkPatterns, datasetQuery } from '../rows/dataset-query.ts';
import { exportLines } from '../rows/export-lines.ts';
import type { Context } from './context.ts';
import type { ReadableRows } from './data-source.ts';
import { exchangeOf } from './exchange.ts';

export interface ExportCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: { readonly file_type?: ExportFileType | undefined };
  readonly body: ExportBody;
}

const CONTENT_TYPES: Readonly<Record<ExportFileType, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/x-ndjson; charset=utf-8',
};

/** Streams an export. Only once its first bytes are there does the answer begin; a later error cuts the connection. */
export async function sendExport(
  { request, reply, query: { file_type }, body }: ExportCall,
  { rows }: Context,
  { dataset, name }: ReadableRows,
): Promise<FastifyReply> {
  const fileType = fileTypeOf(file_type, body.file_type);
  const query = datasetQuery(dataset, body);
  await rows.use((connection) => checkPatterns(connection, query.condition));
  const { closed, lines: changed } = exchangeOf(request) ?? {};
  const lines = rows.stream(
    (connection) => {
      const options = {
        fileType,
        limit: body.limit,
        offset: body.offset,
        reordered: changed?.reordered === true,
      };
      const exported = exportLines(connection, query, options);
      return changed?.altered(exported, fileType === 'csv') ?? exported;
    },
    closed,
    query.columns.length,
  );
  // The one who asked has gone: whatever has not been read is let go.
  closed?.addEventListener('abort', () => void lines.return(undefined).catch(() => {}), { once: true });
  const bytes = await primed(lines);
  const extension = fileType === 'csv' ? 'csv' : 'jsonl';
  reply
    .header('content-disposition', `attachment; filename="${name}.${extension}"`)
    .type(CONTENT_TYPES[fileType]);
  reply.header('vary', 'accept-encoding');
  const zips = acceptsGzip(request.headers['accept-encoding']);
  if (zips) reply.header('content-encoding', 'gzip');
  return reply.send(Readable.from(zips ? gzipped(bytes) : bytes, { objectMode: false }));
}

/** Clients send it in the query, in the body or in both (wire-facts.md). */
function fileTypeOf(inQuery: ExportFileType | undefined, inBody: ExportFileType | undefined): ExportFileType {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidParameter('file_type', 'conflict', `is ${inQuery} in the query and ${inBody} in the body`);
  }
  return inQuery ?? inBody ?? 'csv';
}

/** Waits for the first item, so that an error before it is still thrown here. */
async function primed<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  let first: IteratorResult<T> | undefined = await source.next();
  const next = async (): Promise<IteratorResult<T>> => {
    if (first === undefined) return source.next();
    const item = first;
    first = undefined;
    return item;
  };
  // Not a generator of its own: one that never began would not pass `return` on to its source.
  return Object.assign(Object.create(source), { next, return: () => source.return(undefined) });
}

/** Whether an Accept-Encoding header allows gzip; without the header it does not. */
function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .split(',')
      .map((part): [string, number] => {
        const [coding = '', ...parameters] = part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/);
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

/** The bytes as one gzip member. Level 1: a local server is asked for speed, not for bytes. */
async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  // An error of the source destroys the gzip stream, which then throws below.
  pipeline(Readable.from(body, { objectMode: false }), gzip, () => {});
  for await (const piece of gzip) yield piece as Buffer;
}
