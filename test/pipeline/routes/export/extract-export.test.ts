import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/core/net/limits.ts';
import { extractExport } from '../../../../src/pipeline/routes/export/export-route.ts';
import type { RawPart } from '../../../../src/project/model/source.ts';
import { listObjects } from '../../../../src/stores/list-objects.ts';
import { LocalStore } from '../../../support/local-store.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
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
  const found: RawPart[] = [];
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) found.push(next.value);
  return { found, download: next.value };
}

test('objects come one after the other, packed or not, and the download is all of them', async () => {
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

test('more rows than were reported of all objects together end the download', async () => {
  const objects = { 'part-1.csv': 'url,n\na,1\nb,2\n', 'part-2.csv': 'url,n\nc,3\n' };
  await expect(extracted(objects, 2)).rejects.toMatchObject({ rows: 1 });
});

test('objects whose headers differ are not of one export', async () => {
  await expect(
    extracted({ 'part-1.csv': 'url,n\na,1\n', 'part-2.csv': 'n,url\n1,a\n' }),
  ).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining('part-2.csv:1: the header'),
  });
});
