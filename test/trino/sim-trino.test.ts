import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { makeStore } from '../../src/etl/engines/trino/rows/make-store.ts';
import { livePointers } from '../sim/pointer-life.ts';
import { quietRejections } from '../sim/quiet-rejections.ts';
import { testSeed } from '../support/random.ts';

const trino = inject('trino');
/** Each takes a third of a second. */
const MOST = 150;

// How statements that meet are refused: `trino-rows.test.ts`, with writers that begin at the same moment.
test('Trino returns the same as its model for every statement of a pointer writer', async () => {
  using _quiet = quietRejections();
  const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const prefix = `s${randomUUID().slice(0, 8)}_`;
  const names = new RelationNames(prefix);
  await makeStore({ client, catalog: trino.catalog }, names, undefined);
  await client.run(`CREATE TABLE ${names.stored('raw.pages')} (_unit varchar, _load_id varchar)`);
  const { statements } = await livePointers(testSeed(), { writers: 1 });
  const kinds = new Set<string>();
  for (const { sql, rows, count } of statements.slice(0, MOST)) {
    const asked = sql.replaceAll('"store".', `${names.schema('store')}.`);
    kinds.add(sql.trim().split(/\s+/).slice(0, 3).join(' '));
    if (rows) expect([asked, sorted(await client.rows(asked))]).toEqual([asked, sorted(rows)]);
    else if (sql.startsWith('ALTER')) await client.run(asked);
    else expect([asked, await client.run(asked)]).toEqual([asked, count]);
  }
  // Beginnings, pointers, publications, tidying.
  const written = [
    'INSERT INTO "store".candidate',
    'MERGE INTO "store".visible',
    'DELETE FROM "store".visible',
  ];
  expect([...kinds]).toEqual(expect.arrayContaining(written));
});

function sorted(rows: readonly unknown[]): string[] {
  const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);
  return rows.map((row) => JSON.stringify(Object.values(row as object), text)).toSorted();
}
