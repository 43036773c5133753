import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveCrawlFile, readLiveCrawl } from '../../../../src/app/operations/status/live-crawl.ts';
import { Crawl } from '../../../../src/client/resources/crawls.ts';
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
