import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../capture.ts';

const FORMAT = join(import.meta.dirname, '../../..', 'formats', 'warehouse.v15.duckdb.zst');

test('backup writes one file, prints its contents, and replaces no file without --overwrite', async () => {
  const folder = await projectFolder();
  writeFileSync(join(folder, 'warehouse.duckdb'), zstdDecompressSync(readFileSync(FORMAT)));
  const file = join(folder, 'copy.duckdb');
  const backup = (...more: string[]) => capture('backup', file, '--project-dir', folder, ...more);
  const first = await backup('--json');
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ file, bytes: statSync(file).size });
  const second = await backup();
  expect([second.code, second.stderr]).toEqual([2, expect.stringContaining(`${file} already exists`)]);
  const third = await backup('--overwrite');
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining('with the same rows as')]);
});

test('backup refuses the warehouse itself, the state directory, a missing name, and an engine without a file', async () => {
  const folder = await projectFolder();
  writeFileSync(join(folder, 'warehouse.duckdb'), zstdDecompressSync(readFileSync(FORMAT)));
  for (const name of ['warehouse.duckdb', '.crawlhouse', 'nowhere/copy.duckdb'])
    expect(await capture('backup', join(folder, name), '--overwrite', '--project-dir', folder)).toMatchObject(
      { code: 2, stderr: expect.stringContaining('backup: ') },
    );
  expect((await capture('backup', '--project-dir', folder)).stderr).toContain('name the file');
  const other = await projectFolder(
    'warehouse: {engine: trino, url: "http://127.0.0.1:9", catalog: c, location: "s3://b/c", region: r, endpoint: "http://127.0.0.1:9"}',
  );
  const refused = await capture('backup', join(folder, 'x.duckdb'), '--project-dir', other);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('backup copies a DuckDB warehouse'),
  });
});
