import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../../src/core/net/download-limits.ts';
import {
  extractStream,
  type StreamRequest,
} from '../../../../../src/etl/pipeline/routes/stream/stream-route.ts';
import type { DownloadFacts, Part } from '../../../../../src/etl/project/model/download.ts';
import { testClient, testService } from '../../../../client/test-service.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const REQUEST: StreamRequest = {
  source: { kind: 'crawl', id: 'c1', dataType: 'pages' },
  fields: ['url', 'depth'],
  oql: null,
  format: 'csv',
  gzip: true,
  reported: Number.POSITIVE_INFINITY,
  limits: DEFAULT_LIMITS,
};
const signal = new AbortController().signal;

async function extract(service: { readonly baseUrl: string }, request: StreamRequest) {
  const generator = await extractStream(testClient(service), request, await temporaryFolder(), signal);
  const parts: Part[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done) return { parts, download: next.value satisfies DownloadFacts };
    parts.push(next.value);
  }
}

test('a streamed export becomes raw parts, with the facts of the download', async () => {
  const wire = gzipSync('url;depth\nhttps://x/;0\nhttps://x/a;1\n');
  const service = await testService((_seen, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(wire),
  );
  const { parts, download } = await extract(service, REQUEST);
  expect(download).toMatchObject({ bytes: wire.length, rows: 2, header: ['url', 'depth'] });
  expect(parts).toMatchObject([{ format: 'csv', file: 'pages.csv', firstLine: 2, rows: 2 }]);
  expect(await readFile(parts[0]?.path ?? '', 'utf8')).toBe('https://x/;0\nhttps://x/a;1\n');
  expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({ fields: ['url', 'depth'], file_type: 'csv' });
});

test('a body shorter than its announced length is retriable', async () => {
  const service = await testService((_seen, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"url":"https://x/"}\n', () => response.destroy());
  });
  const request = { ...REQUEST, format: 'json', gzip: false } as const;
  await expect(extract(service, request)).rejects.toMatchObject({ kind: 'retriable' });
});

test('a filter is sent with the request', async () => {
  const service = await testService((_seen, response) => response.end('{"url":"x"}\n'));
  const oql = { field: ['depth', 'gt', 1] } as const;
  await extract(service, { ...REQUEST, format: 'json', oql });
  expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({ oql });
});
