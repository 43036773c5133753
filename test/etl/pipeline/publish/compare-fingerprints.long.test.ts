import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { compareFingerprints } from '../../../../src/etl/pipeline/publish/compare-fingerprints.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { freshUnits } from '../../../../src/etl/state/catalog/ops/ops-loads.ts';
import { CATALOG } from '../../../../src/etl/state/catalog/schema.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from '../load/make-package.ts';

const signal = new AbortController().signal;

async function site() {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  return {
    connection: working.connection,
    publish: () => publish(working, silentLogger, signal),
    async load(spec: PackageSpec) {
      const made = await makePackage(staging, folder, spec);
      const columnContracts = new Map([['depth', { retype: 'allow' as const }]]);
      const options = { runId: 'r', schemaChange: 'evolve', columnContracts, signal } as const;
      await loadPackage(working, await readPackage(made), options);
    },
  };
}

const EVERY_TYPE: PackageSpec = {
  id: 'c1',
  fields: fields(
    ...['url', 'depth natural', 'rank float', 'ok bool', 'day date', 'at datetime', 'extra object'],
    ...['tags string many', 'ns natural many', 'points object many'],
  ),
  rows: [
    {
      url: 'ä',
      depth: 9007199254740993n,
      rank: -0.0,
      ok: true,
      day: '2026-11-21',
      at: '2026-11-21T06:00:00.123Z',
      extra: { b: [1, null], a: 'x' },
      tags: ['a', null, ''],
      ns: [1, 2],
      points: [{ x: 1 }],
    },
    { url: '', depth: 0, rank: 1e300, ok: false, tags: [] },
    {},
  ],
};

test('units of every type are published with the fingerprint of their load', async () => {
  const one = await site();
  await one.load(EVERY_TYPE);
  await one.load({ id: 'c2', fields: fields('url'), rows: [] });
  await one.load({ id: 'c3', fields: fields('title', 'url'), rows: [{ url: 'a', title: 'b' }] });
  await one.load({ id: 'c4', fields: fields('url', 'title'), rows: [{ title: 'b', url: 'a' }] });
  await one.publish();
  const prints = await one.connection.rows('SELECT fingerprint FROM ops.loads ORDER BY unit');
  expect(prints.map(({ fingerprint }) => fingerprint)).toEqual([
    expect.stringMatching(/^\d{15,}$/),
    '0',
    prints[3]?.fingerprint,
    expect.stringMatching(/^\d{15,}$/),
  ]);
});

test.for([
  ['a value that changed', "UPDATE raw.crawl_pages SET url = 'x' WHERE url = 'a'"],
  ['a value that is gone', "UPDATE raw.crawl_pages SET title = NULL WHERE url = 'a'"],
  [
    'two values that changed places',
    "UPDATE raw.crawl_pages SET title = CASE url WHEN 'a' THEN 'B' ELSE 'A' END",
  ],
  [
    'a row twice and another one missing',
    "UPDATE raw.crawl_pages SET url = 'a', title = 'A' WHERE url = 'b'",
  ],
] as const)('%s between load and publication prevents the publication', async ([_what, sql]) => {
  const one = await site();
  const rows = [
    { url: 'a', title: 'A' },
    { url: 'b', title: 'B' },
  ];
  await one.load({ id: 'c1', fields: fields('url', 'title'), rows });
  await one.connection.run(sql);
  await expect(one.publish()).rejects.toMatchObject({
    code: 'damaged_warehouse',
    message: expect.stringContaining('crawl_pages/c1: raw.crawl_pages does not have the loaded rows'),
  });
});

test.for([
  ['a whole number beyond 2^63', { depth: 18446744073709551615n }, 'depth natural'],
  ['a list where one value was', { depth: [1, 2] }, 'depth natural many'],
  ['another type', { depth: 'deep' }, 'depth string'],
] as const)(
  'units of one dataset are published together if the later one brings %s',
  async ([_what, row, field]) => {
    const one = await site();
    await one.load({
      id: 'c1',
      fields: fields('depth natural', 'url'),
      rows: [{ depth: 1, url: 'a' }, { url: 'b' }],
    });
    await one.publish();
    await one.load({ id: 'c2', fields: fields('depth natural', 'url'), rows: [{ depth: 7, url: 'a' }] });
    await one.load({ id: 'c3', fields: fields(field), rows: [row] });
    await one.publish();
    const prints = await one.connection.rows(
      'SELECT fingerprint IS NULL AS forgotten FROM ops.loads ORDER BY unit',
    );
    expect(prints.map(({ forgotten }) => forgotten)).toEqual([true, false, false]);
    await one.load({ id: 'c1', fields: fields('depth natural', 'url'), rows: [{ depth: 3, url: 'c' }] });
    await one.publish();
  },
);

test('a unit of a version without fingerprints is published by its counts', async () => {
  const one = await site();
  await one.load({ id: 'c1', fields: fields('url'), rows: [{ url: 'a' }] });
  await one.connection.run('UPDATE ops.loads SET fingerprint = NULL');
  await one.publish();
  expect(await one.connection.scalar('SELECT queryable FROM ops.loads')).toBe(1n);
});

test('units are compared in portions between which the copy is reopened, and the first mismatch is named', async () => {
  const one = await site();
  for (const id of ['c1', 'c2', 'c3', 'c4'])
    await one.load({ id, fields: fields('url', 'title'), rows: [{ url: id }, { url: 'b', title: 'B' }] });
  const fresh = await freshUnits(one.connection, CATALOG);
  expect(fresh.map(({ values }) => values)).toEqual([4, 4, 4, 4]);
  let opened = 0;
  const reopen = async () => void opened++;
  const compared = { catalog: CATALOG, fresh, recent: () => 'true', reopen, valuesAtOnce: 8, signal };
  expect(await compareFingerprints(one.connection, compared)).toBeUndefined();
  // The first eight values are those of the copy as it was opened.
  expect(opened).toBe(1);
  await one.connection.run("UPDATE raw.crawl_pages SET title = 'x' WHERE url = 'c3'");
  expect((await compareFingerprints(one.connection, compared))?.message).toContain('crawl_pages/c3');
});

test('many units with several sets of columns are compared, each over its own columns', async () => {
  const one = await site();
  for (let crawl = 0; crawl < 120; crawl++) {
    const named = crawl % 2 === 0 ? fields('url') : fields('url', 'depth natural');
    await one.load({
      id: `c${crawl}`,
      fields: named,
      rows: [{ url: `u${crawl}`, depth: crawl }].map((row) => (crawl % 2 === 0 ? { url: row.url } : row)),
    });
  }
  await one.connection.run("UPDATE raw.crawl_pages SET depth = 5 WHERE _unit = 'crawl_pages/c117'");
  await expect(one.publish()).rejects.toThrow(
    'crawl_pages/c117: raw.crawl_pages does not have the loaded rows',
  );
  await one.connection.run("UPDATE raw.crawl_pages SET depth = 117 WHERE _unit = 'crawl_pages/c117'");
  await one.publish();
});
