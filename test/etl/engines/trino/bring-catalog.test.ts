import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { Logger } from '../../../../src/core/logs/logger.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { bringShown, catalogKey, otherCatalogs } from '../../../../src/etl/engines/trino/bring-catalog.ts';
import type { TrinoClient } from '../../../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoFailure, trinoError } from '../../../../src/etl/engines/trino/client/trino-error.ts';
import type { TrinoPlace } from '../../../../src/etl/engines/trino/trino-place.ts';
import { errorOf } from '../../../support/error-of.ts';
import { LocalStore } from '../../../support/local-store.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const { signal } = new AbortController();

/** A machine with the catalog of a publication, and a Trino that shows others one after the other; the last one stays. */
async function machine(shown: readonly unknown[], has: string | null = 'earlier') {
  const folder = await temporaryFolder();
  const path = join(folder, 'warehouse.duckdb');
  await writeFile(path, 'earlier');
  await writeFile(`${path}.wal`, '');
  const bucket = join(folder, 'bucket');
  const objects = new LocalStore({ folder: bucket });
  const put = async (id: string) => {
    const file = join(bucket, catalogKey('rows', id));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, id);
  };
  await put('kept');
  let asked = 0;
  const client = {
    scalar: async (sql: string) => {
      expect(sql).toBe(`SELECT max_by(load_id, seq) FROM "p_store".visible WHERE relation = 'catalogue'`);
      const next = shown[Math.min(asked++, shown.length - 1)];
      if (next instanceof Error) throw next;
      return next;
    },
  } as unknown as TrinoClient;
  const infos: unknown[] = [];
  const logger: Logger = { ...silentLogger, info: (message, fields) => infos.push([message, fields]) };
  const place = { client, prefix: 'p_', folder: 'rows', objects: async () => objects };
  const bring = () => bringShown(place, { path, id: async () => has }, logger, signal);
  return { path, put, bring, infos, objects, asked: () => asked };
}

test('the catalog of the publication in Trino replaces another one', async () => {
  const { path, put, bring, infos } = await machine(['newest']);
  await put('newest');
  expect(await bring()).toBe('newest');
  expect([readFileSync(path, 'utf8'), existsSync(`${path}.wal`)]).toEqual(['newest', false]);
  expect(infos).toEqual([['catalog taken from the bucket', { publication: 'newest' }]]);
});

test.each([
  ['the same publication', ['earlier'], 'earlier'],
  ['nothing published', [null], null],
  ['no pointers', [missing('TABLE_NOT_FOUND')], null],
  ['no schemas', [missing('SCHEMA_NOT_FOUND')], null],
])('with %s, nothing is taken', async (_name, shown, expected) => {
  const { path, bring, infos } = await machine(shown);
  expect(await bring()).toBe(expected);
  expect([readFileSync(path, 'utf8'), infos]).toEqual(['earlier', []]);
});

function missing(errorName: string): CrawlhouseError {
  return trinoError(new TrinoFailure('q', { errorName, errorType: 'USER_ERROR', message: 'no' }));
}

test('other failures of Trino are reported', async () => {
  expect((await errorOf((await machine([missing('PERMISSION_DENIED')])).bring())).code).toBe('engine_access');
  const lost = new CrawlhouseError('connection', 'TABLE_NOT_FOUND');
  expect((await errorOf((await machine([lost])).bring())).code).toBe('connection');
});

test('a catalog that is gone is looked for once more, as another publication may have followed', async () => {
  const followed = await machine(['gone', 'newest']);
  await followed.put('newest');
  expect([await followed.bring(), followed.asked()]).toEqual(['newest', 2]);
  const lost = await machine(['gone']);
  expect(await errorOf(lost.bring())).toMatchObject({
    code: 'damaged_warehouse',
    message: 'the bucket has no rows/catalogue/gone.duckdb, the catalog of the publication in Trino',
  });
  expect(lost.asked()).toBe(2);
  const endless = await machine(['a', 'b', 'c', 'd', 'e', 'f']);
  expect((await errorOf(endless.bring())).message).toContain('the bucket has no rows/catalogue/e.duckdb');
  expect(endless.asked()).toBe(5);
});

test('a file that another process replaces meanwhile stays', async () => {
  const { path, put, bring, objects, infos } = await machine(['newest', null]);
  await put('newest');
  const read = objects.read.bind(objects);
  objects.read = async (...given: Parameters<typeof read>) => {
    await rm(path);
    await writeFile(path, 'from another process');
    return read(...given);
  };
  expect(await bring()).toBeNull();
  expect([readFileSync(path, 'utf8'), infos]).toEqual(['from another process', []]);
});

test('the catalogs of other publications are those besides the published one', async () => {
  const { objects, put } = await machine([null]);
  await put('other');
  const keys = async (published: string | undefined) =>
    (await otherCatalogs({ objects, folder: 'rows' } as unknown as TrinoPlace, published, undefined)).map(
      ({ key }) => key,
    );
  expect(await keys('kept')).toEqual(['rows/catalogue/other.duckdb']);
  expect(await keys(undefined)).toEqual(['rows/catalogue/kept.duckdb', 'rows/catalogue/other.duckdb']);
});
