import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExportBody, ExportFileType } from '../../api/search.ts';
import { duplicateLine } from '../faults/duplicate-line.ts';
import { invalidParameter } from '../resources/refusal.ts';
import { checkPatterns, datasetQuery } from '../rows/dataset-query.ts';
import { exportLines } from '../rows/export-lines.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import type { Context } from './context.ts';
import type { DataSource } from './data-source.ts';
import { exchangeOf } from './exchange.ts';
import { gzipped } from './gzipped.ts';
import { primed } from './primed.ts';

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
  { dataset, name }: DataSource,
): Promise<FastifyReply> {
  const fileType = fileTypeOf(file_type, body.file_type);
  const query = datasetQuery(dataset, body);
  await rows.use((connection) => checkPatterns(connection, query.condition));
  const { fault, closed } = exchangeOf(request) ?? {};
  const lines = rows.stream(
    (connection) => {
      const options = {
        fileType,
        limit: body.limit,
        offset: body.offset,
        reordered: fault?.kind === 'reorder',
      };
      const exported = exportLines(connection, query, options);
      return fault?.kind === 'duplicate' ? duplicateLine(exported, fileType === 'csv') : exported;
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
