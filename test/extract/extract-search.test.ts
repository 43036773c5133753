import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../src/api/client.ts';
import type { DataSource } from '../../src/api/data-source.ts';
import type { Oql } from '../../src/api/oql.ts';
import { extractSearch } from '../../src/extract/extract-search.ts';
import { extractStream } from '../../src/extract/extract-stream.ts';
import type { Field } from '../../src/model/field.ts';
import type { Download, RawPart } from '../../src/model/raw-part.ts';
import { sharedService } from '../sandbox/support.ts';
import { temporaryFolder } from '../support/temporary.ts';

const it = await sharedService({ generate: ['pages=26000,columns=12'] });
const signal = new AbortController().signal;
const source: DataSource = { kind: 'crawl', id: await it.crawlId(), dataType: 'pages' };

function client(): ServiceClient {
  return new ServiceClient({ baseUrl: it.sandbox.baseUrl, accessToken: it.sandbox.accessToken });
}

async function lines(parts: AsyncGenerator<RawPart, Download>): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const next = await parts.next();
    if (next.done) {
      expect(next.value.rows).toBe(found.length);
      return found.sort();
    }
    found.push(...(await readFile(next.value.path, 'utf8')).trimEnd().split('\n'));
  }
}

async function bothWays(oql: Oql | null, names: readonly string[]): Promise<[string[], string[]]> {
  await using service = client();
  const records = await service.crawlFields(source.kind === 'crawl' ? source.id : '', 'pages', signal);
  const fields: Field[] = records
    .filter((record) => names.includes(record.name))
    .map(({ name, type, arity }) => ({ name, type, arity: arity === 'many' ? 'many' : 'one' }));
  const asked = fields.map((field) => field.name);
  const { meta } = await service.searchCrawl(
    source.kind === 'crawl' ? source.id : '',
    'pages',
    { limit: 0, ...(oql ? { oql } : {}) },
    signal,
  );
  const request = { source, fields, oql, total: meta.total_hits };
  const searched = await lines(extractSearch(service, request, await temporaryFolder(), signal));
  const streamed = await lines(
    await extractStream(
      service,
      { source, fields: asked, oql, format: 'json', gzip: false },
      await temporaryFolder(),
      signal,
    ),
  );
  const values = (line: string): string => JSON.stringify(JSON.parse(line));
  return [searched.map(values).sort(), streamed.map(values).sort()];
}

test('more rows than a search gives come in pieces, each row once', async () => {
  const [searched, streamed] = await bothWays(null, ['url', 'status_code', 'depth', 'title', 'inrank']);
  expect(searched.length).toBe(26_000);
  expect(searched).toEqual(streamed);
});

test('a filter of the caller holds in every piece', async () => {
  const oql: Oql = { or: [{ field: ['depth', 'gte', 2] }, { field: ['depth', 'has_no_value', ''] }] };
  const [searched, streamed] = await bothWays(oql, ['url', 'depth', 'inrank']);
  expect(searched.length).toBeGreaterThan(10_000);
  expect(searched).toEqual(streamed);
});

test('rows that no number tells apart are refused with what would work', async () => {
  await expect(bothWays(null, ['url', 'fetched'])).rejects.toMatchObject({
    code: 'impossible_route',
    hint: 'take the route stream',
  });
});
