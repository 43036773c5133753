import { execFileSync } from 'node:child_process';
import { appendFile, link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { fields, makePackage } from './make-package.ts';
import '../../../support/process-timeout.ts';

async function somePackage(): Promise<{ folder: string; part: string }> {
  const folder = await temporaryFolder();
  const rows = [{ url: 'a' }, { url: 'b' }];
  const made = await makePackage(await temporaryConnection(folder), folder, {
    id: 'c1',
    fields: fields('url'),
    rows,
  });
  return { folder: made, part: join(made, 'parts', 'part-00001.parquet') };
}

function refused(folder: string) {
  return expect(readPackage(folder)).rejects;
}

test('a complete package is opened', async () => {
  const { folder } = await somePackage();
  const found = await readPackage(folder);
  expect(found.folder).toBe(folder);
  expect(found.manifest).toMatchObject({
    name: 'crawl_pages/c1',
    counts: { staged: 2 },
    columns: [{ field: 'url' }],
  });
});

test('a folder without a manifest is incomplete', async () => {
  const { folder } = await somePackage();
  await rm(join(folder, 'manifest.json'));
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${folder} has no manifest.json`,
    hint: expect.stringContaining('is incomplete'),
  });
  await refused(join(folder, 'nowhere')).toMatchObject({ code: 'bad_package' });
});

test('a missing, short or long part is named', async () => {
  const { folder, part } = await somePackage();
  const bytes = await readFile(part);
  await writeFile(part, bytes.subarray(0, -1));
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${part} has ${bytes.length - 1} bytes, the manifest says ${bytes.length}`,
  });
  await appendFile(part, 'xx');
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: expect.stringContaining('the manifest says'),
  });
  await rm(part);
  await refused(folder).toMatchObject({ code: 'bad_package', message: `${part} is missing` });
});

test('a part of the right size with other content is detected', async () => {
  const { folder, part } = await somePackage();
  const bytes = await readFile(part);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(part, bytes);
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${part} is not the file that was staged: its SHA-256 differs`,
  });
});

test.for([
  ['no JSON', () => '{"version": 1', 'in JSON at position'],
  [
    'of no version that there was',
    (text: string) => text.replace('"version": 1', '"version": 0'),
    'version: Invalid input: expected 1: 1, not 0',
  ],
  ['without its counts', (text: string) => text.replace('"counts"', '"count"'), 'counts: Invalid input'],
  [
    'with a count below zero',
    (text: string) => text.replace('"rejected": 0', '"rejected": -1'),
    'counts.rejected: Too small: expected number to be >=0, not -1',
  ],
  [
    'with SQL for a type',
    (text: string) =>
      text.replace('"sql_type": "VARCHAR"', '"sql_type": "VARCHAR); DROP TABLE ops.loads; --"'),
    'columns.0.sql_type: the column of a field of the type "string" (one) is VARCHAR, not "VARCHAR); DROP TABLE ops.loads; --"',
  ],
  [
    'with another type than its field',
    (text: string) => text.replace('"sql_type": "VARCHAR"', '"sql_type": "BIGINT"'),
    'is VARCHAR, not "BIGINT"',
  ],
  [
    'with a part outside its folder',
    (text: string) => text.replace('"parts/part-00001.parquet"', '"../other/part-00001.parquet"'),
    'parts.0.file: a file of a package is named parts/<name>.parquet, relative to its folder, not "../other/part-00001.parquet"',
  ],
  [
    'of a dataset that is a schema',
    (text: string) => text.replace('"dataset": "crawl_pages"', '"dataset": "ops"'),
    'unit.dataset: a dataset is not named as a schema is, not "ops"',
  ],
  [
    'with quotes in an id',
    (text: string) => text.replace('"id": "c1"', `"id": "c1' OR true"`),
    `unit.source.id: an id has letters, digits, _ and -, at most 128 of them, not "c1' OR true"`,
  ],
  [
    'named otherwise than its unit',
    (text: string) => text.replace('"crawl_pages/c1"', '"crawl_pages/c2"'),
    'name: "crawl_pages/c2" is not the name of its unit, crawl_pages/c1',
  ],
] as const)('a manifest that is %s is refused', async ([_what, change, problem]) => {
  const { folder } = await somePackage();
  const file = join(folder, 'manifest.json');
  const before = await readFile(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(file, after);
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: expect.stringMatching(
      new RegExp(
        `^${RegExp.escape(`${file} does not fit the schema of a manifest: `)}.*${RegExp.escape(problem)}`,
      ),
    ),
  });
});

test('a part or its folder that is a link, a folder or a pipe is refused', async () => {
  const { folder, part } = await somePackage();
  const elsewhere = join(await temporaryFolder(), 'part.parquet');
  await rename(part, elsewhere);
  const message = `${part} is not a file`;
  await symlink(elsewhere, part);
  await refused(folder).toMatchObject({ code: 'bad_package', message });
  await rm(part);
  await symlink('/dev/zero', part);
  await refused(folder).toMatchObject({ code: 'bad_package', message });
  await rm(part);
  await mkdir(part);
  await refused(folder).toMatchObject({ code: 'bad_package', message });
  await rm(part, { recursive: true });
  execFileSync('mkfifo', [part]);
  await refused(folder).toMatchObject({ code: 'bad_package', message });
  await rm(part);
  await rename(elsewhere, part);
  await rename(join(folder, 'parts'), join(folder, 'others'));
  await symlink('others', join(folder, 'parts'));
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${join(folder, 'parts')} is not a folder`,
  });
});

test('a part that is the same file under another name is refused, because it would count twice', async () => {
  const { folder, part } = await somePackage();
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const other = { ...manifest.parts[0], file: 'parts/part-00002.parquet' };
  await link(part, join(folder, other.file));
  await writeFile(file, JSON.stringify({ ...manifest, parts: [manifest.parts[0], other] }));
  await refused(folder).toMatchObject({
    message: `${join(folder, other.file)} is the same file as ${part}: its rows would count twice`,
  });
  const listed = { ...manifest.parts[0], file: 'parts/PART-00001.parquet' };
  await writeFile(file, JSON.stringify({ ...manifest, parts: [manifest.parts[0], listed] }));
  await refused(folder).toMatchObject({
    message: expect.stringContaining('parts.1.file: a part is listed once, not "parts/PART-00001.parquet"'),
  });
});

test('a reject file is checked against its size and hash, like a part', async () => {
  const folder = await temporaryFolder();
  const made = await makePackage(await temporaryConnection(folder), folder, {
    id: 'c1',
    fields: fields('depth natural'),
    rows: [{ depth: 1 }, { depth: 1.5 }],
  });
  await readPackage(made);
  await appendFile(join(made, 'rejects-00001.parquet'), 'x');
  await refused(made).toMatchObject({
    code: 'bad_package',
    message: expect.stringMatching(/rejects-00001.parquet has \d+ bytes, the manifest says \d+$/),
  });
});
