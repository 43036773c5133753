import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RecordFiles } from '../../../../src/site/crawler/frontier/record-files.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const plain = (text: string) => ({ bytes: Buffer.from(text), isCompressed: false });
const packed = (text: string) => ({ bytes: zstdCompressSync(text), isCompressed: true });

test('each kind with lines gets a file, with plain lines and lines that a thread has compressed', async () => {
  const folder = join(await temporaryFolder(), 'records');
  const files = await RecordFiles.open(folder, []);
  const pages = [packed('{"n":1}\n'), plain('{"n":2}\n'), packed('{"n":3}\n')];
  expect(await files.write({ pages, links: [packed('{"l":1}\n')], items: [] })).toEqual([
    { name: 'pages-000001.ndjson.zst', kind: 'pages' },
    { name: 'links-000001.ndjson.zst', kind: 'links' },
  ]);
  const written = await readFile(join(folder, 'pages-000001.ndjson.zst'));
  // The frames of the threads follow that of the plain lines, unchanged.
  expect(zstdDecompressSync(written).toString()).toBe('{"n":2}\n');
  const frames = Buffer.concat([pages[0]?.bytes ?? Buffer.alloc(0), pages[2]?.bytes ?? Buffer.alloc(0)]);
  expect(written.subarray(-frames.length)).toEqual(frames);
  const next = await files.write({ pages: [plain('x')], links: [], items: [] });
  expect(next).toEqual([{ name: 'pages-000002.ndjson.zst', kind: 'pages' }]);
});

test('a resumed crawl removes files that the frontier does not name, and nothing else', async () => {
  const folder = await temporaryFolder();
  const names = [
    'pages-000003.ndjson.zst',
    'links-000004.ndjson.zst',
    'frontier.sqlite',
    'pages-x.ndjson.zst',
  ];
  for (const name of names) await writeFile(join(folder, name), '');
  const files = await RecordFiles.open(folder, [{ name: 'pages-000003.ndjson.zst', kind: 'pages' }]);
  expect((await readdir(folder)).toSorted()).toEqual([
    'frontier.sqlite',
    'pages-000003.ndjson.zst',
    'pages-x.ndjson.zst',
  ]);
  const [next] = await files.write({ pages: [plain('x')], links: [], items: [] });
  expect(next?.name).toBe('pages-000004.ndjson.zst');
});
