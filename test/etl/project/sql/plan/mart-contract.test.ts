import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { SHIPPED_SQL } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import {
  changeText,
  diffContract,
  type MartContract,
  readContract,
} from '../../../../../src/etl/project/sql/plan/mart-contract.ts';
import { gaps } from '../../../../support/gaps.ts';

test('sql/contract.yaml and its copy list the shipped tables and columns of mart', async () => {
  const { version, tables } = await readContract();
  const models = await loadModels([SHIPPED_SQL]);
  const made = models.map(({ name, columns }) => `${name}: [${[...columns.keys()].join(', ')}]`);
  const lines = (of: MartContract['tables']): string[] =>
    Object.entries(of).map(([name, columns]) => `${name}: [${columns.join(', ')}]`);
  const found = gaps(made, lines(tables), {
    adds: 'a model',
    missing: (table) =>
      `sql/contract.yaml lacks, under tables, ${table}; after a release, raise its version too`,
    extra: (table) =>
      `sql/contract.yaml has ${table}, which no model has; say under changes what went or means something else`,
  });
  const kept = await keptContract(version);
  const copied = gaps(lines(tables), lines(kept?.tables ?? tables), {
    adds: 'a model',
    missing: (table) => `test/formats has a copy of sql/contract.yaml that lacks ${table}: copy it again`,
    extra: (table) => `test/formats has a copy of sql/contract.yaml that still has ${table}: copy it again`,
  });
  expect([...found, ...copied]).toEqual([]);
});

test('each change belongs to an existing version, and names columns that exist for the declared time', async () => {
  const { version, changes, tables } = await readContract();
  for (const { table, column, now, until, ...change } of changes) {
    expect(change.version).toBeLessThanOrEqual(version);
    if (now !== undefined && column !== undefined) expect(tables[table], `${table}.${now}`).toContain(now);
    // A former name is there until that version, and not from it on. Without one, the column went or means something else.
    if (column !== undefined && (now !== undefined || until !== undefined))
      expect(tables[table]?.includes(column), `${table}.${column}`).toBe(
        until !== undefined && version < until,
      );
  }
});

/** The contract of a version as it is kept; null where none is. */
async function keptContract(version: number): Promise<MartContract | null> {
  const path = join(import.meta.dirname, '../../../../formats', `contract.v${version}.yaml`);
  return existsSync(path) ? await readContract(path) : null;
}

test('a kept contract version stays unchanged, and removals since then are declared', async () => {
  const contract = await readContract();
  const { version } = contract;
  const raise = 'raise `version` in sql/contract.yaml and say the change in `changes`';
  const keep = `then cp sql/contract.yaml test/formats/contract.v${version + 1}.yaml`;
  // Before a release, `cp` over the copy of its version is enough: nobody has it yet.
  expect(contract, `${raise}, ${keep}`).toEqual(await keptContract(version));
  const before = await keptContract(version - 1);
  const unsaid =
    before === null ? [] : diffContract(before, contract, []).filter(({ says }) => says === null);
  expect(unsaid.map(changeText)).toEqual([]);
});

const CONTRACT: MartContract = {
  version: 3,
  changes: [
    { version: 3, table: 'mart.pages', column: 'share', now: 'percent', until: 4, says: '0 to 100' },
    { version: 2, table: 'mart.pages', column: 'size', says: 'bytes, not characters' },
    { version: 3, table: 'mart.pages', says: 'one row for each crawl' },
    { version: 3, table: 'mart.links', now: 'mart.all_links', says: 'the same rows' },
  ],
  tables: { 'mart.pages': ['url', 'percent', 'share', 'size', 'custom_*'], 'mart.all_links': ['url'] },
};

test('the difference lists what was removed, renamed, or changed its meaning since the kept version', () => {
  const models = [
    { name: 'mart.mine', sql: 'SELECT url FROM mart.pages' },
    { name: 'mart.titles', sql: 'SELECT url FROM mart.mine' },
    { name: 'mart.all_links', sql: 'SELECT url FROM raw.links' },
  ];
  const said = (former: number, tables: Record<string, string[]>) =>
    diffContract({ version: former, tables }, CONTRACT, models).map(changeText);
  const pages = ['url', 'share', 'size', 'gone', 'custom_a'];
  expect(said(1, { 'mart.pages': pages, 'mart.links': ['url'], 'mart.mine': ['a'] })).toEqual([
    'mart.pages has a new meaning: one row for each crawl; it reaches mart.mine',
    'mart.pages.share is now percent, and stays until version 4 of the contract: 0 to 100',
    'mart.pages.size has a new meaning: bytes, not characters; it reaches mart.mine',
    'mart.pages.gone was removed',
    'mart.links is now mart.all_links: the same rows',
  ]);
  expect(said(2, { 'mart.pages': ['size'] })).toEqual([
    'mart.pages has a new meaning: one row for each crawl',
  ]);
  // Another meaning is carried on to what is made from the table, if others have it.
  expect(said(2, { 'mart.pages': ['size'], 'mart.titles': ['url'] })).toEqual([
    'mart.pages has a new meaning: one row for each crawl; it reaches mart.titles',
  ]);
  expect(said(3, CONTRACT.tables)).toEqual([]);
  expect(said(1, {})).toEqual([]);
});
