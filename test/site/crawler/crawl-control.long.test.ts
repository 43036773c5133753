import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CrawlControl } from '../../../src/site/crawler/progress-reporter.ts';
import { crawlSite, pageWith, serveSite } from '../../support/crawl-site.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** A site of a chain of pages that calls back when a page is asked for. */
async function chain(length: number, onRequest: (page: number) => void) {
  return serveSite({
    '/': pageWith('/page?1'),
    '/page?': (request, response) => {
      const page = Number(/\d+/.exec(request.url ?? '')?.[0]);
      onRequest(page);
      response.setHeader('content-type', 'text/html');
      response.end(page < length ? pageWith(`/page?${page + 1}`) : 'the end');
    },
  });
}

test('a terminated crawl reports its fetched pages', async () => {
  const control = new CrawlControl();
  const site = await chain(10, (page) => page === 3 && control.terminate());
  const crawled = await crawlSite(site, {}, { control });
  expect(crawled).toMatchObject({ endReason: 'user_requested', fetchedUrls: 4 });
  expect(Object.keys(await crawled.field('url')).length).toBe(4);
});

test('a cancelled crawl leaves no report', async () => {
  const control = new CrawlControl();
  const site = await chain(10, (page) => page === 3 && control.cancel());
  expect(await crawlSite(site, {}, { control })).toMatchObject({
    endReason: 'user_cancelled',
    database: null,
  });
});

test('a paused crawl sends no requests until it is resumed', async () => {
  const control = new CrawlControl();
  const site = await chain(6, (page) => page === 3 && control.pause());
  const paused = Promise.withResolvers<number>();
  const crawling = crawlSite(
    site,
    {},
    { control, onProgress: ({ isPaused }) => isPaused && paused.resolve(site.hits.length) },
  );
  expect(await paused.promise).toBe(4);
  control.resume();
  expect(await crawling).toMatchObject({ endReason: 'ok', fetchedUrls: 7 });
});

test('an interrupted crawl continues in its folder, and fetches nothing twice', async () => {
  const interruption = new AbortController();
  const site = await chain(6, (page) => page === 4 && interruption.abort());
  const folder = await temporaryFolder();
  await expect(crawlSite(site, {}, { folder, signal: interruption.signal })).rejects.toThrow();
  const crawled = await crawlSite(site, {}, { folder });
  expect(crawled).toMatchObject({ endReason: 'ok', fetchedUrls: 7 });
  expect(site.hits.filter((path) => path === '/page?3').length).toBe(1);
  expect(
    await crawled.rows('SELECT count(*)::INT AS pages, count(DISTINCT url)::INT AS urls FROM fetched_pages'),
  ).toEqual([{ pages: 7, urls: 7 }]);
});

test('a crawl continued after an interruption keeps its cookies', async () => {
  const interruption = new AbortController();
  const site = await serveSite({
    '/': { headers: { 'set-cookie': 'seen=1; Path=/' }, body: pageWith('/a') },
    '/a': (_request, response) => {
      if (interruption.signal.aborted) response.end('an answer');
      else interruption.abort();
    },
  });
  const folder = await temporaryFolder();
  await expect(crawlSite(site, {}, { folder, signal: interruption.signal })).rejects.toThrow();
  await crawlSite(site, {}, { folder });
  const asked = site.requests.filter(({ url }) => url === '/a');
  expect(asked.map(({ headers }) => headers.cookie)).toEqual(['seen=1', 'seen=1']);
});

test('a crawl interrupted at its start ends immediately, even if the site does not respond', async () => {
  const silent = await serveSite({ '/robots.txt': () => {} });
  for (let turns = 0; turns < 40; turns++) {
    const interruption = new AbortController();
    const crawled = crawlSite(silent, {}, { signal: interruption.signal });
    const ended = expect(crawled, `after ${turns} turns`).rejects.toThrow();
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    interruption.abort();
    const began = performance.now();
    await ended;
    expect(performance.now() - began, `after ${turns} turns`).toBeLessThan(10_000);
  }
});

test('a crawl interrupted in its analysis creates the report later, without a request', async () => {
  const interruption = new AbortController();
  const site = await chain(2, () => {});
  const folder = await temporaryFolder();
  const onProgress = ({ phase }: { readonly phase: string }) => phase === 'analysis' && interruption.abort();
  const options = { folder, signal: interruption.signal, onProgress };
  await expect(crawlSite(site, {}, options)).rejects.toThrow();
  const crawled = await crawlSite(site, {}, { folder });
  expect(await crawled.rows('SELECT count(*)::INT AS pages FROM pages')).toEqual([{ pages: 3 }]);
  expect(site.hits.length).toBe(3);
});

test('a finished crawl is not repeated', async () => {
  const site = await chain(2, () => {});
  const folder = await temporaryFolder();
  const first = await crawlSite(site, {}, { folder });
  const again = await crawlSite(site, {}, { folder });
  expect(again).toMatchObject({ endReason: 'ok', fetchedUrls: 3, database: join(folder, 'crawl.duckdb') });
  expect(again.lastDepth).toBe(first.lastDepth);
  expect(site.hits.length).toBe(3);
});

test('a crawl folder continues only with its own configuration', async () => {
  const site = await chain(2, () => {});
  const folder = await temporaryFolder();
  await crawlSite(site, {}, { folder });
  await expect(crawlSite(site, { max_depth: 3 }, { folder })).rejects.toThrow('a different configuration');
});

test('progress counts by status and depth, and shows samples', async () => {
  const site = await serveSite({ '/': pageWith('/a', '/gone'), '/a': 'x' });
  const seen: unknown[] = [];
  await crawlSite(site, {}, { onProgress: (progress) => seen.push(progress) });
  expect(seen.at(-1)).toMatchObject({
    phase: 'done',
    depth: 1,
    counts: { fetched_2xx: 2, fetched_4xx: 1, queued_urls: 0 },
    by_depth: [
      { depth: 0, fetched_2xx: 1 },
      { depth: 1, fetched_2xx: 1, fetched_4xx: 1 },
    ],
  });
  expect(seen).toContainEqual(
    expect.objectContaining({
      phase: 'analysis',
      jobs: expect.arrayContaining([
        { name: 'parse', status: 'done' },
        { name: 'scoring', status: 'running' },
        { name: 'cluster_similarities', status: 'waiting' },
      ]),
    }),
  );
  const { samples } = seen.at(-1) as { samples: { url: string; fetch_status: string }[] };
  expect(samples.map(({ url }) => url.replace(site.origin, ''))).toContain('/gone');
});
