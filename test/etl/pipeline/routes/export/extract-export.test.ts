import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../../src/core/net/download-limits.ts';
import { listObjects } from '../../../../../src/core/stores/list-objects.ts';
import { extractExport } from '../../../../../src/etl/pipeline/routes/export/export-route.ts';
import type { Part } from '../../../../../src/etl/project/model/download.ts';
import { LocalStore } from '../../../../support/local-store.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { signal } from '../route-context.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The objects of an export in a folder as a store, brought. */
async function extracted(objects: Readonly<Record<string, string | Buffer>>, reported = 3) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(objects)) await writeFile(join(folder, name), content);
  const store = new LocalStore({ folder });
  const request = {
    store,
    objects: await listObjects(store, '', signal),
    format: 'csv',
    delimiter: ',',
    reported,
    limits: DEFAULT_LIMITS,
    fields: ['url', 'n'],
  } as const;
  const parts = extractExport(request, await temporaryFolder(), signal);
  const found: Part[] = [];
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) found.push(next.value);
  return { found, download: next.value };
}

test('objects are downloaded in order, compressed or not, and the download combines them', async () => {
  const [one, two] = ['url,n\na,1\nb,2\n', 'url,n\nc,3\n'];
  const packed = gzipSync(two);
  const { found, download } = await extracted({ 'part-1.csv': one, 'part-2.csv.gz': packed });
  expect(found.map(({ file, rows, delimiter }) => [file, rows, delimiter])).toEqual([
    ['part-1.csv', 2, ','],
    ['part-2.csv.gz', 1, ','],
  ]);
  expect(download).toEqual({
    rows: 3,
    bytes: one.length + packed.length,
    sha256: sha256(sha256(one) + sha256(two)),
    header: ['url', 'n'],
  });
});

test('more rows than reported over all objects end the download', async () => {
  const objects = { 'part-1.csv': 'url,n\na,1\nb,2\n', 'part-2.csv': 'url,n\nc,3\n' };
  await expect(extracted(objects, 2)).rejects.toMatchObject({ rows: 3 });
});

test('an object is decompressed by its bytes, whatever its name', async () => {
  const { found } = await extracted({
    'part-1.csv': gzipSync('url,n\na,1\n'),
    'part-2.csv.gz': 'url,n\nb,2\n',
    'part-3': Buffer.concat([gzipSync('url,n\nc,'), gzipSync('3\n')]),
  });
  const texts = found.map(({ path }) => readFile(path, 'utf8'));
  expect(await Promise.all(texts)).toEqual(['a,1\n', 'b,2\n', 'c,3\n']);
});

test('an empty object has no rows: a folder, an end marker, an empty part', async () => {
  const { download } = await extracted({
    _SUCCESS: '',
    'part-1.csv': 'url,n\na,1\nb,2\nc,3\n',
    'part-2.csv.gz': '',
  });
  expect(download).toMatchObject({ rows: 3, header: ['url', 'n'] });
});

test('a duplicate object is refused, because the count matches if another one is missing', async () => {
  const text = 'url,n\na,1\nb,2\n';
  await expect(extracted({ 'part-1.csv': text, 'part-2.csv.gz': gzipSync(text) }, 4)).rejects.toMatchObject({
    code: 'unreconciled',
    message: expect.stringMatching(/part-2\.csv\.gz: its 2 rows are the rows of .*part-1\.csv$/),
  });
  const lone = 'url,n\na,1\n';
  expect((await extracted({ 'part-1.csv': lone, 'part-2.csv': lone }, 2)).download.rows).toBe(2);
});

test('objects with different headers are refused', async () => {
  await expect(
    extracted({ 'part-1.csv': 'url,n\na,1\n', 'part-2.csv': 'n,url\n1,a\n' }),
  ).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining('part-2.csv:1: the header'),
  });
});
