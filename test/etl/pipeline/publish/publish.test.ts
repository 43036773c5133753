import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import { type Connection, text } from '../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking, placeIn } from '../../engines/open-working.ts';
import { fields, makePackage } from '../load/make-package.ts';

const signal = new AbortController().signal;

interface Site {
  readonly folder: string;
  readonly published: string;
  readonly working: WorkingCopy;
  load(id: string, urls: readonly string[]): Promise<void>;
  publish(): Promise<readonly string[]>;
}

async function site(): Promise<Site> {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  return {
    folder,
    published: placeIn(folder).published,
    working,
    async load(id, urls) {
      const rows = urls.map((url) => ({ url }));
      const made = await makePackage(staging, folder, { id, fields: fields('url'), rows });
      const options = { runId: 'r', schemaChange: 'evolve', signal } as const;
      await loadPackage(working, await readPackage(made), options);
    },
    publish: () => publish(working, silentLogger, signal),
  };
}

/** Reads the published file on its own, as another process would. */
async function readPublished<T>(
  { folder, published }: Site,
  read: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH ${text(published)} AS warehouse (READ_ONLY)`);
  await connection.run('USE warehouse');
  try {
    return await read(connection);
  } finally {
    await connection.run('USE memory');
    await connection.run('DETACH warehouse');
  }
}

const urlsOf = (connection: Connection): Promise<unknown> =>
  connection.jsonRows('SELECT url FROM raw.crawl_pages ORDER BY url');

test('a file that another program wrote to is kept under another name, and reported once', async () => {
  const one = await site();
  await one.load('c1', ['a']);
  expect(await one.publish()).toEqual([]);
  const connection = await temporaryConnection(one.folder);
  await connection.run(`ATTACH ${text(one.published)} AS theirs`);
  await connection.run('CREATE TABLE theirs.main.made_by_dbt AS SELECT 42 AS n');
  await connection.run('DETACH theirs');
  const [said, ...more] = await one.publish();
  expect([said, more]).toEqual([
    expect.stringMatching(
      /^another program wrote to .*warehouse\.duckdb; its file is kept as .*\.changed-.*\.duckdb$/,
    ),
    [],
  ]);
  await connection.run(`ATTACH ${text(said?.split(' is kept as ')[1] ?? '')} AS kept (READ_ONLY)`);
  expect(await connection.scalar('SELECT n FROM kept.main.made_by_dbt')).toBe(42);
  expect(await readPublished(one, urlsOf)).toEqual([{ url: 'a' }]);
  expect(await one.publish()).toEqual([]);
});

test('loaded rows can be queried, and their queryable count is stored on both sides', async () => {
  const one = await site();
  await one.load('c1', ['a', 'b']);
  await one.load('c2', []);
  await one.publish();
  const counts = 'SELECT unit, loaded, queryable FROM ops.loads ORDER BY unit';
  const expected = [
    { unit: 'crawl_pages/c1', loaded: '2', queryable: '2' },
    { unit: 'crawl_pages/c2', loaded: '0', queryable: '0' },
  ];
  expect(await readPublished(one, (connection) => connection.jsonRows(counts))).toEqual(expected);
  expect(await one.working.connection.jsonRows(counts)).toEqual(expected);
  const publication = await one.working.publication();
  expect(publication).toMatchObject({ base_id: null, dirty: false });
  const id = await readPublished(one, (connection) =>
    connection.rows('SELECT id, dirty FROM ops.publication'),
  );
  expect(id).toEqual([{ id: publication.id, dirty: false }]);
});

test('an unconfirmed publication leaves the file unchanged, and the next one publishes the same', async () => {
  const one = await site();
  await one.load('c1', ['a']);
  await one.publish();
  const former = await readFile(one.published);
  await one.load('c2', ['b']);
  const refusing = publish(one.working, silentLogger, signal, async () => {
    throw new Error('another process publishes');
  });
  await expect(refusing).rejects.toThrow('another process publishes');
  expect((await readFile(one.published)).equals(former)).toBe(true);
  expect((await readdir(one.folder)).filter((name) => name.includes('publishing'))).toEqual([]);
  await one.publish();
  expect(await readPublished(one, urlsOf)).toEqual([{ url: 'a' }, { url: 'b' }]);
});

test('each publication records its predecessor', async () => {
  const one = await site();
  await one.publish();
  const first = await one.working.publication();
  await one.load('c1', ['a']);
  await one.publish();
  const second = await one.working.publication();
  expect(second.base_id).toBe(first.id);
  expect(second.id).not.toBe(first.id);
});

test('an open reader keeps the previous file, and a new reader gets the new one', async () => {
  const one = await site();
  await one.load('c1', ['a']);
  await one.publish();
  const open = () => PublishedWarehouse.open({ warehouse: one.published, memoryLimit: '100MB', threads: 1 });
  const read = async (warehouse: PublishedWarehouse): Promise<unknown> =>
    (await warehouse.ask('SELECT count(*) AS n FROM raw.crawl_pages', signal, (result) => result.rows()))[0];
  using before = await open();
  expect(await read(before)).toEqual([1n]);
  await one.load('c2', ['b', 'c']);
  await one.publish();
  expect(await read(before)).toEqual([1n]);
  using after = await open();
  expect(await read(after)).toEqual([3n]);
});

test.for([
  [
    'a row too many',
    "INSERT INTO raw.crawl_pages (_unit, url) VALUES ('crawl_pages/c1', 'z')",
    'but 3 queryable',
  ],
  ['a row too few', "DELETE FROM raw.crawl_pages WHERE url = 'b'", 'but 1 queryable'],
  [
    'a row of no unit',
    "INSERT INTO raw.crawl_pages (_unit, url) VALUES ('crawl_pages/x', 'z')",
    'but 3 queryable',
  ],
  [
    'a row that changed its unit',
    "INSERT INTO raw.crawl_pages (_unit, url) VALUES ('crawl_pages/x', 'z'); DELETE FROM raw.crawl_pages WHERE url = 'b'",
    'crawl_pages/c1: 2 rows loaded, but 1 queryable',
  ],
] as const)(
  '%s refuses the publication; the previous one stays and the working copy remains usable',
  async ([_what, sql, said]) => {
    const one = await site();
    await one.publish();
    await one.load('c1', ['a', 'b']);
    await one.working.connection.run(sql);
    const before = await readFile(one.published);
    await expect(one.publish()).rejects.toMatchObject({
      code: 'damaged_warehouse',
      message: expect.stringContaining(said),
      hint: expect.stringMatching(
        /the previous publication stays in place, and the next run loads the unit again$/,
      ),
    });
    expect((await readFile(one.published)).equals(before)).toBe(true);
    expect(await one.working.publication()).toMatchObject({ dirty: true });
    await one.load('c1', ['a']);
    await one.working.connection.run("DELETE FROM raw.crawl_pages WHERE _unit = 'crawl_pages/x'");
    await one.publish();
    expect(await readPublished(one, urlsOf)).toEqual([{ url: 'a' }]);
  },
);

test('an abort before the swap leaves the previous publication and no leftovers', async () => {
  const one = await site();
  await one.load('c1', ['a']);
  await one.publish();
  await one.load('c2', ['b']);
  const stopped = publish(one.working, silentLogger, AbortSignal.abort(new Error('stop')));
  await expect(stopped).rejects.toThrow('stop');
  expect(await readPublished(one, urlsOf)).toEqual([{ url: 'a' }]);
  expect(await urlsOf(one.working.connection)).toEqual([{ url: 'a' }, { url: 'b' }]);
  expect((await readdir(one.folder)).filter((name) => name.includes('publishing'))).toEqual([]);
});

test('files of a killed publication are removed, and foreign files stay', async () => {
  const one = await site();
  const names = ['.old-1.publishing', '.old-1.publishing.wal', '.backup'].map(
    (end) => `warehouse.duckdb${end}`,
  );
  for (const name of names) await writeFile(join(one.folder, name), 'x');
  await one.publish();
  expect(names.map((name) => existsSync(join(one.folder, name)))).toEqual([false, false, true]);
});

test('two publications without a change contain the same rows', async () => {
  const one = await site();
  await one.load('c1', ['b', 'a']);
  await one.publish();
  await one.publish();
  expect(await readPublished(one, urlsOf)).toEqual([{ url: 'a' }, { url: 'b' }]);
});

test.for([
  ['its rows say that they were loaded long ago', "UPDATE raw.crawl_pages SET _loaded_at = '2001-01-01'"],
  ['its rows do not say when they were loaded', 'UPDATE raw.crawl_pages SET _loaded_at = NULL'],
  ['ops.loads does not say when it was loaded', 'UPDATE ops.loads SET loaded_at = NULL'],
] as const)('a unit is counted and compared even if %s', async ([_what, sql]) => {
  const one = await site();
  await one.load('c1', ['a', 'b']);
  await one.working.connection.run(sql);
  await one.publish();
  const counts = (connection: Connection): Promise<unknown> =>
    connection.jsonRows('SELECT unit, queryable FROM ops.loads');
  expect(await readPublished(one, counts)).toEqual([{ unit: 'crawl_pages/c1', queryable: '2' }]);
});

test('a changed value is found even if the rows claim an old load time', async () => {
  const one = await site();
  await one.load('c1', ['a', 'b']);
  await one.working.connection.run("UPDATE raw.crawl_pages SET _loaded_at = '2001-01-01', url = 'c'");
  await expect(one.publish()).rejects.toMatchObject({ code: 'damaged_warehouse' });
});
