import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CrawlSession } from '../../../../src/site/crawler/crawl-session.ts';
import { Frontier, type QueuedUrl } from '../../../../src/site/crawler/frontier/frontier.ts';
import { RecordFiles } from '../../../../src/site/crawler/frontier/record-files.ts';
import type { ParseReply } from '../../../../src/site/crawler/parse/threads/parse-messages.ts';
import { OutcomeBatch } from '../../../../src/site/crawler/records/outcome-batch.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const lines = (text: string) => ({ bytes: Buffer.from(text), isCompressed: false });
const reply = (pages: string): ParseReply =>
  ({ pages: lines(pages), links: lines(''), items: lines('') }) as unknown as ParseReply;

/** A batch over a frontier with 600 queued URLs, and the texts of its files. */
async function batchIn() {
  const folder = await temporaryFolder();
  const frontier = new Frontier(folder);
  onTestFinished(() => frontier[Symbol.dispose]());
  frontier.transaction(() => {
    for (let n = 0; n < 600; n++) frontier.seed(`url ${n}`, 0, 'crawler');
  });
  frontier.queueDepth(0);
  const files = await RecordFiles.open(join(folder, 'records'), []);
  const session = { takeNewCookies: () => '[]' } as unknown as CrawlSession;
  const batch = new OutcomeBatch(frontier, files, session);
  const items = frontier.next(0, 600);
  const add = (n: number, text: string | null = `{"n":${n}}\n`): void =>
    batch.add(
      { item: items[n] as QueuedUrl, status: text === null ? null : 'fetched_2xx', targets: [] },
      text === null ? null : reply(text),
    );
  const written = async (): Promise<string[]> => {
    const names = (await readdir(join(folder, 'records'))).toSorted();
    const texts = names.map(async (name) =>
      zstdDecompressSync(await readFile(join(folder, 'records', name))),
    );
    return (await Promise.all(texts)).map(String);
  };
  return { batch, add, written, frontier, files };
}

test('outcomes are stored with the files of their records, which the frontier then names', async () => {
  const { batch, add, written, frontier } = await batchIn();
  add(0);
  add(1);
  add(2, null);
  await batch.write();
  expect(await written()).toEqual(['{"n":0}\n{"n":1}\n']);
  expect(frontier.recordFiles()).toEqual([{ name: 'pages-000001.ndjson.zst', kind: 'pages' }]);
  expect(frontier.counts()).toEqual([{ depth: 0, status: 'fetched_2xx', urls: 2 }]);
  await batch.write();
  expect(frontier.recordFiles()).toHaveLength(1);
});

test('a batch is due with 500 URLs, with 16 MB, or after two seconds', async () => {
  const { batch, add, written } = await batchIn();
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  const began = performance.now();
  clock.mockReturnValue(began);
  await batch.writeIfDue();
  for (let n = 0; n < 499; n++) add(n);
  await batch.writeIfDue();
  expect(await written()).toEqual([]);
  add(499);
  await batch.writeIfDue();
  await batch.write();
  expect(await written()).toHaveLength(1);

  add(500, 'x'.repeat(15_999_999));
  await batch.writeIfDue();
  add(501, 'y');
  await batch.writeIfDue();
  await batch.write();
  expect(await written()).toHaveLength(2);

  add(502);
  clock.mockReturnValue(began + 1999);
  await batch.writeIfDue();
  expect(await written()).toHaveLength(2);
  clock.mockReturnValue(began + 2000);
  await batch.writeIfDue();
  await batch.write();
  expect(await written()).toHaveLength(3);
});

test('a failed write fails each later one, and stores nothing', async () => {
  const { batch, add, frontier, files } = await batchIn();
  const failing = vi.spyOn(files, 'write').mockRejectedValue(new Error('the disk is full'));
  onTestFinished(() => failing.mockRestore());
  add(0);
  await expect(batch.write()).rejects.toThrow('the disk is full');
  expect(frontier.counts()).toEqual([]);
  await expect(batch.writeIfDue()).rejects.toThrow('the disk is full');
});
