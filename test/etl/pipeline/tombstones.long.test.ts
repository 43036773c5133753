import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, ident, text } from '../../../src/core/duckdb/duckdb.ts';
import { crawlhouse, projectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection } from '../../support/temporary.ts';

test('a reader that follows _load_id and ops.tombstones gets the rows of every model with a _load_id', async () => {
  const sandbox = await sandboxFor({
    generate: [
      'projects=2,crawls=3,pages=40,links=160,structured_data=20,log_days=3,events=60,ranking_days=3',
    ],
  });
  const folder = await projectFolder();
  await runProject(folder, sandbox, { pipelines: ['projects', 'crawls', 'crawl_pages'] });
  const connection = await temporaryConnection(folder);
  const reader = new Reader(connection, join(folder, 'warehouse.duckdb'));
  const tables = await reader.tables();
  expect(tables).toEqual(
    expect.arrayContaining(['pages', 'links', 'page_issues', 'page_hits', 'log_events']),
  );
  await reader.follow();
  const [first] = await reader.rows<{ load: string; unit: string; id: string }>(
    `SELECT run_id || ' ' || unit AS load, unit, source_id AS id FROM w.ops.loads WHERE dataset = 'crawl_pages' ORDER BY unit`,
  );
  expect(
    await reader.rows(`SELECT DISTINCT _load_id AS load FROM w.mart.pages WHERE crawl_id = '${first?.id}'`),
  ).toEqual([{ load: first?.load }]);
  expect(await reader.rows('FROM w.ops.tombstones WHERE unit IS NOT NULL')).toEqual([]);

  await runProject(folder, sandbox);
  await reader.follow();
  const issues = `SELECT count(*) AS n FROM w.ops.tombstones WHERE relation = 'mart.page_issues' AND reason = 'replaced'`;
  expect(Number((await reader.rows<{ n: bigint }>(issues))[0]?.n)).toBeGreaterThan(0);

  for (const [args, reason] of [
    [['run', 'crawl_pages', '--crawl', first?.id ?? '', '--reload'], 'reloaded'],
    [['transform', '--full'], undefined],
    [['drop', '--crawl', first?.id ?? '', '--yes'], 'dropped'],
  ] as const) {
    const { status, stderr } = await crawlhouse(folder, sandbox, args);
    expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({ args, status: 0, stderr: '' });
    if (reason)
      expect(
        await reader.rows(
          `SELECT relation, source_id AS id FROM w.ops.tombstones WHERE unit = '${first?.unit}' AND reason = '${reason}'`,
        ),
      ).toEqual([{ relation: 'raw.crawl_pages', id: first?.id }]);
    await reader.follow();
  }
});

/** A reader with a copy of each model, which reads what is new and deletes what is gone. */
class Reader {
  readonly #connection: Connection;
  readonly #warehouse: string;

  constructor(connection: Connection, warehouse: string) {
    this.#connection = connection;
    this.#warehouse = warehouse;
  }

  async rows<T>(sql: string): Promise<T[]> {
    return await this.#attached(async () => (await this.#connection.rows(sql)) as T[]);
  }

  async #attached<T>(work: () => Promise<T>): Promise<T> {
    await this.#connection.run(`ATTACH ${text(this.#warehouse)} AS w (READ_ONLY)`);
    try {
      return await work();
    } finally {
      await this.#connection.run('DETACH w');
    }
  }

  async tables(): Promise<string[]> {
    const rows = await this.rows<{ name: string }>(
      `SELECT table_name AS name FROM duckdb_columns() WHERE database_name = 'w' AND schema_name = 'mart'
       AND column_name = '_load_id' ORDER BY ALL`,
    );
    return rows.map(({ name }) => name);
  }

  /** Brings the copies up to date, and compares them with the models. */
  async follow(): Promise<void> {
    const names = await this.tables();
    await this.#attached(async () => {
      for (const name of names)
        expect(await this.#followOne(name)).toEqual({ name, differing: 0n, unnamed: 0n });
    });
  }

  async #followOne(name: string): Promise<object> {
    const connection = this.#connection;
    const [copy, source] = [`memory.main.${ident(name)}`, `w.mart.${ident(name)}`];
    await connection.run(`CREATE TABLE IF NOT EXISTS ${copy} AS FROM ${source} WHERE false`);
    await connection.run(`DELETE FROM ${copy} WHERE _load_id IN (SELECT load_id FROM w.ops.tombstones)`);
    await connection.run(
      `INSERT INTO ${copy} BY NAME SELECT * FROM ${source}
       WHERE _load_id NOT IN (SELECT DISTINCT _load_id FROM ${copy})`,
    );
    const both = `((FROM ${copy} EXCEPT ALL FROM ${source}) UNION ALL (FROM ${source} EXCEPT ALL FROM ${copy}))`;
    const [compared] = await connection.rows(
      `SELECT (SELECT count(*) FROM ${both}) AS differing,
         (SELECT count(*) FROM ${source} WHERE _load_id IS NULL OR _loaded_at IS NULL) AS unnamed`,
    );
    return { name, ...compared };
  }
}
