import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openConsoleDatabase } from '../../src/app/console/access/console-database.ts';
import { sqliteAlertStore } from '../../src/app/operations/alert/open-alert-store.ts';
import { ident, text } from '../../src/core/duckdb/duckdb.ts';
import { readPackage } from '../../src/etl/pipeline/load/read-package.ts';
import { MANIFEST_VERSION } from '../../src/etl/project/model/manifest.ts';
import { FILE_OPTIONS, WAREHOUSE_VERSION } from '../../src/etl/state/catalog/schema.ts';
import {
  LEDGER_FILE,
  LEDGER_VERSION,
  sqliteLedger,
} from '../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { Frontier } from '../../src/site/crawler/frontier/frontier.ts';
import { openWorking, placeIn, withWorking } from '../etl/engines/open-working.ts';
import { errorOf } from '../support/error-of.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const files = readdirSync(import.meta.dirname);
const named = (pattern: RegExp): string[] => files.filter((name) => pattern.test(name));

function copied(name: string, to: string): string {
  cpSync(join(import.meta.dirname, name), to, { recursive: true });
  return to;
}

/** The published file of a folder, of a file in this one. */
async function publishedAs(name: string, folder: string): Promise<string> {
  const { published } = placeIn(folder);
  await mkdir(dirname(published), { recursive: true });
  writeFileSync(published, zstdDecompressSync(readFileSync(join(import.meta.dirname, name))));
  return published;
}

test('each current version has its file here (node test/formats/make.ts makes them)', () => {
  for (const name of [
    `ledger.v${LEDGER_VERSION}.sqlite`,
    `warehouse.v${WAREHOUSE_VERSION}.duckdb.zst`,
    `package.v${MANIFEST_VERSION}`,
    'alerts.v1.sqlite',
  ])
    expect(files.includes(name), `test/formats/${name} is missing: node test/formats/make.ts`).toBe(true);
});

test.each(named(/^ledger\./))('%s opens with its units and runs', async (name) => {
  const folder = await temporaryFolder();
  copied(name, join(folder, LEDGER_FILE));
  await using ledger = sqliteLedger(folder);
  expect(await ledger.units()).toMatchObject([
    { unit: 'crawl_pages/c1', status: 'published', attempts: 1, failures: 0, source: { id: 'c1' } },
  ]);
  expect(await ledger.runs()).toMatchObject([{ command: 'load', status: 'done' }]);
  expect(await ledger.publication()).not.toBeNull();
  expect(ledger.version).toBe(LEDGER_VERSION);
});

test.each(named(/^warehouse\./))('%s opens with its rows', async (name) => {
  const folder = await temporaryFolder();
  const published = await publishedAs(name, folder);
  const before = readFileSync(published);
  await withWorking(folder, async (working) => {
    expect((await working.publication()).version).toBe(WAREHOUSE_VERSION);
    const { connection } = working;
    expect(await connection.rows('SELECT url, depth FROM raw.crawl_pages ORDER BY 1')).toEqual([
      { url: 'https://example.com/', depth: 0n },
      { url: 'https://example.com/a', depth: 1n },
    ]);
    expect(await connection.rows('SELECT unit, loaded, queryable FROM ops.loads')).toEqual([
      { unit: 'crawl_pages/c1', loaded: 2n, queryable: 2n },
    ]);
  });
  // Only a publication replaces it.
  expect(readFileSync(published).equals(before)).toBe(true);
});

test.each(named(/^package\./))('%s is complete', async (name) => {
  const { manifest } = await readPackage(join(import.meta.dirname, name));
  expect(manifest).toMatchObject({ name: 'crawl_pages/c1', counts: { received: 2, staged: 2, rejected: 0 } });
});

test.each(named(/^alerts\./))('%s opens with its incident', async (name) => {
  const folder = join(await temporaryFolder(), 'alerts');
  await mkdir(folder);
  copied(name, join(folder, 'alerts.sqlite'));
  await using store = sqliteAlertStore(folder);
  expect(await store.incidents()).toMatchObject([{ key: 'stale/p1', targets: ['webhook-1'] }]);
});

/** Makes a file of SQLite one of the next version, with a table that this program does not know. */
function toNextVersion(path: string): string {
  using database = new DatabaseSync(path);
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  database.exec(`CREATE TABLE of_the_next_version (n); PRAGMA user_version = ${version + 1}`);
  return path;
}

const NEWER: Readonly<
  Record<
    string,
    (folder: string) => Promise<{ readonly path: string; readonly open: () => Promise<unknown> }>
  >
> = {
  async ledger(folder) {
    const path = toNextVersion(copied(`ledger.v${LEDGER_VERSION}.sqlite`, join(folder, LEDGER_FILE)));
    return { path, open: async () => sqliteLedger(folder) };
  },
  async alerts(folder) {
    const path = toNextVersion(copied('alerts.v1.sqlite', join(folder, 'alerts.sqlite')));
    return { path, open: async () => sqliteAlertStore(folder) };
  },
  async console(folder) {
    openConsoleDatabase(folder).close();
    const path = toNextVersion(join(folder, 'console', 'console.sqlite'));
    return { path, open: async () => openConsoleDatabase(folder) };
  },
  async crawl(folder) {
    new Frontier(folder)[Symbol.dispose]();
    return { path: toNextVersion(join(folder, 'frontier.sqlite')), open: async () => new Frontier(folder) };
  },
  async package(folder) {
    copied(`package.v${MANIFEST_VERSION}`, folder);
    const path = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, version: MANIFEST_VERSION + 1, more: true }));
    return { path, open: () => readPackage(folder) };
  },
  async warehouse(folder) {
    const path = await publishedAs(`warehouse.v${WAREHOUSE_VERSION}.duckdb.zst`, folder);
    await makeNewer(path);
    return { path, open: () => openWorking(folder) };
  },
  async 'working copy'(folder) {
    await publishedAs(`warehouse.v${WAREHOUSE_VERSION}.duckdb.zst`, folder);
    await withWorking(folder, async () => {});
    const path = join(placeIn(folder).stateDir, 'work.duckdb');
    await makeNewer(path);
    return { path, open: () => openWorking(folder) };
  },
};

async function makeNewer(path: string): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run(`ATTACH ${text(path)} AS ${ident('newer')} (${FILE_OPTIONS})`);
  await connection.run(`UPDATE newer.ops.publication SET version = ${WAREHOUSE_VERSION + 1}`);
  await connection.run('DETACH newer');
}

test.each(Object.entries(NEWER))(
  '%s: a file of a newer version is refused, and stays unchanged',
  async (_, make) => {
    const { path, open } = await make(await temporaryFolder());
    const hash = (): string => createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = hash();
    const error = await errorOf(open());
    expect(error).toMatchObject({
      code: 'newer_version',
      message: expect.stringMatching(
        / was written by a newer crawlhouse \(\w+ version \d+; this crawlhouse supports \d+\)$/,
      ),
      hint: expect.stringContaining('newer version'),
    });
    expect(error.message.startsWith(path)).toBe(true);
    expect(hash()).toBe(before);
    expect(existsSync(`${path}-wal`) && readFileSync(`${path}-wal`).length > 0).toBe(false);
  },
);
