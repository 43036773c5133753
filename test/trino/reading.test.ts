import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openWarehouse } from '../../src/app/answers/query/open-warehouse.ts';
import { WarehousePool } from '../../src/app/answers/query/warehouse-pool.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { type Logger, silentLogger } from '../../src/core/logs/logger.ts';
import { asTrino } from '../../src/etl/engines/trino/client/address.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { publicationStamp } from '../../src/etl/state/catalog/published/publication-stamp.ts';
import { PAGES_MODEL, packageProject, signal } from '../etl/pipeline/package-project.ts';
import { errorOf } from '../support/error-of.ts';
import { crawlhouse, rawProjectFolder } from '../support/project.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';

// Machines that only read a warehouse which another one publishes: with a user of Trino that may only SELECT.

const trino = inject('trino');
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });

beforeEach(() => {
  Object.assign(process.env, bucketCredentials(trino));
});
afterAll(() => client[Symbol.asyncDispose]());

/** A warehouse that one machine writes and others read. */
async function shared() {
  const prefix = `v${randomUUID().slice(0, 8)}_`;
  const writer = await packageProject({ ...PAGES_MODEL, 'crawlhouse.yaml': trinoSettings(trino, prefix) });
  return {
    prefix,
    /** Publishes pages, each of a crawl of its own. */
    async publish(...urls: readonly string[]): Promise<void> {
      const packages = await Promise.all(urls.map((url) => writer.make(`c${url}`, [url])));
      expect((await writer.load(...packages)).exitCode).toBe(0);
    },
    reader: () => reader(prefix),
  };
}

/** A machine of its own: no state, and a user who may only read. */
async function reader(prefix: string): Promise<{ readonly folder: string; readonly settings: Settings }> {
  const folder = await rawProjectFolder();
  await mkdir(join(folder, 'sql', 'mart'));
  await writeFile(join(folder, 'sql', 'mart', 'page_urls.sql'), Object.values(PAGES_MODEL)[0] ?? '');
  const text = trinoSettings(trino, prefix).replace('"user":"test"', '"user":"reader"');
  await writeFile(join(folder, 'crawlhouse.yaml'), text);
  return { folder, settings: await loadSettings(folder, {}) };
}

/** The crawls whose pages Trino shows. */
async function pages(settings: Settings, logger: Logger = silentLogger): Promise<unknown[]> {
  return crawls('SELECT DISTINCT _crawl_id FROM raw.crawl_pages ORDER BY 1', settings, logger);
}

/** The crawls that the catalog has. */
async function loads(settings: Settings, logger: Logger = silentLogger): Promise<unknown[]> {
  return crawls('SELECT source_id FROM ops.loads ORDER BY 1', settings, logger);
}

async function crawls(sql: string, settings: Settings, logger: Logger): Promise<unknown[]> {
  await using warehouse = await openWarehouse({ logger }, settings);
  return (await warehouse.rows(sql, signal)).flatMap((row) => Object.values(row));
}

/** A logger that keeps the messages of warnings. */
function listening(): { readonly logger: Logger; readonly warnings: string[] } {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message), with: () => logger };
  return { logger, warnings };
}

test('a read-only user sees the newest publication on any machine, also concurrently and later', async () => {
  const { prefix, publish, reader } = await shared();
  await publish('a');
  const [one, other] = [await reader(), await reader()];
  expect(await loads(one.settings)).toEqual(['ca']);
  await publish('b');
  const { warehouse } = one.settings;
  const left = [0, 1].map((name) => `${warehouse}.0000000${name}-0000-4000-8000-000000000000.tmp`);
  for (const path of left) await writeFile(path, '');
  await utimes(left[0] ?? '', 0, 0);
  const found = await Promise.all([one, one, one, other].map(({ settings }) => loads(settings)));
  expect(found).toEqual(Array(4).fill(['ca', 'cb']));
  expect(await pages(one.settings)).toEqual(['ca', 'cb']);
  // What a killed reader has left goes after an hour.
  const files = readdirSync(dirname(warehouse)).filter((name) => name.endsWith('.tmp'));
  expect(files).toEqual([basename(left[1] ?? '')]);
  await using own = new TrinoClient({ url: trino.url, user: 'reader', catalog: trino.catalog });
  const write = own.run(`INSERT INTO "${prefix}store".visible VALUES (9, 9, 'catalogue', '', 'x')`);
  expect(await errorOf(write)).toMatchObject({ code: 'engine_access' });

  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await using pool = new WarehousePool(one.settings, silentLogger);
  const count = () => pool.use((warehouse) => warehouse.rows('SELECT count(*) AS n FROM ops.loads', signal));
  expect(await count()).toEqual([{ n: 2 }]);
  await publish('c');
  // Looked up a moment ago.
  expect(await count()).toEqual([{ n: 2 }]);
  vi.advanceTimersByTime(10_000);
  expect(await count()).toEqual([{ n: 3 }]);

  const call = (...args: string[]) => crawlhouse(other.folder, null, args, bucketCredentials(trino));
  const former = publicationStamp(other.settings.warehouse);
  expect((await call('status')).stderr).toBe('');
  expect(publicationStamp(other.settings.warehouse)).not.toBe(former);
  const tested = await call('test', '--json');
  expect([tested.status, JSON.parse(tested.stdout).tests.length]).toEqual([0, 1]);
});

test('if the bucket or Trino is unavailable, the local catalog is read with a warning', async () => {
  const { prefix, publish, reader } = await shared();
  const { settings } = await reader();
  expect(await errorOf(loads(settings))).toMatchObject({ code: 'nothing_published' });
  await publish('a');
  expect(await loads(settings)).toEqual(['ca']);
  await publish('b');
  process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
  const { logger, warnings } = listening();
  expect(await loads(settings, logger)).toEqual(['ca']);
  expect(await pages(settings, logger)).toEqual(['ca', 'cb']);
  const away = { ...settings, engine: { ...asTrino(settings.engine), url: 'http://127.0.0.1:9' } };
  expect(await loads(away, logger)).toEqual(['ca']);
  expect(warnings).toEqual(
    Array(3).fill('the newest catalog is not available; reading the catalog of an earlier publication'),
  );
  const fresh = await reader();
  expect(await errorOf(loads(fresh.settings))).toMatchObject({
    code: 'store_access',
    message: expect.stringContaining('the catalog of the warehouse is not available: '),
    hint: expect.stringContaining(`s3://${trino.bucket}/rows/${prefix}/catalogue/`),
  });
});
