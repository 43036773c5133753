import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineStatement } from '../../../../src/app/answers/query/engine-statement.ts';
import { EngineWarehouse } from '../../../../src/app/answers/query/engine-warehouse.ts';
import type { QueryLimits } from '../../../../src/app/answers/query/query-limits.ts';
import type { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { EngineValue, Statements } from '../../../../src/etl/engines/engine.ts';
import { TrinoFailure, trinoError } from '../../../../src/etl/engines/trino/client/trino-error.ts';
import { errorOf } from '../../../support/error-of.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const { signal } = new AbortController();
const LIMITS: QueryLimits = { seconds: 60, memory: '200MB', temp: '1GB', rows: 10, result: '1MB' };
const COLUMNS = [
  { name: 'url', type: 'VARCHAR' },
  { name: 'n', type: 'DECIMAL(38,0)' },
];
const ROWS: EngineValue[][] = [
  ['a', '1'],
  ['b', '2'],
  [null, null],
];
const STATEMENT: EngineStatement = { sql: 'SELECT 1', columns: COLUMNS, skip: 0, picked: null };

interface Scene {
  readonly statement: EngineStatement | null;
  /** Rows as they arrive, or an error. */
  readonly chunks?: readonly (readonly (readonly EngineValue[])[])[] | Error;
  readonly limits?: Partial<QueryLimits>;
}

function scene({ statement, chunks = [ROWS], limits = {} }: Scene) {
  const [planned, asked, closed]: [unknown[], unknown[], string[]] = [[], [], []];
  const catalog = {
    plan: async (request: unknown) => {
      planned.push(request);
      return statement;
    },
    write: async () => 70,
    writeParquet: async () => 71,
    [Symbol.asyncDispose]: async () => void closed.push('catalog'),
  } as unknown as QueryProcess;
  const statements = {
    async *rows(sql: string, seconds: number) {
      asked.push([sql, seconds]);
      if (chunks instanceof Error) throw chunks;
      yield* chunks;
    },
    [Symbol.asyncDispose]: async () => void closed.push('statements'),
  } as unknown as Statements;
  const engine = { engine: 'trino', schemaPrefix: 'p_', password: 'secret' };
  const options = {
    engine,
    limits: { ...LIMITS, ...limits },
    threads: 1,
    spill: join(tmpdir(), 'crawlhouse-test-spill'),
  };
  const warehouse = new EngineWarehouse(catalog, statements, options);
  const written = async (more = {}, parameters?: ReadonlyMap<string, string>) => {
    const pieces: string[] = [];
    const count = await warehouse.write(
      'SELECT url',
      { format: 'csv', ...more },
      async (piece) => void pieces.push(piece),
      signal,
      parameters,
    );
    return [count, pieces.join('')];
  };
  return { warehouse, written, planned, asked, closed };
}

test('rows come from the engine, with the names of the catalog, which gets no secrets', async () => {
  const { written, planned, asked } = scene({ statement: STATEMENT });
  const page = { limit: 5 };
  expect(await written({ page }, new Map([['crawl', 'c']]))).toEqual([3, 'url,n\na,1\nb,2\n,\n']);
  const engine = { engine: 'trino', schemaPrefix: 'p_' };
  expect(planned).toEqual([{ sql: 'SELECT url', parameters: new Map([['crawl', 'c']]), page, engine }]);
  expect(asked).toEqual([['SELECT 1', 60]]);
});

test('a statement that the catalog can answer is answered there', async () => {
  const { warehouse, written } = scene({ statement: null });
  expect(await written()).toEqual([70, '']);
  expect(await warehouse.writeParquet('SELECT 1', '/nowhere', signal)).toBe(71);
});

test('rows before the page are skipped across chunks, and columns are picked', async () => {
  const chunks = [
    [['a', 'x', '1']],
    [
      ['b', 'x', '2'],
      ['c', 'x', '3'],
    ],
    [['d', 'x', '4']],
  ];
  const statement = { ...STATEMENT, skip: 2, picked: [0, 2] };
  expect(await scene({ statement, chunks }).written()).toEqual([2, 'url,n\nc,3\nd,4\n']);
  expect(
    await scene({ statement: { ...statement, skip: 0 }, chunks }).written({ page: { limit: 1 } }),
  ).toEqual([1, 'url,n\na,1\n']);
  expect(
    await scene({ statement: { ...statement, skip: 0 }, chunks }).written({
      firstRows: 2,
      page: { limit: 3 },
    }),
  ).toEqual([2, 'url,n\na,1\nb,2\n']);
});

test.each<[limits: Partial<QueryLimits>, more: object, setting: string]>([
  [{ rows: 2 }, {}, 'more than 2 rows'],
  [{}, { rowLimit: 1 }, 'more than 1 row'],
  [{ result: '5B' }, {}, 'it returned more than'],
])('the limits %j and %j end a query', async (limits, more, message) => {
  expect(await errorOf(scene({ statement: STATEMENT, limits }).written(more))).toMatchObject({
    code: 'query_limit',
    message: expect.stringContaining(message),
  });
});

const failure = (errorName: string, errorType: string) =>
  trinoError(new TrinoFailure('q', { errorName, errorType, message: 'no' }));

test.each([
  [
    failure('SYNTAX_ERROR', 'USER_ERROR'),
    'bad_query',
    'no (SYNTAX_ERROR, query q)',
    'DuckDB accepts this statement, but Trino, which stores the rows, does not',
  ],
  [
    failure('EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES'),
    'query_limit',
    'the query was ended: it took longer than 60 s',
    'request less data, or raise query_timeout in crawlhouse.yaml',
  ],
  [failure('ICEBERG_ERROR', 'EXTERNAL'), 'engine_failed', 'no (ICEBERG_ERROR, query q)', null],
  [new CrawlhouseError('bad_query', 'ours', { hint: 'own' }), 'bad_query', 'ours', 'own'],
])('%s is reported as %s', async (chunks, code, message, hint) => {
  const error = await errorOf(scene({ statement: STATEMENT, chunks }).written());
  expect([error.code, error.message]).toEqual([code, message]);
  if (hint !== null) expect(error.hint).toBe(hint);
});

test('a Parquet file has the types of the catalog, and the lines between are removed', async () => {
  const folder = await temporaryFolder();
  const output = join(folder, 'rows.parquet');
  const { warehouse } = scene({ statement: STATEMENT });
  expect(await warehouse.writeParquet('SELECT url', output, signal)).toBe(3);
  const connection = await temporaryConnection(folder);
  expect(await connection.jsonRows(`SELECT url, n, typeof(n) AS type FROM '${output}'`)).toEqual([
    { url: 'a', n: '1', type: 'DECIMAL(38,0)' },
    { url: 'b', n: '2', type: 'DECIMAL(38,0)' },
    { url: null, n: null, type: 'DECIMAL(38,0)' },
  ]);
  expect(existsSync(`${output}.rows`)).toBe(false);
  const failing = scene({ statement: STATEMENT, limits: { rows: 2 } }).warehouse;
  expect((await errorOf(failing.writeParquet('SELECT url', output, signal))).code).toBe('query_limit');
  expect(existsSync(`${output}.rows`)).toBe(false);
});

test('its end ends the engine and the catalog', async () => {
  const { warehouse, closed } = scene({ statement: null });
  await warehouse[Symbol.asyncDispose]();
  expect(closed).toEqual(['statements', 'catalog']);
});
