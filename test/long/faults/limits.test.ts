import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Meddling, meddledSandbox } from '../../support/meddler.ts';
import { rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';

/** A run of one crawl of three pages, whose service meddles. */
async function runMeddled(
  meddle: Meddling,
  environment: Readonly<Record<string, string>> = {},
  options: {
    readonly format?: 'csv' | 'json';
    readonly route?: 'stream' | 'export';
    readonly pages?: number;
  } = {},
) {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=1,pages=${options.pages ?? 3},columns=12,seed=3`],
  });
  const meddled = await meddledSandbox(sandbox, meddle);
  const folder = await rawProjectFolder();
  const { report, exitCode } = await runProject(folder, meddled, {
    ...options,
    pipelines: ['crawl_pages'],
    environment,
  });
  return { exitCode, unit: report.units.find((one) => one.dataset === 'crawl_pages') };
}

/** Answers each export with a stream of `pieces`; the bytes that were taken of it. */
function endlessExport(piece: Buffer, most: number, gzip = false) {
  const taken = { bytes: 0, requests: 0 };
  const meddle: Meddling = (request, response) => {
    if (!request.url?.includes('export=true')) return null;
    taken.requests++;
    response.writeHead(200, gzip ? { 'content-encoding': 'gzip' } : {});
    const sink = gzip ? createGzip({ level: 1 }) : response;
    if (gzip) sink.pipe(response as ServerResponse);
    let sent = 0;
    const push = (): void => {
      while (sent < most) {
        sent += piece.length;
        taken.bytes += piece.length;
        if (!sink.write(piece)) return void sink.once('drain', push);
      }
      sink.end();
    };
    push();
    response.on('close', () => sink.destroy());
    return 'answered';
  };
  return { taken, meddle };
}

const ROW = Buffer.from('{"url":"https://a.example/"}\n');
const MB = 1_000_000;

test('more rows than reported end the download immediately', async () => {
  const { taken, meddle } = endlessExport(Buffer.concat(Array(1000).fill(ROW)), 100 * MB);
  const { unit, exitCode } = await runMeddled(meddle, {}, { format: 'json' });
  expect([exitCode, unit?.status, unit?.error?.code]).toEqual([4, 'refused', 'unreconciled']);
  expect(unit?.error?.message).toMatch(/3 rows reported by the service, but \d+ received/);
  // Twice, as any difference is tried again once; what is on its way in the sockets counts too.
  expect(taken.requests).toBe(2);
  expect(taken.bytes).toBeLessThan(20 * MB);
});

test.for([
  ['json', Buffer.alloc(64_000, 'a')],
  ['csv', Buffer.alloc(64_000, 'a')],
] as const)('an endless record (%s) stops at limits.record', async ([format, piece]) => {
  const first = format === 'csv' ? '"url"\n"' : '{"url":"';
  const { taken, meddle } = endlessExport(piece, 700 * MB);
  const begin: Meddling = (request, response) => {
    const { writeHead } = response;
    response.writeHead = ((...args: Parameters<typeof writeHead>) => {
      writeHead.apply(response, args);
      response.write(first);
      return response;
    }) as typeof writeHead;
    return meddle(request, response);
  };
  const { unit, exitCode } = await runMeddled(
    (request, response) => (request.url?.includes('export=true') ? begin(request, response) : null),
    { CRAWLHOUSE_LIMITS_RECORD: '2MB' },
    { format },
  );
  expect([exitCode, unit?.status, unit?.error?.code]).toEqual([4, 'refused', 'over_limit']);
  expect(unit?.error?.message).toMatch(
    /pages\.(csv|jsonl):\d: the record is longer than 2.0 MB \(limits\.record\)/,
  );
  expect(taken.bytes).toBeLessThan(30 * MB);
});

test('gzip that expands beyond the limit for its rows stops at limits.bytes_per_row', async () => {
  const row = Buffer.concat([Buffer.from('{"url":"a"'), Buffer.alloc(10 * MB, ' '), Buffer.from('}\n')]);
  const { taken, meddle } = endlessExport(row, 1000 * MB, true);
  const { unit, exitCode } = await runMeddled(
    meddle,
    { CRAWLHOUSE_COMPRESSION: 'gzip' },
    { format: 'json', pages: 50 },
  );
  expect([exitCode, unit?.error?.code]).toEqual([4, 'over_limit']);
  expect(unit?.error?.message).toMatch(/received more than 64.0 MB, .*\(limits\.bytes_per_row\)/);
  expect(taken.bytes).toBeLessThan(800 * MB);
});

test('endless blank lines are not rows, and end the download', async () => {
  const { taken, meddle } = endlessExport(Buffer.alloc(MB, '\n'), 1000 * MB, true);
  const { unit, exitCode } = await runMeddled(meddle, { CRAWLHOUSE_COMPRESSION: 'gzip' }, { format: 'json' });
  expect([exitCode, unit?.error?.code]).toEqual([4, 'contract_broken']);
  expect(unit?.error?.message).toContain('more than 100000 lines are blank');
  expect(taken.bytes).toBeLessThan(800 * MB);
});

test('an oversized JSON response stops at limits.answer', async () => {
  let taken = 0;
  const { unit, exitCode } = await runMeddled(
    (request, response) => {
      if (!request.url?.endsWith('/fields')) return null;
      const piece = Buffer.alloc(64_000, ' ');
      const push = (): void => {
        while (taken < 500 * MB) {
          taken += piece.length;
          if (!response.write(piece)) return void response.once('drain', push);
        }
        response.end();
      };
      push();
      return 'answered';
    },
    { CRAWLHOUSE_LIMITS_ANSWER: '1MB' },
  );
  expect([exitCode, unit?.error?.code]).toEqual([4, 'over_limit']);
  expect(unit?.error?.message).toContain('the answer is larger than 1.0 MB (limits.answer)');
  expect(taken).toBeLessThan(50 * MB);
});

test('more fields than limits.fields are refused', async () => {
  const { unit, exitCode } = await runMeddled(() => null, { CRAWLHOUSE_LIMITS_FIELDS: '5' });
  expect([exitCode, unit?.error?.code]).toEqual([4, 'over_limit']);
  expect(unit?.error?.message).toMatch(
    /the rows have \d+ fields, more than the limit of 5 \(limits\.fields\)/,
  );
});

test('a pending data export is awaited for limits.export_wait, then by the next run', async () => {
  let asked = 0;
  const meddle: Meddling = (request) => {
    if (!request.url?.includes('/data_exports')) return null;
    if (request.method === 'POST') asked++;
    return (answer: { data_export?: object; account?: object[] }) => ({
      ...answer,
      ...(answer.data_export ? { data_export: { ...answer.data_export, status: 'PENDING' } } : {}),
    });
  };
  const { unit, exitCode } = await runMeddled(
    meddle,
    { CRAWLHOUSE_LIMITS_EXPORT_WAIT: '0.02' },
    { route: 'export' },
  );
  expect([exitCode, unit?.status, unit?.error?.code]).toEqual([3, 'failed', 'timed_out']);
  expect(unit?.error?.message).toMatch(/is still PENDING after 1.2 s \(limits\.export_wait\)/);
  expect([asked, unit?.attempts]).toEqual([1, 1]);
});
