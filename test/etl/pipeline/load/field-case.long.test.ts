import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Connection, ident } from '../../../../src/core/duckdb/duckdb.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { runs } from '../../../support/runs.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { makePackage } from './make-package.ts';
import '../../../support/process-timeout.ts';

/** Names that DuckDB takes for one, for one of ours, for a pattern, or for a name with a mark. */
const NAMES = [
  'url',
  'Url',
  'URL',
  'uRL',
  '*',
  '**',
  '/',
  '~',
  '~1',
  '$',
  '$.*',
  '0',
  '[0]',
  '"',
  "'",
  'a.b',
  'A.B',
  ' ',
  '_unit',
  '_UNIT',
  '_seen_to',
  '_content',
  '_later',
  // The marked names of `Title` and of that name itself.
  'title',
  'Title',
  'Title~7e8cd2',
  'title~7e8cd2',
  'é',
  'É',
  'ß',
  'K',
  'k',
  '\u212a',
];

interface Crawl {
  readonly id: string;
  readonly names: readonly string[];
  /** Has it a row that is taken apart singly, because a value is none? */
  readonly isBroken: boolean;
}

const crawls = fc
  .array(fc.record({ names: fc.subarray(NAMES, { minLength: 1, maxLength: 6 }), isBroken: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((some) =>
    fc.shuffledSubarray(
      some.map((one, index) => ({ ...one, id: `c${index}` })),
      { minLength: some.length },
    ),
  );

const textOf = (id: string, name: string): string => `${name} of ${id}`;

/** What a unit's fields hold, each by the column that the warehouse names for it. */
async function valuesOf(connection: Connection, id: string): Promise<Record<string, unknown>> {
  const fields = await connection.rows<{ field: string; column_name: string }>(
    'SELECT field, column_name FROM ops.unit_fields WHERE unit = ?',
    [`crawl_pages/${id}`],
  );
  const values = fields.map(({ column_name }, index) => `${ident(column_name)} AS v${index}`);
  const [row] = await connection.rows(
    `SELECT ${values.join(', ')} FROM raw.crawl_pages WHERE _unit = ? AND _crawl_id = ?`,
    [`crawl_pages/${id}`, id],
  );
  return Object.fromEntries(fields.map(({ field }, index) => [field, row?.[`v${index}`]]));
}

test('every field of every crawl is read back from its column, whatever its name and the order of crawls', async () => {
  await fc.assert(
    fc.asyncProperty(crawls, async (some: readonly Crawl[]) => {
      const folder = await temporaryFolder();
      const database = await openDatabase(folder);
      const working = await openWorking(folder, database);
      using staging = await database.connect();
      for (const { id, names, isBroken } of some) {
        const fields = [...names, 'n'].map((name) => ({
          name,
          type: name === 'n' ? 'natural' : 'string',
          arity: 'one' as const,
        }));
        const row = { ...Object.fromEntries(names.map((name) => [name, textOf(id, name)])), n: 1 };
        const rows = isBroken ? [row, { ...row, n: 1.5 }] : [row];
        const staged = await readPackage(await makePackage(staging, folder, { id, fields, rows }));
        const signal = new AbortController().signal;
        await loadPackage(working, staged, { runId: 'r', schemaChange: 'evolve', signal });
      }
      for (const { id, names } of some) {
        const expected = Object.fromEntries(names.map((name) => [name, textOf(id, name)]));
        expect(await valuesOf(working.connection, id)).toEqual({ ...expected, n: 1n });
      }
      await database[Symbol.asyncDispose]();
    }),
    { numRuns: runs(25) },
  );
});
