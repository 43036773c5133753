import { describe, expect, test } from 'vitest';
import { type Connection, ident } from '../../../src/core/duckdb/duckdb.ts';
import type { RowStore } from '../../../src/etl/engines/row-store.ts';

/** A store of rows whose catalog has `raw.crawl_pages (_unit VARCHAR, n BIGINT)`. */
interface OpenRowStore {
  readonly rows: RowStore;
  readonly catalog: Connection;
  /** The rows of `raw.crawl_pages` as the writer sees them, each with its values by column. */
  readonly read: () => Promise<readonly Record<string, unknown>[]>;
  /** Shows readers what there is. */
  readonly publish: () => Promise<unknown>;
}

/** What holds for the rows of units in every engine. */
export function rowStoreContract(engine: string, open: () => Promise<OpenRowStore>): void {
  const relation = 'raw.crawl_pages';
  const one = (unit: string): string => `crawl_pages/${unit}`;

  /** Puts whole numbers in the place of a unit's rows. */
  async function put({ rows }: OpenRowStore, unit: string, numbers: readonly number[]): Promise<bigint> {
    const values = new Map([
      ['_unit', `'${one(unit)}'`],
      ['n', 'n'],
    ]);
    const from = numbers.length === 0 ? null : `(VALUES (${numbers.join('), (')})) AS t(n)`;
    return rows.replaceUnit({ relation, unit: one(unit), values, from });
  }

  async function texts({ read }: OpenRowStore): Promise<string[]> {
    return (await read()).map((row) => Object.values(row).map(String).join(' ')).toSorted();
  }

  describe(`rows in ${engine}`, () => {
    test('a load replaces its unit, and only it', async () => {
      const store = await open();
      expect(await put(store, 'a', [1, 2])).toBe(2n);
      await put(store, 'b', [3]);
      expect(await put(store, 'a', [4])).toBe(1n);
      expect(await texts(store)).toEqual(['crawl_pages/a 4', 'crawl_pages/b 3']);
    });

    test('a unit with rows replaces its empty load', async () => {
      const store = await open();
      await put(store, 'a', [1]);
      expect(await put(store, 'a', [])).toBe(0n);
      expect(await texts(store)).toEqual([]);
    });

    test('removed units come back with another load', async () => {
      const store = await open();
      await put(store, 'a', [1, 2]);
      await put(store, 'b', [3]);
      await put(store, 'c', [4]);
      expect(await store.rows.removeUnits(relation, [one('a'), one('b'), one('unknown')])).toBe(3n);
      expect(await texts(store)).toEqual(['crawl_pages/c 4']);
      await put(store, 'a', [5]);
      expect(await texts(store)).toEqual(['crawl_pages/a 5', 'crawl_pages/c 4']);
    });

    test('rows of earlier loads are NULL in a new column', async () => {
      const store = await open();
      await put(store, 'a', [1]);
      const column = 'a comma, a "quote" and a space';
      await store.catalog.run(`ALTER TABLE raw.crawl_pages ADD COLUMN ${ident(column)} VARCHAR`);
      const values = new Map([
        ['_unit', `'${one('b')}'`],
        [column, "'it''s'"],
      ]);
      await store.rows.replaceUnit({ relation, unit: one('b'), values, from: '(SELECT 1)' });
      expect(await texts(store)).toEqual(['crawl_pages/a 1 null', "crawl_pages/b null it's"]);
    });

    test('units are restored to their published rows, with the current column types', async () => {
      const store = await open();
      await put(store, 'a', [1]);
      await put(store, 'b', [2]);
      await store.publish();
      await put(store, 'a', [3, 4]);
      await put(store, 'c', [5]);
      expect(await store.rows.restoreUnits(relation, [one('a'), one('c')])).toBe(false);
      expect(await texts(store)).toEqual(['crawl_pages/a 1', 'crawl_pages/b 2']);
      await store.catalog.run('ALTER TABLE raw.crawl_pages ALTER COLUMN n TYPE DECIMAL(38,0)');
      await put(store, 'a', [6]);
      expect(await store.rows.restoreUnits(relation, [one('a')])).toBe(true);
      expect(await texts(store)).toEqual(['crawl_pages/a 1', 'crawl_pages/b 2']);
    });

    test('a column that widens, or becomes a list, keeps the values of earlier loads', async () => {
      const store = await open();
      await put(store, 'a', [1]);
      const as = async (type: string, using: string, value: string, unit: string): Promise<void> => {
        await store.catalog.run(`ALTER TABLE raw.crawl_pages ALTER COLUMN n TYPE ${type} USING ${using}`);
        const values = new Map([
          ['_unit', `'${one(unit)}'`],
          ['n', `CAST(${value} AS ${type})`],
        ]);
        await store.rows.replaceUnit({ relation, unit: one(unit), values, from: '(SELECT 1)' });
      };
      await as('DECIMAL(38,0)', 'n', '9223372036854775808', 'b');
      await as('DECIMAL(38,0)[]', '[n]', '[7, 8]', 'c');
      const found = (await texts(store)).map((row) => row.replaceAll(/[^\w/, ]/g, '').replaceAll(', ', ','));
      expect(found).toEqual(['crawl_pages/a 1', 'crawl_pages/b 9223372036854775808', 'crawl_pages/c 7,8']);
    });
  });
}
