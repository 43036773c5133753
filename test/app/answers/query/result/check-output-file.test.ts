import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkOutput,
  checkOutputFolder,
} from '../../../../../src/app/answers/query/result/check-output-file.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

async function project() {
  const folder = await temporaryFolder();
  const stateDir = join(folder, '.crawlhouse');
  const warehouse = join(folder, 'warehouse.duckdb');
  await mkdir(join(stateDir, 'packages'), { recursive: true });
  await writeFile(warehouse, 'the warehouse');
  await writeFile(join(stateDir, 'ledger.sqlite'), 'the ledger');
  return { folder, stateDir, warehouse, check: (path: string) => checkOutput(path, { warehouse, stateDir }) };
}

test.for([
  'warehouse.duckdb',
  'warehouse.duckdb.wal',
  'warehouse.duckdb.wal.recovery',
  'warehouse.duckdb.4f1.publishing',
  'Warehouse.DuckDB',
  '.crawlhouse',
  '.crawlhouse/ledger.sqlite',
  '.crawlhouse/new.csv',
  '.crawlhouse/packages/new.csv',
  'missing/../.crawlhouse/new.csv',
  '.crawlhouse/packages/../../warehouse.duckdb',
])('%s is refused', async (name) => {
  const { folder, check } = await project();
  await expect(check(`${folder}/${name}`)).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
});

test('links to refused files are refused', async () => {
  const { folder, stateDir, warehouse, check } = await project();
  await symlink(warehouse, join(folder, 'soft.csv'));
  await symlink(stateDir, join(folder, 'folder'));
  await link(warehouse, join(folder, 'hard.csv'));
  await link(join(stateDir, 'ledger.sqlite'), join(folder, 'ledger.csv'));
  await symlink(join(folder, 'nowhere.csv'), join(folder, 'broken.csv'));
  for (const name of ['soft.csv', 'folder/new.csv', 'hard.csv', 'ledger.csv', 'broken.csv'])
    await expect(check(join(folder, name)), name).rejects.toMatchObject({ code: 'usage' });
});

test('a warehouse that is a symbolic link is refused by both names', async () => {
  const { folder, stateDir } = await project();
  const warehouse = join(folder, 'link.duckdb');
  await symlink(join(folder, 'warehouse.duckdb'), warehouse);
  for (const name of ['link.duckdb', 'link.duckdb.wal', 'warehouse.duckdb', 'warehouse.duckdb.wal'])
    await expect(checkOutput(join(folder, name), { warehouse, stateDir }), name).rejects.toThrow('warehouse');
});

test('a path that is not a plain file, or has no folder, is refused', async () => {
  const { folder, check } = await project();
  await expect(check('/dev/null')).rejects.toThrow('is not a plain file');
  await expect(check(folder)).rejects.toThrow('is not a plain file');
  await expect(check(join(folder, 'missing', 'rows.csv'))).rejects.toThrow('there is no folder');
});

test('other files are allowed; of a symbolic link, the file it points to', async () => {
  const { folder, check } = await project();
  expect(await check(join(folder, 'rows.csv'))).toBe(join(folder, 'rows.csv'));
  expect(await check(join(folder, 'warehouse.csv'))).toBe(join(folder, 'warehouse.csv'));
  await writeFile(join(folder, 'old.csv'), 'old');
  await symlink(join(folder, 'old.csv'), join(folder, 'link.csv'));
  expect(await check(join(folder, 'link.csv'))).toBe(join(folder, 'old.csv'));
  expect(await readFile(join(folder, 'old.csv'), 'utf8')).toBe('old');
});

const OWN_FILES = [
  '.env',
  '.ENV',
  '.env.local',
  'crawlhouse.yaml',
  'Crawlhouse.YAML',
  'schedules.yaml',
  'notes.yaml',
  'tickets.yaml',
  'pipelines/crawl_pages.yaml',
  'pipelines/new.yaml',
  'crawls/www.example.com.yaml',
  'sql/mart/pages.sql',
  'sql/questions/new.sql',
  '.git/config',
  'warehouse.duckdb',
  'warehouse.duckdb.wal',
  '.crawlhouse/ledger.sqlite',
  '.crawlhouse/service/crawls.sqlite',
];

test.for(OWN_FILES)('%s of any project is refused, whatever else is protected', async (name) => {
  const { folder } = await project();
  await writeFile(join(folder, 'schedules.yaml'), '');
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  const refusal = { code: 'usage', message: expect.stringContaining(`--ready-file: ${path}`) };
  await expect(checkOutput(path, { named: '--ready-file' })).rejects.toMatchObject(refusal);
  const link = join(await temporaryFolder(), 'link');
  await symlink(folder, link);
  await expect(checkOutput(join(link, name), {})).rejects.toMatchObject({ code: 'usage' });
  if (dirname(name) !== '.')
    await expect(checkOutputFolder(join(dirname(path), 'new/er'), {})).rejects.toThrow();
});

test('the same names are allowed outside of a project, and in its subfolders', async () => {
  const { folder } = await project();
  const below = join(folder, 'reports', 'sql');
  await mkdir(below, { recursive: true });
  await checkOutput(join(folder, '.env'), {});
  await writeFile(join(folder, 'schedules.yaml'), '');
  for (const name of ['.env', 'schedules.yaml', 'x.sql']) await checkOutput(join(below, name), {});
  await checkOutputFolder(join(folder, 'new', 'folder'), {});
  await checkOutputFolder(folder, {});
});

test('other names of a project file are refused', async () => {
  const { folder, stateDir, warehouse } = await project();
  await mkdir(join(folder, 'pipelines'));
  for (const name of ['.env', 'schedules.yaml', 'pipelines/x.yaml']) {
    await writeFile(join(folder, name), '');
    const other = join(folder, `${basename(name)}.csv`);
    await link(join(folder, name), other);
    await expect(checkOutput(other, { warehouse, stateDir, projectDir: folder }), name).rejects.toThrow();
  }
});
