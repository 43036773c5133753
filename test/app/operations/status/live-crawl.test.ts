import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveCrawlFile, readLiveCrawl } from '../../../../src/app/operations/status/live-crawl.ts';
import { Crawl } from '../../../../src/client/resources/crawls.ts';
import { host, withHost } from '../../../../src/core/host/host.ts';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('a crawl runs while its process holds the lock, and is paused without it until it has ended', async () => {
  const state_dir = await temporaryFolder();
  const folder = join(state_dir, 'service');
  mkdirSync(folder);
  expect(readLiveCrawl({ state_dir })).toBeNull();
  const crawl = Crawl.parse({ id: 'c1', project_id: 'p1', status: 'running' });
  const live = new LiveCrawlFile({ state_dir }, crawl);
  {
    using _lock = lockState(folder, 'the local service');
    expect(readLiveCrawl({ state_dir })).toMatchObject({ crawl_id: 'c1', state: 'running', phase: 'fetch' });
  }
  expect(readLiveCrawl({ state_dir })?.state).toBe('paused');
  live.change({ state: 'ended' });
  expect(readLiveCrawl({ state_dir })?.state).toBe('ended');
  writeFileSync(join(folder, 'live-crawl.json'), '{"crawl_id"');
  expect(readLiveCrawl({ state_dir })).toBeNull();
});

const COUNTS = { fetched_2xx: 3, fetched_3xx: 0, fetched_4xx: 2, fetched_5xx: 1, queued_urls: 7 };
const progressOf = (phase: string, more: object = {}) =>
  ({
    ...{
      phase,
      counts: COUNTS,
      depth: 2,
      urls_per_second: 1.5,
      findings: [['thin', 4]],
      side_work: ['robots'],
    },
    ...{ jobs: [{ name: 'links', status: 'done' }], ...more },
  }) as unknown as Parameters<LiveCrawlFile['show']>[0];

test('the progress of a crawl is written at most once a second, and at once in another phase', async () => {
  const state_dir = await temporaryFolder();
  mkdirSync(join(state_dir, 'service'));
  let now = 0;
  withHost({ ...host(), monotonic: () => now }, () => {
    const live = new LiveCrawlFile(
      { state_dir },
      Crawl.parse({ id: 'c1', project_id: 'p1', status: 'running' }),
    );
    const depth = () => readLiveCrawl({ state_dir })?.progress?.depth;
    live.show(undefined);
    live.show(progressOf('fetch'));
    expect(depth()).toBeUndefined();
    now = 1000;
    live.show(progressOf('fetch'));
    expect(readLiveCrawl({ state_dir })).toMatchObject({
      phase: 'fetch',
      progress: {
        ...{ pages: 6, left: 7, depth: 2, urls_per_second: 1.5, work: ['robots'] },
        findings: [{ issue: 'thin', pages: 4 }],
      },
    });
    expect(readLiveCrawl({ state_dir })?.progress?.statuses.map(({ urls }) => urls)).toEqual([3, 2, 1]);
    now = 1999;
    live.show(progressOf('fetch', { depth: 3 }));
    expect(depth()).toBe(2);
    const jobs = [
      { name: 'links', status: 'done' },
      { name: 'ranks', status: 'running' },
    ];
    live.show(progressOf('jobs', { depth: 4, jobs }));
    expect(readLiveCrawl({ state_dir })).toMatchObject({
      phase: 'analysis',
      progress: { depth: 4, work: ['ranks (2 of 2)'] },
    });
  });
});
