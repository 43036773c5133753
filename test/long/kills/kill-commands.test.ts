import { cp, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { STORY } from '../../app/answers/explore/story-site.ts';
import { pageWith, type Site, serveSite } from '../../support/crawl-site.ts';
import { LedgerWatch, type Moment } from '../../support/kills.ts';
import {
  crawlhouse,
  crawlhouseProcess,
  differences,
  published,
  rawProjectFolder,
} from '../../support/project.ts';
import { publishedSites } from '../../support/published-sites.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const KILLS = ALL_ROUNDS ? 16 : 4;
const SEED = `seed ${roundSeed()}`;

/** A folder, and one for the temporary files of the processes that work in it. */
class Scene {
  readonly folder: string;
  readonly temporary: string;
  readonly #random = seededRandom(roundSeed());

  constructor(folder: string, temporary: string) {
    this.folder = folder;
    this.temporary = temporary;
  }

  /** Runs a command to its end; gives what it printed, and the milliseconds that it took. */
  async whole(...argv: readonly string[]): Promise<{ readonly stdout: string; readonly ms: number }> {
    const began = performance.now();
    const { status, stdout, stderr } = await crawlhouse(this.folder, null, argv, { TMPDIR: this.temporary });
    expect([argv, status, stderr]).toEqual([argv, 0, expect.any(String)]);
    return { stdout, ms: performance.now() - began };
  }

  /** Kills a command after a random part of the time that it takes, or at a change of a file of the state directory. */
  async killed(ms: number, ...argv: readonly string[]): Promise<void> {
    const child = crawlhouseProcess(this.folder, argv, { TMPDIR: this.temporary });
    child.stdout.resume();
    child.stderr.resume();
    const moments: readonly Moment[] = [
      { kind: 'time', ms: this.#random() * ms },
      { kind: 'file', n: 1 + Math.floor(this.#random() * 40) },
      { kind: 'after', n: 1 + Math.floor(this.#random() * 4) },
    ];
    using watch = new LedgerWatch(this.folder);
    await watch.kill(child, moments[Math.floor(this.#random() * 3)] ?? { kind: 'time', ms });
  }

  /** Files and folders that have no name of their own yet. */
  async growing(): Promise<string[]> {
    const names = await readdir(this.folder, { recursive: true });
    return names.filter((name) => /\.tmp$|\.crawlhouse\/(?:packages|query)\/./.test(name));
  }

  /** The same, and what is in the folder of temporary files. */
  async leftovers(): Promise<string[]> {
    return [...(await this.growing()), ...(await readdir(this.temporary))];
  }
}

async function scene(folder: string): Promise<Scene> {
  return new Scene(folder, await temporaryFolder());
}

function shop(): Promise<Site> {
  const paths = Array.from({ length: 24 }, (_, page) => `/${page}`);
  const pages = paths.map((path) => [path, `<title>${path}</title>${pageWith('/')}`]);
  return serveSite({ '/': pageWith(...paths), ...Object.fromEntries(pages) });
}

test(`search results of a killed demand add equal those of an undisturbed one (${SEED})`, async () => {
  const { origin } = await shop();
  const calm = await scene(await rawProjectFolder());
  await calm.whole('crawl', `${origin}/`);
  const connection = await temporaryConnection(await temporaryFolder());
  const exported = join(calm.folder, 'bulk.parquet');
  await connection.run(
    `COPY (SELECT DATE '2026-09-01' + CAST(n % 30 AS INTEGER) AS data_date, '${origin}/' || n % 24 AS url,
       'query ' || n AS query, false AS is_anonymized_query, 'fra' AS country, 'WEB' AS search_type,
       'MOBILE' AS device, n % 7 + 3 AS impressions, n % 3 AS clicks, n % 7 AS sum_position
     FROM range(5000) AS numbers(n)) TO ${text(exported)} (FORMAT parquet)`,
  );
  const stormy = await scene(join(await temporaryFolder(), 'copy'));
  await cp(calm.folder, stormy.folder, { recursive: true });
  const argv = ['demand', 'add', exported];
  const { ms } = await calm.whole(...argv);
  for (let kill = 0; kill < KILLS; kill++) await stormy.killed(ms, ...argv);
  await stormy.whole(...argv);
  // Again: nothing is new, and what the last kill has left is gone.
  expect((await stormy.whole(...argv)).stdout).toContain('Nothing new');
  for (const table of ['ranking_performance', 'crawl_pages'])
    expect([table, await differences(connection, calm.folder, stormy.folder, table)]).toEqual([table, 0n]);
  const states = 'SELECT unit, status FROM ops.units ORDER BY ALL';
  expect(await published(connection, stormy.folder, states)).toEqual(
    await published(connection, calm.folder, states),
  );
  expect(await stormy.growing()).toEqual([]);
});

/** The files of a folder of sitemaps: a text each; what is no whole file fails. */
async function sitemapsIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder).catch(() => [])).filter((one) => !one.endsWith('.tmp'))) {
    const bytes = await readFile(join(folder, name));
    found[name] = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    expect([name, found[name]]).toEqual([name, expect.stringMatching(/<\/(?:urlset|sitemapindex)>\n$/)]);
  }
  return found;
}

test(`a killed sitemap or compare leaves no partial file, and the next one writes it completely (${SEED})`, async () => {
  const stormy = await scene(await temporaryFolder());
  const { folder } = stormy;
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await writeFile(join(folder, 'crawlhouse.yaml'), '{}\n');
  await (await publishedSites(folder, STORY))[Symbol.asyncDispose]();
  const warehouse = await readFile(join(folder, 'warehouse.duckdb'));
  const sitemap = (to: string) => ['sitemap', '--project', 'Shop', '--crawl', 'shop-2', '--output', to];
  const compare = ['compare', 'previous', 'latest', '--project', 'Shop', '--json'];
  const { ms } = await stormy.whole(...sitemap('calm'));
  const { stdout } = await stormy.whole(...compare);
  // As left by a former killed one: a file that is begun, of a number that is written no more.
  const output = join(folder, 'stormy', 'shop.example');
  await mkdir(output, { recursive: true });
  const begun = join(output, 'sitemap-7.xml.gz.0e0f6b5c-9d52-4f6c-8c1b-0a1b2c3d4e5f.tmp');
  await writeFile(begun, 'half');
  for (let kill = 0; kill < KILLS; kill++) {
    await stormy.killed(ms, ...(kill % 2 === 0 ? sitemap('stormy') : compare));
    await sitemapsIn(output);
  }
  // A file that still grows is another process's for an hour.
  const anHourAgo = new Date(Date.now() - 3_700_000);
  for (const name of (await readdir(output)).filter((one) => one.endsWith('.tmp')))
    await utimes(join(output, name), anHourAgo, anHourAgo);
  await stormy.whole(...sitemap('stormy'));
  expect((await stormy.whole(...compare)).stdout).toBe(stdout);
  expect(await sitemapsIn(output)).toEqual(await sitemapsIn(join(folder, 'calm', 'shop.example')));
  expect(await stormy.leftovers()).toEqual([]);
  expect((await readFile(join(folder, 'warehouse.duckdb'))).equals(warehouse)).toBe(true);
});
