import { expect, test } from 'vitest';
import type { CatalogReader } from '../../../../src/etl/state/catalog/catalog.ts';
import { resolveParameters } from '../../../../src/etl/state/catalog/resolve-parameters.ts';

interface Warehouse {
  /** Columns of mart.crawls; 6 are needed. */
  readonly columns?: number;
  readonly crawls?: readonly (readonly [
    id: string,
    project: string,
    previous: string | null,
    main: boolean,
  ])[];
  readonly projects?: readonly string[];
  /** Segmentations that have the segment. */
  readonly segmentations?: readonly string[];
  readonly tables?: number;
}
const CRAWLS = [
  ['a1', 'a', null, false],
  ['a2', 'a', 'a1', false],
  ['a3', 'a', 'a2', true],
] as const;

function reader({
  columns = 6,
  crawls = CRAWLS,
  projects = ['a'],
  segmentations = [],
  tables = 3,
}: Warehouse) {
  const said: string[] = [];
  const asked: string[] = [];
  const rows = async (sql: string): Promise<object[]> => {
    asked.push(sql);
    if (sql.includes('count(*) AS columns')) return [{ columns }];
    if (sql.includes('array_agg(crawl_id'))
      return [
        {
          ids: crawls.map(([id]) => id),
          project_ids: crawls.map(([, project]) => project),
          names: crawls.map(([, project]) => `Site ${project}`),
          previous_ids: crawls.map(([, , previous]) => previous),
          mains: crawls.map(([, , , main]) => main),
          days: crawls.map((_, at) => `2026-03-0${at + 1}`),
        },
      ];
    if (sql.includes('count(DISTINCT table_name)')) return [{ tables }];
    if (sql.includes('AS segmentations')) return [{ segmentations }];
    if (sql.includes('duckdb_columns')) return [{ names: ['ops.loads.project_id', 'raw.projects.name'] }];
    return [{ names: projects }];
  };
  const value: CatalogReader = { rows, say: (sentence) => void said.push(sentence) };
  return { value, said, asked };
}
const signal = new AbortController().signal;
const resolve = async (given: object, of: Warehouse = {}, isQuestion = true) => {
  const { value, said } = reader(of);
  const parameters = new Map<string, string | null>(Object.entries(given));
  const resolved = await resolveParameters({ parameters, isQuestion }, value, signal);
  return { ...Object.fromEntries(resolved), ...(said.length > 0 && { said }) };
};

test.each([
  [{ crawl: 'a2' }, { crawl: 'a2' }],
  [{ crawl: 'latest' }, { crawl: 'a3' }],
  [{ crawl: 'previous' }, { crawl: 'a2' }],
  [{ crawl: '-2' }, { crawl: 'a1' }],
  [{ crawl: '2026-03-02' }, { crawl: 'a2' }],
  [{ crawl: '2026-03-09' }, { crawl: 'a3', said: [expect.stringContaining('no crawl ended on 2026-03-09')] }],
  [
    { project: 'a', crawl: null },
    { project: 'a', crawl: null },
  ],
  [{ other: 'x' }, { other: 'x' }],
])('%j becomes %j', async (given, expected) => {
  expect(await resolve(given)).toEqual(expected);
});

test.each([
  [{ project: 'b' }, {}, 'the warehouse has no project b'],
  [{ crawl: 'x' }, {}, 'there is no crawl x'],
  [{ crawl: '-3' }, {}, 'there is no crawl -3'],
  [{ crawl: 'latest' }, { columns: 5 }, 'latest: the warehouse has no mart.crawls to look it up'],
  [{ segment: 's' }, { segmentations: ['t', 'u'] }, 'several segmentations have a segment s'],
])('%j is refused', async (given, of, message) => {
  await expect(resolve(given, of)).rejects.toThrow(message);
});

test('an identifier needs no mart.crawls, and SQL that is no question may name anything', async () => {
  expect(await resolve({ crawl: 'x' }, { columns: 5 })).toEqual({ crawl: 'x' });
  expect(
    await resolve({ project: 'b', crawl: 'x', segment: 's' }, { segmentations: ['t', 'u'] }, false),
  ).toEqual({ project: 'b', crawl: 'x', segment: 's' });
  expect(await resolve({ crawl: 'latest' }, {}, false)).toEqual({ crawl: 'a3' });
  expect(await resolve({ project: 'b' }, { projects: [] })).toEqual({ project: 'b' });
});

test('a segment with its segmentation, or of a warehouse without segments, is unambiguous', async () => {
  const several = { segmentations: ['t', 'u'] };
  expect(await resolve({ segment: 's', segmentation: 't' }, several)).toMatchObject({ segment: 's' });
  expect(await resolve({ segment: 's' }, { ...several, tables: 2 })).toEqual({ segment: 's' });
  expect(await resolve({ segment: 's' })).toEqual({ segment: 's' });
});

test('URLs of several projects need the name of one', async () => {
  const two = { crawls: [...CRAWLS, ['b1', 'b', null, true] as const] };
  await expect(resolve({ urls: 'u' }, two)).rejects.toMatchObject({
    message: 'the warehouse has 2 projects: name the project of the URLs',
    hint: `-p 'project=Site a', or -p 'project=Site b'`,
  });
  for (const given of [{ urls: 'u', project: 'a' }, { urls: null }, { urls: 'u', crawl: 'a1' }])
    expect(await resolve(given, two)).toEqual(given);
  expect(await resolve({ urls: 'u' })).toEqual({ urls: 'u' });
  expect(await resolve({ urls: 'u' }, two, false)).toEqual({ urls: 'u' });
});
