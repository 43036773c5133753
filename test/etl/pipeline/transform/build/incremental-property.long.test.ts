import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Connection, ident, table } from '../../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { ALL_ROUNDS, roundSeed } from '../../../../support/random.ts';
import { runModels } from '../../../../support/run-models.ts';
import { openWarehouse } from '../test-warehouse.ts';

/**
 * After any sequence of loads, reloads and deletions, a build by partition gives the same tables as a full build, by
 * partition or in one statement.
 * Units are small and few, so that they meet: crawls of two projects that end in any order, days around them.
 */
const models = (await loadModels([sqlFolder(join(import.meta.dirname, '../../../../../sql'))]))
  .filter(({ name }) => !/crawl_comparison|clusters|log_pages_(weeks|months)/.test(name))
  .map((model) => ({ ...model, tests: [] }));
const tables = models.filter(({ kind }) => kind === 'table').map(({ name }) => name);
/** Each made by one statement. */
const whole = models.map((model) => ({
  ...model,
  incremental: model.incremental && { ...model.incremental, within: {} },
}));

const PROJECTS = ['p1', 'p2'];
const project = (crawl: string): string => (crawl < 'c3' ? 'p1' : 'p2');
const CRAWLS: readonly string[] = ['c1', 'c2', 'c3', 'c4', 'c5'];
/** So many beside them that a model is made in several statements. */
const OTHERS: readonly string[] = ['b1', 'b2', 'd1'];
const crawl = fc.constantFrom(...CRAWLS);
const day = fc.constantFrom('2025-01-01', '2025-01-02', '2025-01-03', '2025-02-01');
const url = fc.constantFrom<string>('a', 'b', 'c', 'd');
const status = fc.constantFrom<(number | null)[]>(200, 404, 500, null);

const page = fc.record({
  url,
  status_code: status,
  title: fc.constantFrom<(string | null)[]>('x', 'y', null),
  nb_inlinks: fc.constantFrom<(number | null)[]>(0, 1, null),
});
const pages = fc.uniqueArray(page, { selector: (one) => one.url, maxLength: 4 });
const links = fc.array(fc.record({ origin: url, target: url, target_status: status }), { maxLength: 4 });
const requests = fc.uniqueArray(
  fc.record({
    url,
    kind: fc.constantFrom('recheck', 'sitemap'),
    status_code: fc.constantFrom<(number | null)[]>(200, 301, 404, null),
    final_redirect_location: fc.constantFrom<(string | null)[]>('a', 'd', null),
    num_urls: fc.constantFrom<(number | null)[]>(3, null),
  }),
  { selector: (one) => one.url, maxLength: 3 },
);
const hits = fc.uniqueArray(fc.record({ url, hits: fc.integer({ min: 0, max: 9 }) }), {
  selector: (one) => one.url,
  maxLength: 3,
});
const lines = fc.array(
  fc.record({ url, status_code: status, is_bot: fc.constantFrom<(boolean | null)[]>(true, false, null) }),
  { maxLength: 4 },
);
const searches = fc.array(
  fc.record({ url, query: fc.constantFrom('q', 'r'), clicks: fc.nat(3), impressions: fc.nat(9) }),
  { maxLength: 4 },
);
const projectId = fc.constantFrom(...PROJECTS);

const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pages'), crawl, rows: pages, titled: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('links'), crawl, rows: links }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('requests'), crawl, rows: requests }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('record'), crawl, ended: fc.nat(80) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('days'), projectId, day, rows: hits }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lines'), projectId, day, rows: lines }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('searches'), projectId, day, rows: searches }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop'), crawl }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start'), projectId, url }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('drop day'),
      dataset: fc.constantFrom('log_pages_days', 'log_events'),
      projectId,
      day,
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const BEGINNING = [...CRAWLS, ...OTHERS].flatMap((name, index): Change[] => [
  { kind: 'record', crawl: name, ended: index * 20 },
  {
    kind: 'pages',
    crawl: name,
    titled: true,
    rows: [
      { url: 'a', status_code: 200, title: name, nb_inlinks: 0 },
      { url: 'b', status_code: 404, title: 'x', nb_inlinks: 0 },
    ],
  },
]);

const RAW: Readonly<Record<string, string>> = {
  crawl_pages: '_crawl_id VARCHAR, url VARCHAR, status_code BIGINT, title VARCHAR, nb_inlinks BIGINT',
  crawl_links: '_crawl_id VARCHAR, origin VARCHAR, target VARCHAR, target_status BIGINT, anchor VARCHAR',
  crawl_requests:
    '_crawl_id VARCHAR, url VARCHAR, kind VARCHAR, status_code BIGINT, final_redirect_location VARCHAR, num_urls BIGINT',
  log_pages_days: '_window VARCHAR, day DATE, url VARCHAR, hits BIGINT',
  log_events: '_window VARCHAR, url VARCHAR, status_code BIGINT, is_bot BOOLEAN',
  ranking_performance:
    '_window VARCHAR, date DATE, url VARCHAR, query VARCHAR, clicks BIGINT, impressions BIGINT',
};

test('models built by partition equal a full build, after any loads, reloads and deletions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      async (runs) => {
        await using warehouse = await openWarehouse();
        const { connection } = warehouse;
        await makeTables(connection);
        // All begin with records of their crawls and some pages: without them little would follow from anything.
        let clock = 0;
        for (const one of BEGINNING) await apply(connection, one, ++clock);
        for (const changes of runs) {
          for (const one of changes) await apply(connection, one, ++clock);
          await make(connection, []);
        }
        await make(connection, []);
        const inPartitions = await contents(connection);
        await make(connection, 'all');
        expect(inPartitions).toEqual(await contents(connection));
        await make(connection, 'all', whole);
        expect(inPartitions).toEqual(await contents(connection));
      },
    ),
    { numRuns: ALL_ROUNDS ? 4 : 2, seed: ALL_ROUNDS ? roundSeed() : 20261121, endOnFailure: true },
  );
});

async function makeTables(connection: Connection): Promise<void> {
  for (const [name, columns] of Object.entries(RAW)) {
    await connection.run(
      `CREATE TABLE ${table('raw', name)} (_unit VARCHAR, _project_id VARCHAR, ${columns})`,
    );
  }
  await connection.run(`CREATE TABLE raw.crawls (id VARCHAR, project_id VARCHAR, ended_at BIGINT)`);
  await connection.run(`CREATE TABLE raw.projects (id VARCHAR, start_url VARCHAR)`);
}

async function apply(connection: Connection, one: Change, clock: number): Promise<void> {
  switch (one.kind) {
    case 'pages': {
      const fields = one.titled ? ['url', 'status_code', 'title'] : ['url', 'status_code'];
      const rows = one.rows.map((row) => (one.titled ? row : { ...row, title: null }));
      return load(connection, 'crawl_pages', one.crawl, null, rows, clock, fields);
    }
    case 'links':
      return load(connection, 'crawl_links', one.crawl, null, one.rows, clock);
    case 'requests':
      return load(connection, 'crawl_requests', one.crawl, null, one.rows, clock);
    case 'days':
      return load(connection, 'log_pages_days', one.projectId, one.day, one.rows, clock);
    case 'lines':
      return load(connection, 'log_events', one.projectId, one.day, one.rows, clock, ['url', 'is_bot']);
    case 'searches':
      return load(connection, 'ranking_performance', one.projectId, one.day, one.rows, clock);
    case 'record':
      await connection.run('DELETE FROM raw.crawls WHERE id = $1', [one.crawl]);
      await connection.run(
        `INSERT INTO raw.crawls SELECT $1, $2, epoch_ms(TIMESTAMP '2025-01-01' + to_hours($3::BIGINT))`,
        [one.crawl, project(one.crawl), one.ended],
      );
      return;
    case 'start':
      await connection.run('DELETE FROM raw.projects WHERE id = $1', [one.projectId]);
      await connection.run('INSERT INTO raw.projects VALUES ($1, $2)', [one.projectId, one.url]);
      return;
    case 'drop':
      await unload(connection, 'crawl_pages', `crawl_pages/${one.crawl}`);
      await unload(connection, 'crawl_requests', `crawl_requests/${one.crawl}`);
      return unload(connection, 'crawl_links', `crawl_links/${one.crawl}`);
    case 'drop day':
      return unload(connection, one.dataset, `${one.dataset}/${one.projectId}/${one.day}`);
  }
}

async function unload(connection: Connection, dataset: string, unit: string): Promise<void> {
  await connection.run(`DELETE FROM ${table('raw', dataset)} WHERE _unit = $1`, [unit]);
  await connection.run('DELETE FROM ops.loads WHERE unit = $1', [unit]);
  await connection.run('DELETE FROM ops.unit_fields WHERE unit = $1', [unit]);
}

/** As `loadPackage` leaves it, without the package. */
async function load(
  connection: Connection,
  dataset: string,
  source: string,
  window: string | null,
  rows: readonly object[],
  clock: number,
  fields: readonly string[] = [],
): Promise<void> {
  const unit = [dataset, source, ...(window ? [window] : [])].join('/');
  const owner = window ? source : project(source);
  await unload(connection, dataset, unit);
  const own = window ? { _window: window } : { _crawl_id: source };
  for (const row of rows) {
    const columns = { _unit: unit, _project_id: owner, ...own, ...row };
    const names = Object.keys(columns).map(ident).join(', ');
    const values = Object.keys(columns).map((_, index) => `$${index + 1}`);
    await connection.run(
      `INSERT INTO ${table('raw', dataset)} (${names}) VALUES (${values.join(', ')})`,
      Object.values(columns),
    );
  }
  await connection.run(
    `INSERT INTO ops.loads (unit, dataset, source_kind, source_id, project_id, window_from, window_to, run_id, loaded_at)
     SELECT $1, $2, $3, $4, $5, $6, CAST(CAST($6 AS DATE) + 1 AS VARCHAR), 'run', make_timestamptz($7::BIGINT)`,
    [unit, dataset, window ? 'project' : 'crawl', source, owner, window, BigInt(clock)],
  );
  for (const field of fields)
    await connection.run('INSERT INTO ops.unit_fields (unit, field) VALUES ($1, $2)', [unit, field]);
}

async function make(connection: Connection, changed: [] | 'all', some = models): Promise<void> {
  await runModels({
    connection,
    models: some,
    changed: changed === 'all' ? 'all' : new Set(),
    runId: 'run',
    logger: silentLogger,
  });
}

/** Which build made a row is no content. */
const CONTENT = "COLUMNS(name -> NOT starts_with(name, '_load'))";

async function contents(connection: Connection): Promise<object> {
  const found: Record<string, unknown> = {};
  for (const name of tables)
    found[name] = await connection.jsonRows(`SELECT ${CONTENT} FROM ${name} ORDER BY ALL`);
  return found;
}
