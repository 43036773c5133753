import { flushCompileCache } from 'node:module';
import type { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { QueryReply, QueryRequest } from './query-process.ts';
import { PublishedWarehouse } from './query-warehouse.ts';
import { writeResult } from './result/write-result.ts';

/** The program of the query process (query-process.ts): opens a warehouse, then runs one query at a time. */
const { signal } = new AbortController();
let warehouse: PublishedWarehouse | undefined;
let taken = (): void => {};

process.on('message', (request: QueryRequest) => {
  if (request.kind === 'taken') taken();
  else void answer(request).then(reply, (thrown: unknown) => reply(errorReply(thrown)));
});
// The parent decides the effect of an interrupt.
process.on('SIGINT', () => {});
process.on('disconnect', () => {
  warehouse?.removeFiles();
  // A running statement keeps the process alive.
  process.kill(process.pid, 'SIGKILL');
});

async function answer(request: Exclude<QueryRequest, { kind: 'taken' }>): Promise<QueryReply> {
  if (request.kind === 'open') {
    warehouse = await PublishedWarehouse.open(request);
    // A killed process would not keep its compiled code.
    flushCompileCache();
    return { kind: 'opened', isCopy: warehouse.isCopy };
  }
  if (warehouse === undefined) throw new Error('no warehouse is open');
  if (request.kind === 'plan') {
    await send(JSON.stringify(await warehouse.plan(request, signal)));
    await onTheWay;
    return { kind: 'done', rows: 0 };
  }
  const { sql, parameters } = request;
  if (request.kind === 'parquet')
    return { kind: 'done', rows: await warehouse.writeParquet(sql, request.output, signal, parameters) };
  const write = async (result: StreamedRows): Promise<number> => {
    const count = await writeResult(result, request, send);
    await onTheWay;
    return count;
  };
  const rows =
    request.page === undefined
      ? await warehouse.ask(sql, signal, write, parameters)
      : await warehouse.askPage({ sql, parameters, page: request.page }, signal, write);
  return { kind: 'done', rows };
}

/** Resolves after the parent has received the last text. Meanwhile, the next text is prepared. */
let onTheWay = Promise.resolve();

async function send(text: string): Promise<void> {
  await onTheWay;
  onTheWay = new Promise((resolve) => {
    taken = resolve;
  });
  reply({ kind: 'text', text });
}

function reply(message: QueryReply): void {
  process.send?.(message);
}

function errorReply(thrown: unknown): QueryReply {
  const { code, message, hint } = toCrawlhouseError(thrown);
  return { kind: 'error', code, message, hint };
}
