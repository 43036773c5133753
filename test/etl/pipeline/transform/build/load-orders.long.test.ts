import { beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { ALL_SITES } from '../../../../questions/sites/all-sites.ts';
import { loadSites, SQL } from '../../../../questions/sites/load-sites.ts';
import type { Crawl, Sites } from '../../../../questions/sites/sites.ts';
import { runModels } from '../../../../support/run-models.ts';
import { openWarehouse } from '../test-warehouse.ts';

/** Whatever comes first, the tables that grow with each load end up as those of one full build, to the last bit. */
const models = (await loadModels([sqlFolder(SQL)])).map((model) => ({ ...model, tests: [] }));
const tables = models.filter(({ kind }) => kind === 'table').map(({ name }) => name);
const STEPS = 4;

/** The crawls, and the projects for their dated data, by identifier. */
const sources = [...ALL_SITES.crawls, ...ALL_SITES.projects].map(({ id }) => id);
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'the order of the sites': sources,
  'the opposite order': sources.toReversed(),
  'the later crawls first': byEnd().toReversed(),
  'every third first': sources.toSorted((a, b) => (sources.indexOf(a) % 3) - (sources.indexOf(b) % 3)),
  'an order by chance': sources.toSorted((a, b) => chance(a) - chance(b)),
};

let whole: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  await using warehouse = await openWarehouse();
  await loadSites(warehouse.connection, ALL_SITES);
  await build(warehouse.connection, 'all');
  whole = await contents(warehouse.connection);
});

test.each(Object.entries(ORDERS))(
  'crawls loaded in %s produce the tables of a full build',
  async (_, order) => {
    await using warehouse = await openWarehouse();
    const { connection } = warehouse;
    const perStep = Math.ceil(order.length / STEPS);
    const loadedAt = (source: string): string =>
      `2026-06-0${1 + Math.floor(order.indexOf(source) / perStep)}T00:00:00Z`;
    for (let step = 1; step <= STEPS; step++) {
      await loadSites(connection, only(ALL_SITES, order.slice(0, step * perStep)), loadedAt);
      await build(connection, new Set());
    }
    const found = await contents(connection);
    for (const name of tables) expect([name, found[name]]).toEqual([name, whole[name]]);
  },
  300_000,
);

/** The sites as they are when only some of their sources are loaded. */
function only({ projects, crawls }: Sites, loaded: readonly string[]): Sites {
  return {
    projects: projects.map(({ id, name, startUrl, ...data }) => ({
      id,
      name,
      startUrl,
      ...(loaded.includes(id) ? data : {}),
    })),
    crawls: crawls.filter(({ id }) => loaded.includes(id)),
  };
}

function byEnd(): string[] {
  const ends = new Map(ALL_SITES.crawls.map(({ id, endedAt }: Crawl) => [id, endedAt ?? 0]));
  return sources.toSorted((a, b) => (ends.get(a) ?? 0) - (ends.get(b) ?? 0));
}

/** The same number for the same text each time. */
function chance(text: string): number {
  return [...text].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0) * 7919) % 104_729, 17);
}

async function build(connection: Connection, changed: ReadonlySet<string> | 'all'): Promise<void> {
  await runModels({ connection, models, changed, runId: 'run', logger: silentLogger });
}

async function contents(connection: Connection): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of tables) {
    // When a source was loaded is no content, nor which build made a row; sources load in different steps here.
    const other = name === 'mart.issue_sources' ? ['loaded_at'] : [];
    const columns = `COLUMNS(name -> NOT starts_with(name, '_load') AND name NOT IN ('${other.join()}'))`;
    found[name] = await connection.jsonRows(`SELECT ${columns} FROM ${name} ORDER BY ALL`);
  }
  return found;
}
