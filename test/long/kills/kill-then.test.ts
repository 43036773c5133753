import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Connection, ident, text } from '../../../src/core/duckdb/duckdb.ts';
import { fields, makePackage } from '../../etl/pipeline/load/make-package.ts';
import { accessLog } from '../../support/access-log.ts';
import { pageWith, serveSite } from '../../support/crawl-site.ts';
import { killProject } from '../../support/kill-scene.ts';
import { type Change, LedgerWatch, type Moment } from '../../support/kills.ts';
import {
  crawlhouse,
  crawlhouseProcess,
  environmentOf,
  published,
  rawProjectFolder,
  sandboxFor,
} from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { serveSearchConsole } from '../../support/search-console-server.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const seed = roundSeed();
/** Kills of each command that are followed by itself, and by another command. */
const ROUNDS = ALL_ROUNDS ? Number.POSITIVE_INFINITY : 1;

const MODEL = `/*
name: mart.pages_by_crawl
kind: table
description: Pages of each crawl.
grain: [crawl_id]
columns:
  crawl_id: Identifier of the crawl.
  pages: Number of its pages.
reads:
  raw.crawl_pages: {_crawl_id: VARCHAR}
*/
SELECT _crawl_id AS crawl_id, count(*) AS pages FROM raw.crawl_pages GROUP BY ALL
`;

/** What tells the rows of each table apart, from run to run. */
const KEYS: Readonly<Record<string, string>> = {
  'raw.crawl_pages': 'url',
  'raw.crawl_links': 'origin, target',
  'raw.log_pages_days': 'day, url',
  'raw.ranking_performance': 'date, url, query, clicks, impressions',
  'mart.pages_by_crawl': 'pages',
};
type Sums = Readonly<Record<string, bigint>>;

/** A sum of hashes a table: what two commands do adds up. */
async function sumsOf(connection: Connection, folder: string): Promise<Sums> {
  const there = await published(
    connection,
    folder,
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE database_name = 'published'`,
  );
  const sums: Record<string, bigint> = {};
  for (const [name, keys] of Object.entries(KEYS)) {
    const isThere = there.some((one) => one.name === name);
    const sql = `SELECT CAST(coalesce(sum(hash(${keys})), 0) AS VARCHAR) AS sum FROM ${name}`;
    const [row] = isThere ? await published(connection, folder, sql) : [];
    sums[name] = BigInt(String(row?.sum ?? 0));
  }
  return sums;
}

const plus = (a: Sums, b: Sums, sign = 1n): Sums =>
  Object.fromEntries(Object.keys(KEYS).map((name) => [name, (a[name] ?? 0n) + sign * (b[name] ?? 0n)]));

const isSame = (a: Sums, b: Sums): boolean => Object.keys(KEYS).every((name) => a[name] === b[name]);

/** What a command that has ended leaves unpublished: nothing. */
async function unpublished(connection: Connection, folder: string): Promise<unknown[]> {
  const file = join(folder, '.crawlhouse', 'work.duckdb');
  await connection.run(`ATTACH ${text(file)} AS work (READ_ONLY)`);
  try {
    return await connection.rows(`SELECT id FROM ${ident('work')}.ops.publication WHERE dirty`);
  } finally {
    await connection.run('DETACH work');
  }
}

/** Changes that one transaction writes together are one moment. */
function momentsOf(changes: readonly Change[]): Moment[] {
  return changes.flatMap(({ to }, index) =>
    ['discovered', 'published'].includes(to) && changes[index + 1]?.to === to
      ? []
      : (['after', 'before'] as const).map((kind) => ({ kind, n: index + 1 })),
  );
}

/**
 * A folder that is published, and a command for each way to change its warehouse. Only `move` is not here: it needs
 * Trino, and test/trino/move.test.ts kills it.
 */
interface Scene {
  readonly base: string;
  readonly connection: Connection;
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** The crawl that is dropped. */
  readonly crawl: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function packageOf(connection: Connection): Promise<string> {
  const rows = [{ url: 'a' }, { url: 'b' }];
  return makePackage(connection, await temporaryFolder(), { id: 'c1', fields: fields('url'), rows });
}

/** A folder with an account and two crawls, of which the first is loaded. */
async function folderOfAccount(): Promise<Scene> {
  const generate =
    'projects=1,crawls=2,pages=30,links=60,columns=12,clusters=5,structured_data=5,log_days=1,ranking_days=1,seed=5';
  const sandbox = await sandboxFor({ generate: [generate], exportObjects: 2 });
  const base = await killProject();
  const environment = environmentOf(sandbox);
  const first = await crawlhouse(base, sandbox, ['run', 'crawl_pages']);
  expect([first.status, first.stderr]).toEqual([0, expect.any(String)]);
  const connection = await temporaryConnection(base);
  const ids = 'SELECT _crawl_id AS id FROM raw.crawl_pages GROUP BY ALL ORDER BY id';
  const [{ id: crawl = '' } = {}] = await published(connection, base, ids);
  const commands = {
    run: ['run', '--store', 'store_a'],
    transform: ['transform', '--full'],
    drop: ['drop', '--crawl', String(crawl), '--dataset', 'crawl_pages', '--yes'],
    load: ['load', await packageOf(connection)],
    backup: ['backup', 'copy.duckdb', '--overwrite'],
  };
  return { base, connection, commands, crawl: String(crawl), environment };
}

/** A folder that crawls a website. */
async function folderOfSite(): Promise<Scene> {
  const base = join(await rawProjectFolder());
  const paths = Array.from({ length: 12 }, (_, page) => `/${page}`);
  const pages = paths.map((path) => [path, `<title>${path}</title>${pageWith('/')}`]);
  const { origin } = await serveSite({ '/': pageWith(...paths), ...Object.fromEntries(pages) });
  const console = await serveSearchConsole(
    'sc-domain:127.0.0.1',
    ['2026-10-01', '2026-10-02'].map((day) => ({
      day,
      page: `${origin}/1`,
      query: 'tea',
      device: 'MOBILE' as const,
      clicks: 3,
      impressions: 40,
      position: 2,
    })),
  );
  const write = (name: string, content: string) => writeFile(join(base, name), content);
  await mkdir(join(base, 'sql', 'mart'), { recursive: true });
  await write('sql/mart/pages_by_crawl.sql', MODEL);
  await write('crawlhouse.yaml', `shipped_models: none\nsearch_console: { endpoint: '${console.origin}' }\n`);
  await write('key.json', JSON.stringify(console.credentials));
  await write('.env', 'GOOGLE_APPLICATION_CREDENTIALS=key.json\nGOOGLE_CLOUD_PROJECT=test\n');
  const lines = await Array.fromAsync(Readable.from(accessLog({ lines: 200, days: 2 })));
  await write('access.log', lines.join(''));
  const row = `2026-09-01,${origin}/2,tea pot,fra,MOBILE,3,10,2.5\n`;
  await write('export.csv', `date,page,query,country,device,clicks,impressions,position\n${row}`);
  const crawl = ['crawl', `${origin}/`];
  const first = await crawlhouse(base, null, crawl);
  expect([first.status, first.stderr]).toEqual([0, expect.any(String)]);
  const connection = await temporaryConnection(base);
  const [{ id = '' } = {}] = await published(
    connection,
    base,
    'SELECT DISTINCT _crawl_id AS id FROM raw.crawl_pages',
  );
  const commands: Record<string, readonly string[]> = {
    run: ['run'],
    transform: ['transform', '--full'],
    drop: ['drop', '--crawl', String(id), '--yes'],
    load: ['load', await packageOf(connection)],
    'logs add': ['logs', 'add', 'access.log', '--site', `${origin}/`],
    'demand add': ['demand', 'add', 'export.csv', '--site', `${origin}/`],
    'demand sync': ['demand', 'sync', '--site', `${origin}/`, '--days', '90'],
    crawl,
    backup: ['backup', 'copy.duckdb', '--overwrite'],
  };
  return { base, connection, commands, crawl: String(id), environment: {} };
}

const SCENES: readonly (readonly [string, () => Promise<Scene>])[] = [
  ['a website', folderOfSite],
  ['an account', folderOfAccount],
];

test.for(SCENES)(
  `a killed command in a folder of %s is finished by itself, and as far as it got by any other command (seed ${seed})`,
  { timeout: 3_600_000 },
  async ([, makeScene]) => {
    const { base, connection, commands, crawl, environment } = await makeScene();
    const random = seededRandom(seed);
    const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
    const copy = async (): Promise<string> => {
      const folder = join(await temporaryFolder(), 'copy');
      await cp(base, folder, { recursive: true });
      return folder;
    };
    const done = async (folder: string, name: string) => {
      const ended = await crawlhouse(folder, null, commands[name] ?? [], environment);
      return { ...ended, words: `${ended.stdout}${ended.stderr}` };
    };
    const before = await sumsOf(connection, base);
    const whole = new Map<string, { readonly effect: Sums; readonly moments: readonly Moment[] }>();
    for (const name of Object.keys(commands)) {
      const folder = await copy();
      using watch = new LedgerWatch(folder);
      const from = watch.changes().length;
      const { status, words } = await done(folder, name);
      expect([name, status, words]).toEqual([name, 0, words]);
      const effect = plus(await sumsOf(connection, folder), before, -1n);
      whole.set(name, { effect, moments: momentsOf(watch.changes().slice(from)) });
    }
    const names = [...whole.keys()];
    const wrong: unknown[] = [];
    let kills = 0;
    for (const [name, { effect, moments }] of whole) {
      const others = names.filter((one) => one !== name);
      const sampled = moments.toSorted(() => random() - 0.5).slice(0, ROUNDS);
      const cases = sampled.flatMap((moment) => [
        { moment, next: name },
        { moment, next: pick(others) ?? 'run' },
      ]);
      for (const { moment, next } of cases) {
        const folder = await copy();
        using watch = new LedgerWatch(folder);
        const last = await watch.kill(crawlhouseProcess(folder, commands[name] ?? [], environment), moment);
        const say = (what: object): number => wrong.push({ name, moment, last, next, ...what });
        if (last !== null) kills++;
        const { length } = await published(
          connection,
          folder,
          `SELECT 1 FROM raw.crawl_pages WHERE _crawl_id = '${crawl}' LIMIT 1`,
        );
        const second = await done(folder, next);
        // A second drop may say that nothing is left, once that is published.
        const isGone = next === 'drop' && length === 0 && second.words.includes('has no data of');
        if (second.status !== (isGone ? 2 : 0)) say({ status: second.status, words: second.words });
        if (next !== 'backup' && !isGone) {
          const left = await unpublished(connection, folder);
          if (left.length > 0) say({ left });
        }
        const expected = plus(plus(before, effect), next === name ? {} : (whole.get(next)?.effect ?? {}));
        // The other command may have published the killed crawl: one more would be another crawl.
        const isThere = name === 'crawl' && isSame(await sumsOf(connection, folder), expected);
        if (next !== name && !isThere) await done(folder, name);
        const found = await sumsOf(connection, folder);
        for (const table of Object.keys(KEYS)) if (found[table] !== expected[table]) say({ table });
        const growing = (await readdir(folder)).filter((one) => one.endsWith('.publishing'));
        if (growing.length > 0) say({ growing });
      }
    }
    process.stdout.write(`${kills} kills of ${names.length} commands, seed ${seed}\n`);
    if (wrong.length > 0) process.stdout.write(`${JSON.stringify(wrong, null, 1)}\n`);
    expect(wrong).toEqual([]);
  },
);
