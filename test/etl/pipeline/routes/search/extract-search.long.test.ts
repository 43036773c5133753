import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceClient } from '../../../../../src/client/http/service-client.ts';
import type { Oql } from '../../../../../src/client/oql/oql.ts';
import type { DataSource } from '../../../../../src/client/resources/data-source.ts';
import { DEFAULT_LIMITS } from '../../../../../src/core/net/download-limits.ts';
import { parseJson, stringifyJson } from '../../../../../src/core/text/json.ts';
import { extractSearch } from '../../../../../src/etl/pipeline/routes/search/search-route.ts';
import { extractStream } from '../../../../../src/etl/pipeline/routes/stream/stream-route.ts';
import type { DownloadFacts, Part } from '../../../../../src/etl/project/model/download.ts';
import type { Field } from '../../../../../src/etl/project/model/field.ts';
import { sendJson, testClient, testService } from '../../../../client/test-service.ts';
import { sharedService } from '../../../../service/support.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const it = await sharedService({ generate: ['pages=26000,columns=12'] });
const signal = new AbortController().signal;
const source: DataSource = { kind: 'crawl', id: await it.crawlId(), dataType: 'pages' };

function client(): ServiceClient {
  return new ServiceClient({ baseUrl: it.sandbox.baseUrl, accessToken: it.sandbox.accessToken });
}

async function lines(parts: AsyncGenerator<Part, DownloadFacts>): Promise<string[]> {
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
  const records = await service.fields(
    { kind: 'crawl', id: source.kind === 'crawl' ? source.id : '', dataType: 'pages' },
    signal,
  );
  const fields: Field[] = records
    .filter((record) => names.includes(record.name))
    .map(({ name, type, arity }) => ({ name, type, arity: arity === 'many' ? 'many' : 'one' }));
  const asked = fields.map((field) => field.name);
  const { meta } = await service.search(
    { kind: 'crawl', id: source.kind === 'crawl' ? source.id : '', dataType: 'pages' },
    { limit: 0, ...(oql ? { oql } : {}) },
    signal,
  );
  const key = fields.some(({ name }) => name === 'url') ? ['url'] : [];
  const request = { source, fields, oql, total: meta.total_hits, key };
  const searched = await lines(await extractSearch(service, request, await temporaryFolder(), signal));
  const streamed = await lines(
    await extractStream(
      service,
      {
        source,
        fields: asked,
        oql,
        format: 'json',
        gzip: false,
        reported: Number.POSITIVE_INFINITY,
        limits: DEFAULT_LIMITS,
      },
      await temporaryFolder(),
      signal,
    ),
  );
  const values = (line: string): string => JSON.stringify(JSON.parse(line));
  return [searched.map(values).sort(), streamed.map(values).sort()];
}

test('more rows than a search returns are split into pieces, each row once', async () => {
  const [searched, streamed] = await bothWays(null, ['url', 'status_code', 'depth', 'title', 'inrank']);
  expect(searched.length).toBe(26_000);
  expect(searched).toEqual(streamed);
});

test('the filter of the caller applies to every piece', async () => {
  const oql: Oql = { or: [{ field: ['depth', 'gte', 2] }, { field: ['depth', 'has_no_value', ''] }] };
  const [searched, streamed] = await bothWays(oql, ['url', 'depth', 'inrank']);
  expect(searched.length).toBeGreaterThan(10_000);
  expect(searched).toEqual(streamed);
});

test('rows that no number distinguishes are refused with an alternative', async () => {
  await expect(bothWays(null, ['url', 'fetched'])).rejects.toMatchObject({
    code: 'impossible_route',
    hint: 'use the route stream',
  });
});

test('a service that ignores a filter is detected before any row is loaded', async () => {
  const answer = { meta: { total_hits: 5000 }, urls: [{ depth: 1 }] };
  const other = await testService((_seen, response) => sendJson(response, 200, answer));
  const fields: Field[] = [{ name: 'depth', type: 'natural', arity: 'one' }];
  const request = { source, fields, oql: null, total: 5000, key: [] };
  const folder = await temporaryFolder();
  await expect(extractSearch(testClient(other), request, folder, signal)).rejects.toMatchObject({
    code: 'impossible_route',
    message: expect.stringMatching(/: 5000 rows split by depth are 5000 and 5000, which do not add up/),
  });
  expect(other.seen).toHaveLength(3);
});

type Cell = number | bigint | null;
interface Asked {
  readonly oql?: Leaf | { readonly and: readonly Leaf[] };
  readonly limit: number;
  readonly offset?: number;
  readonly sort?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[];
}
interface Leaf {
  readonly field: readonly [name: 'a' | 'b', action: string, bound: number | bigint];
}
type Numbers = Readonly<Record<'a' | 'b', Cell>> & { readonly id: number };

function holds(row: Numbers, { field: [name, action, bound] }: Leaf): boolean {
  const value = row[name];
  if (action === 'has_no_value' || value === null) return action === 'has_no_value' && value === null;
  if (action === 'gte') return value >= bound;
  return action === 'lt' ? value < bound : action === 'lte' ? value <= bound : true;
}

/** A service with these rows, whose filters and orders are JavaScript's own. */
async function serviceOf(rows: readonly Numbers[]): Promise<ServiceClient> {
  const other = await testService(({ body }, response) => {
    const asked = parseJson(body) as Asked;
    const leaves = asked.oql === undefined ? [] : 'and' in asked.oql ? asked.oql.and : [asked.oql];
    const found = rows.filter((row) => leaves.every((leaf) => holds(row, leaf)));
    const by = asked.sort?.[0];
    const name = by?.field as 'a' | undefined;
    const sorted =
      name === undefined
        ? found
        : found.toSorted(
            (one, next) => ((one[name] ?? 0) < (next[name] ?? 0) ? -1 : 1) * (by?.order === 'asc' ? 1 : -1),
          );
    const offset = asked.offset ?? 0;
    const answer = { meta: { total_hits: found.length }, urls: sorted.slice(offset, offset + asked.limit) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(stringifyJson(answer));
  });
  return testClient(other);
}

const REALS = fc.oneof(
  fc.constant(null),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3, max: 3 }),
);
const WHOLES = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -5, max: 50 }),
  fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }),
);

test.each([
  ['float', REALS],
  ['natural', WHOLES],
] as const)('rows with any values of a %s are loaded once each, or all refused', async (type, cells) => {
  const fields: Field[] = [
    { name: 'id', type: 'string', arity: 'one' },
    { name: 'a', type, arity: 'one' },
    { name: 'b', type, arity: 'one' },
  ];
  const groups = fc.array(fc.record({ a: cells, b: cells, times: fc.integer({ min: 1, max: 1500 }) }), {
    minLength: 4,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(groups, async (parts) => {
      const values = parts.flatMap(({ a, b, times }) => Array.from({ length: times }, () => ({ a, b })));
      const rows = values.map((one, id) => ({ id, ...one }));
      const same = Map.groupBy(rows, ({ a, b }) => `${a} ${b}`);
      const request = { source, fields, oql: null, total: rows.length, key: [] };
      const extracted = extractSearch(await serviceOf(rows), request, await temporaryFolder(), signal);
      if ([...same.values()].some((all) => all.length > 2000))
        return void (await expect(extracted).rejects.toMatchObject({ code: 'impossible_route' }));
      const ids = (await lines(await extracted)).map((line) => (JSON.parse(line) as Numbers).id);
      expect(ids.toSorted((one, next) => one - next)).toEqual(rows.map(({ id }) => id));
    }),
    { numRuns: 20 },
  );
});
