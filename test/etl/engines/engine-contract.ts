import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromEngine } from '../../../src/app/answers/query/engine-warehouse.ts';
import { PublishedWarehouse } from '../../../src/app/answers/query/query-warehouse.ts';
import { settingsIn } from '../../../src/app/cli/commands/move.ts';
import { moveWarehouse } from '../../../src/app/operations/move/move-warehouse.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { EngineFailure } from '../../../src/etl/engines/data-error.ts';
import { compareMoved } from '../../../src/etl/engines/moved-units.ts';
import { openEngine } from '../../../src/etl/engines/open-engine.ts';
import { PublicationFollower } from '../../../src/etl/engines/publication-follower.ts';
import { engineKind, isInCatalog, openRemote } from '../../../src/etl/engines/registry.ts';
import { drop } from '../../../src/etl/pipeline/drop.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { readPublished } from '../../../src/etl/state/catalog/published/read-published.ts';
import { errorOf } from '../../support/error-of.ts';
import { rawProjectFolder } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { fields, makePackage } from '../pipeline/load/make-package.ts';
import { PAGES_MODEL, packageProject, signal } from '../pipeline/package-project.ts';

/** A table by partition, and a view over both: what readers see of one must fit what they see of the others. */
const MODELS = {
  ...PAGES_MODEL,
  'sql/mart/by_crawl.sql': `/*
name: mart.by_crawl
kind: table
description: The URLs of each crawl.
grain: [_crawl_id, url]
columns: {_crawl_id: The crawl., url: The URL.}
reads:
  raw.crawl_pages: {_crawl_id: VARCHAR, url: VARCHAR}
incremental:
  by: _crawl_id
  partitions: SELECT source_id AS _crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
SELECT _crawl_id, url FROM raw.crawl_pages
`,
  'sql/mart/totals.sql': `/*
name: mart.totals
kind: view
description: How many URLs there are.
grain: null
columns: {pages: Of the table., by_crawl: Of the partitions.}
*/
SELECT (SELECT count(*) FROM mart.page_urls) AS pages, (SELECT count(*) FROM mart.by_crawl) AS by_crawl
`,
};

/**
 * What holds for a warehouse in every engine, through the pipeline that a run has.
 *
 * @param yaml a crawlhouse.yaml without shipped models, whose `warehouse` nobody else has
 */
export function engineContract(engine: string, yaml: () => Promise<string> | string): void {
  async function project(models: Readonly<Record<string, string>> = MODELS) {
    const text = await yaml();
    const made = await packageProject({ ...models, 'crawlhouse.yaml': text });
    const load = async (...folders: readonly string[]): Promise<void> => {
      expect((await made.load(...folders)).errors).toEqual([]);
    };
    return { ...made, load, tried: made.load, text };
  }

  /** The pages of each crawl, as readers see them, and the totals of the models. */
  async function seen(settings: Settings): Promise<string[]> {
    const opened = await openEngine(settings.engine);
    const found = await readPublished(settings, async (connection) => {
      await using published = await opened.openQueries(connection);
      const { queries } = published;
      const pages = await queries.rows<{ page: string }>(
        "SELECT concat(_crawl_id, ' ', url) AS page FROM mart.by_crawl ORDER BY page",
      );
      const [totals] = await queries.rows<Record<string, bigint>>('SELECT pages, by_crawl FROM mart.totals');
      return [...pages.map(({ page }) => page), `${totals?.pages} ${totals?.by_crawl}`];
    });
    return found ?? [];
  }

  describe(`a warehouse in ${engine}`, () => {
    test('its setting selects the engine, with a description for people and receivers', async () => {
      const { settings } = await project();
      const kind = engineKind(settings.engine);
      const { shown, namespace, removable } = kind.describe(settings);
      for (const text of [kind.name, kind.title, kind.target, shown, namespace, removable])
        expect(text).not.toBe('');
      expect(namespace.startsWith(`${kind.name}://`)).toBe(true);
      expect(isInCatalog(settings)).toBe((await openRemote(settings.engine)) === null);
      expect(kind.dialect === null).toBe(isInCatalog(settings));
    });

    test('readers see loads, reloads and drops, in tables and in models', async () => {
      const { settings, make, load } = await project();
      await load(await make('c1', ['a', 'b']), await make('c2', ['c']));
      expect(await seen(settings)).toEqual(['c1 a', 'c1 b', 'c2 c', '3 3']);
      await load(await make('c1', ['a']));
      expect(await seen(settings)).toEqual(['c1 a', 'c2 c', '2 2']);
      await load(await make('c2', []), await make('c3', ['b']));
      expect(await seen(settings)).toEqual(['c1 a', 'c3 b', '2 2']);
      await drop(settings, { crawls: ['c1'], projects: [], datasets: [] }, silentLogger, signal);
      expect(await seen(settings)).toEqual(['c3 b', '1 1']);
    });

    test('a unit that fails a test keeps its previous rows, and other units are published', async () => {
      const { settings, make, load, tried } = await project();
      await load(await make('c1', ['a']));
      const { exitCode } = await tried(await make('c1', ['bad', 'b']), await make('c2', ['b']));
      expect(exitCode).toBe(4);
      expect(await seen(settings)).toEqual(['c1 a', 'c2 b', '2 2']);
    });

    test('rows are counted where readers see them', async () => {
      const { settings, make, load } = await project();
      await load(await make('c1', ['a', 'b']));
      const counts = await readPublished(settings, (connection) =>
        connection.rows('SELECT loaded, queryable FROM ops.loads'),
      );
      expect(counts).toEqual([{ loaded: 2n, queryable: 2n }]);
    });

    test('another machine with the same setting sees the newest publication, and continues from it', async () => {
      const { settings, make, load, text } = await project();
      if (isInCatalog(settings)) return expect(existsSync(settings.warehouse)).toBe(false);
      await load(await make('c1', ['a']));
      const other = await packageProject({ ...MODELS, 'crawlhouse.yaml': text });
      await new PublicationFollower(other.settings, silentLogger).follow(signal);
      expect(await seen(other.settings)).toEqual(['c1 a', '1 1']);
      await other.load(await other.make('c2', ['b']));
      await new PublicationFollower(settings, silentLogger).follow(signal);
      expect(await seen(settings)).toEqual(['c1 a', 'c2 b', '2 2']);
    });

    test('a warehouse moves to a file and back, and each unit and model is counted on both sides', async () => {
      const { settings, make, load } = await project();
      await load(await make('c1', ['a', 'b']), await make('c2', []));
      const file = join(await temporaryFolder(), 'moved.duckdb');
      const out = await settingsIn(engineKind({ engine: 'duckdb' }), settings, file, {});
      const moved = await moveWarehouse({ from: settings, to: out, logger: silentLogger, signal });
      expect([moved.result.errors, moved.tables.map(({ name, rows }) => [name, rows])]).toEqual([
        [],
        [
          ['mart.by_crawl', 2n],
          ['mart.page_urls', 2n],
          ['raw.crawl_pages', 2n],
        ],
      ]);
      // The other way: another place of the same engine.
      const target = await loadSettings(await rawProjectFolder(), {});
      const { warehouse, engine } = await packageProject({ 'crawlhouse.yaml': await yaml() }).then(
        (one) => one.settings,
      );
      const state_dir = join(target.projectDir, 'moving');
      const back = { ...target, warehouse, engine, state_dir };
      const source = { ...out, state_dir: join(target.projectDir, 'source') };
      const again = await moveWarehouse({ from: source, to: back, logger: silentLogger, signal });
      expect(again.result.errors).toEqual([]);
      expect((await compareMoved(source, back, signal)).map(({ name, rows }) => [name, rows])).toEqual([
        ['raw.crawl_pages', 2n],
      ]);
    });

    test('statements of users return the values of DuckDB, and refusals of the engine are reported', async () => {
      const { folder, settings, load } = await project({});
      const remote = await openRemote(settings.engine);
      if (remote === null) return expect(isInCatalog(settings)).toBe(true);
      const connection = await temporaryConnection(folder);
      const rows = [
        { url: `it's "so" 😀`, n: 9007199254740993n, tags: ['one'], at: '2026/01/02 03:04:05 UTC', is: true },
        { url: '', n: null, tags: [], at: null, is: null },
      ];
      const spec = {
        id: 'c1',
        fields: fields('url', 'n natural', 'tags string many', 'at datetime', 'is boolean'),
        rows,
      };
      await load(await makePackage(connection, folder, spec));
      const catalog = await PublishedWarehouse.open({
        warehouse: settings.warehouse,
        stateDir: settings.state_dir,
        memoryLimit: '100MB',
        threads: 1,
      });
      onTestFinished(() => catalog[Symbol.dispose]());
      await using statements = await remote.openStatements();
      const ask = async (
        sql: string,
        page = {},
        parameters = new Map<string, string>(),
      ): Promise<unknown[][]> => {
        const statement = await catalog.plan({ sql, parameters, page, engine: settings.engine }, signal);
        if (statement === null) throw new Error('the catalog has all rows');
        const found: unknown[][] = [];
        for await (const chunk of statements.rows(statement.sql, 60, signal))
          for (const row of chunk)
            found.push(
              statement.columns.map(({ type }, at) =>
                fromEngine(type)(row[statement.picked?.[at] ?? at] ?? null),
              ),
            );
        return found.slice(statement.skip);
      };
      const all = 'SELECT url, n, tags, "at", "is" FROM raw.crawl_pages';
      const first = [`it's "so" 😀`, 9007199254740993n, ['one'], '2026-01-02T03:04:05Z', true];
      const second = ['', null, [], null, null];
      const sort = { column: 'url', descending: true };
      expect(await ask(all, { sort, limit: 5 })).toEqual([first, second]);
      expect(await ask(all, { sort, limit: 1, offset: 1 })).toEqual([second]);
      expect(await ask(all, { filter: { text: 'SO' } })).toEqual([first]);
      expect(await ask(all, { filter: { text: 'nowhere' }, count: true })).toEqual([[0n]]);
      expect(await ask(`${all} WHERE n > $least`, {}, new Map([['least', '9007199254740992']]))).toEqual([
        first,
      ]);
      const failed = await errorOf(ask('SELECT CAST(url AS DATE) FROM raw.crawl_pages'));
      expect(failed.cause).toBeInstanceOf(EngineFailure);
      expect((failed.cause as EngineFailure).isOfValues).toBe(true);
    });

    test('doctor reports it as healthy', async () => {
      const { settings } = await project();
      const checks = await (await openEngine(settings.engine)).examine(signal);
      expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    });
  });
}
