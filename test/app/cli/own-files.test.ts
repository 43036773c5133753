import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from './capture.ts';

const FILES = [
  '.env',
  'crawlhouse.yaml',
  'schedules.yaml',
  'pipelines/README.md',
  '.crawlhouse/ledger.sqlite',
];
const FOLDERS = ['pipelines', 'sql/new', '.crawlhouse'];

/** The commands that write a file, or files of a folder, where a person says. */
const WRITERS: readonly (readonly [words: readonly string[], paths: readonly string[]])[] = [
  [['query', 'SELECT 1 AS one', '--format', 'csv', '--output'], FILES],
  [['report', '--output'], FILES],
  [['backup', '--overwrite'], FILES],
  [['service', 'start', '--ready-file'], FILES],
  [['sandbox', 'start', '--ready-file'], FILES],
  [['docs', '--output'], FOLDERS],
  [['sitemap', '--output'], FOLDERS],
  [['sandbox', 'start', '--state'], FOLDERS],
];

const REFUSED = /(?:belongs to the (?:project|warehouse)|is in the state directory) /;

test('no command replaces or creates files among the files of the project', async () => {
  const folder = await projectFolder();
  const warehouse = join(folder, 'warehouse.duckdb');
  await writeFile(warehouse, 'the warehouse');
  for (const name of FILES) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '', { flag: 'a' });
  }
  const kept = [warehouse, ...FILES.map((name) => join(folder, name))];
  const contents = async () => await Promise.all(kept.map((path) => readFile(path, 'base64')));
  const before = await contents();
  for (const [words, names] of WRITERS)
    for (const path of [
      ...names.map((name) => join(folder, name)),
      ...(names === FILES ? [warehouse] : []),
    ]) {
      const { code, stderr } = await capture(...words, path, '--project-dir', folder);
      expect([code, stderr], `${words.join(' ')} ${path}`).toEqual([2, expect.stringMatching(REFUSED)]);
    }
  expect(await contents()).toEqual(before);
});
