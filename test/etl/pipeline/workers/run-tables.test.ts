import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../../src/core/text/json.ts';
import { describeTables, readTables, runTables } from '../../../../src/etl/pipeline/workers/run-tables.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';
import { withWorking } from '../../engines/open-working.ts';
import { signal } from '../package-project.ts';

const READ = { type: 'VARCHAR', file: 'sql/pages.sql' };

/** A run whose rows are in Trino, with the stored tables that it finds there, and what it tells. */
async function telling(work: (run: Telling) => Promise<void>): Promise<void> {
  const folder = await temporaryFolder();
  await withWorking(folder, async ({ connection }) => {
    await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, url VARCHAR, n DECIMAL(38,0))');
    await connection.run(
      `INSERT INTO ops.unit_fields (unit, dataset, field, type, arity, column_name)
       VALUES ('crawl_pages/c1', 'crawl_pages', 'URL', 'string', 'one', 'url')`,
    );
    const stored = new Map<string, ReadonlyMap<string, string>>();
    const told: unknown[] = [];
    const rows = { isInCatalog: false, storedColumns: async (one: string) => stored.get(one) ?? new Map() };
    const context = {
      runId: 'run',
      settings: { state_dir: folder },
      signal,
      logger: { warn: () => {} },
      working: { connection, rows },
      engine: { alone: async () => ({ async [Symbol.asyncDispose]() {} }) },
      fieldsRead: () => new Map([['URL', READ]]),
    };
    const packages = {
      putTables: async (run: string, text: string) => void told.push([run, parseJson(text)]),
    };
    await work({ stored, told, context: context as never, packages: packages as never, rows });
  });
}

interface Telling {
  readonly stored: Map<string, ReadonlyMap<string, string>>;
  readonly told: unknown[];
  readonly context: Parameters<typeof runTables>[0];
  readonly packages: Parameters<typeof runTables>[1];
  readonly rows: { isInCatalog: boolean };
}

test('workers read the table schemas that the run knows', async () => {
  await telling(async ({ stored, context }) => {
    stored.set('raw.crawl_pages', new Map([['_unit', 'varchar']]));
    const tables = await describeTables(context, new Set(['crawl_pages', 'crawl_links']));
    expect(readTables(stringifyJson(tables))).toEqual(
      new Map([
        [
          'crawl_pages',
          {
            tableColumns: new Map([
              ['_unit', 'VARCHAR'],
              ['url', 'VARCHAR'],
              ['n', 'DECIMAL(38,0)'],
            ]),
            registry: new Map([['URL', 'url']]),
            reads: new Map([['URL', READ]]),
            stored: new Map([['_unit', 'varchar']]),
          },
        ],
      ]),
    );
  });
});

test('a run publishes its table schemas once, and again when a dataset gets a table', async () => {
  await telling(async ({ stored, told, context, packages, rows }) => {
    const tables = runTables(context, packages, new Set(['crawl_pages']));
    await tables.tell();
    expect(told).toEqual([['run', {}]]);
    stored.set('raw.crawl_pages', new Map([['_unit', 'varchar']]));
    for (let loads = 0; loads < 3; loads++) await tables.loaded('crawl_pages');
    expect(told.slice(1)).toEqual([['run', { crawl_pages: expect.anything() }]]);
    // A run without units publishes nothing, so nothing would remove it.
    await runTables(context, packages, new Set()).tell();
    rows.isInCatalog = true;
    await runTables(context, packages, new Set(['crawl_pages'])).tell();
    expect(told).toHaveLength(2);
  });
});

test('schema lists are numbered, and a table counts as published once its list exists', async () => {
  await telling(async ({ stored, told, context }) => {
    const puts: { readonly text: string; readonly ended: PromiseWithResolvers<void> }[] = [];
    const putTables = async (_run: string, text: string): Promise<void> => {
      const ended = Promise.withResolvers<void>();
      puts.push({ text, ended });
      await ended.promise;
      told.push(Object.keys(parseJson(text) as object));
    };
    const tables = runTables(context, { putTables } as never, new Set(['crawl_pages', 'crawl_links']));
    const { connection } = context.working;
    await connection.run('CREATE TABLE raw.crawl_links (_unit VARCHAR)');
    stored.set('raw.crawl_pages', new Map([['_unit', 'varchar']]));
    const first = tables.loaded('crawl_pages');
    const same = tables.loaded('crawl_pages');
    await until(async () => puts[0]);
    stored.set('raw.crawl_links', new Map([['_unit', 'varchar']]));
    const second = tables.loaded('crawl_links');
    puts[0]?.ended.reject(new Error('the store is away'));
    await first;
    // The table was not told of, so the next load tells of it.
    await until(async () => puts[1]);
    expect(told).toEqual([]);
    puts[1]?.ended.resolve();
    await Promise.all([same, second]);
    expect(told).toEqual([['crawl_pages', 'crawl_links']]);
    expect(puts).toHaveLength(2);
  });
});

test.each(['', '[]', '{"crawl_pages":{}}', '{"crawl_pages":null}', '{"a":{"tableColumns":[["x"]]}}'])(
  'text that is not a list of tables is refused: %j',
  (text) => {
    expect(() => readTables(text)).toThrow(expect.objectContaining({ code: 'bad_package' }));
  },
);
