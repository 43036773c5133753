import { expect, onTestFinished, test } from 'vitest';
import { Frontier, type QueuedUrl } from '../../../../src/site/crawler/frontier/frontier.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

async function frontierIn(folder: string): Promise<Frontier> {
  const frontier = new Frontier(folder);
  onTestFinished(() => frontier[Symbol.dispose]());
  return frontier;
}

const found = (item: QueuedUrl, ...targets: readonly string[]) => ({
  item,
  status: 'fetched_2xx' as const,
  targets,
});
const urls = (items: readonly QueuedUrl[]): string[] => items.map(({ url }) => url);

test('the order within a depth follows the linking pages, not the order of responses', async () => {
  const frontier = await frontierIn(await temporaryFolder());
  frontier.seed('start', 0, 'crawler');
  frontier.queueDepth(0);
  const [start] = frontier.next(0, 10);
  if (start === undefined) throw new Error('no start');
  frontier.commit([found(start, 'a', 'b')], []);
  expect(frontier.queueDepth(1)).toBe(2);
  const [a, b] = frontier.next(0, 10);
  if (a === undefined || b === undefined) throw new Error('no pages');
  frontier.commit([found(b, 'shared', 'of b', 'start')], []);
  frontier.commit([found(a, 'of a', 'shared')], []);
  expect(frontier.queueDepth(2)).toBe(3);
  expect(urls(frontier.next(0, 10))).toEqual(['of a', 'shared', 'of b']);
  expect(frontier.next(0, 10).map(({ rank, depth }) => [rank, depth])).toEqual([
    [4, 2],
    [5, 2],
    [6, 2],
  ]);
});

test('uncommitted URLs are open again when the frontier is reopened', async () => {
  const folder = await temporaryFolder();
  const first = new Frontier(folder);
  first.seed('start', 0, 'crawler');
  first.seed('other', 0, 'crawler');
  first.queueDepth(0);
  const [start, other] = first.next(0, 10);
  if (start === undefined || other === undefined) throw new Error('no start');
  first.commit(
    [found(start), { item: other, status: null, targets: [] }],
    [{ name: 'pages-000001.ndjson.zst', kind: 'pages' }],
  );
  first[Symbol.dispose]();
  const again = await frontierIn(folder);
  expect(again.next(0, 10)).toMatchObject([{ url: 'other', attempts: 1 }]);
  expect(again.counts()).toEqual([{ depth: 0, status: 'fetched_2xx', urls: 1 }]);
  expect(again.recordFiles()).toEqual([{ name: 'pages-000001.ndjson.zst', kind: 'pages' }]);
});

test('a failed commit leaves nothing', async () => {
  const frontier = await frontierIn(await temporaryFolder());
  frontier.seed('start', 0, 'crawler');
  frontier.queueDepth(0);
  const [start] = frontier.next(0, 10);
  if (start === undefined) throw new Error('no start');
  const twice = { name: 'pages-000001.ndjson.zst', kind: 'pages' } as const;
  expect(() => frontier.commit([found(start, 'a')], [twice, twice])).toThrow();
  expect(frontier.open()).toBe(1);
  expect(frontier.known()).toBe(1);
});

test('URLs only in sitemaps are queued last, followed by their redirects', async () => {
  const frontier = await frontierIn(await temporaryFolder());
  const record = (url: string) => ({
    url,
    sitemap: 's',
    alternate_langs: [],
    alternate_hrefs: [],
    num_images: 0,
    num_news: 0,
    num_videos: 0,
  });
  frontier.addSitemapUrls(['start', 'orphan', 'left out'].map(record), (url) => url !== 'left out');
  frontier.seed('start', 0, 'crawler');
  frontier.queueDepth(0);
  expect(frontier.queueUnlinked(0)).toBe(1);
  const [orphan] = frontier.next(0, 10);
  expect(orphan).toMatchObject({ url: 'orphan', depth: null, source: 'sitemaps' });
  if (orphan === undefined) throw new Error('no orphan');
  frontier.commit([found(orphan, 'target')], []);
  expect(frontier.queueUnlinked(1)).toBe(1);
  expect(urls(frontier.next(0, 10))).toEqual(['target']);
});
