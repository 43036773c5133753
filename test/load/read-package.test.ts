import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPackage } from '../../src/load/read-package.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { fields, makePackage } from './make-package.ts';

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

test('a whole package is opened', async () => {
  const { folder } = await somePackage();
  const found = await readPackage(folder);
  expect(found.folder).toBe(folder);
  expect(found.manifest).toMatchObject({
    name: 'crawl_pages/c1',
    counts: { staged: 2 },
    columns: [{ field: 'url' }],
  });
});

test('a folder without a manifest was never finished', async () => {
  const { folder } = await somePackage();
  await rm(join(folder, 'manifest.json'));
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${folder} has no manifest.json`,
    hint: expect.stringContaining('never finished'),
  });
  await refused(join(folder, 'nowhere')).toMatchObject({ code: 'bad_package' });
});

test('a part that is missing, too short or too long is named', async () => {
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

test('a part of the right size with another content is noticed', async () => {
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
  ['no JSON', () => '{"version": 1'],
  ['of another version', (text: string) => text.replace('"version": 1', '"version": 2')],
  ['without its counts', (text: string) => text.replace('"counts"', '"count"')],
  ['with a count below zero', (text: string) => text.replace('"rejected": 0', '"rejected": -1')],
] as const)('a manifest that is %s is refused', async ([_what, change]) => {
  const { folder } = await somePackage();
  const file = join(folder, 'manifest.json');
  const before = await readFile(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(file, after);
  await refused(folder).toMatchObject({
    code: 'bad_package',
    message: `${file} does not fit the schema of a manifest`,
  });
});
