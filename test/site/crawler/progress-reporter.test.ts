import { expect, onTestFinished, test, vi } from 'vitest';
import { Frontier } from '../../../src/site/crawler/frontier/frontier.ts';
import {
  CrawlControl,
  type FetchProgress,
  ProgressReporter,
  SideWork,
} from '../../../src/site/crawler/progress-reporter.ts';
import { CrawlCounts } from '../../../src/site/crawler/records/crawl-counts.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();

test('progress is reported twice a second, at each change, and at the end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const frontier = new Frontier(await temporaryFolder());
  onTestFinished(() => frontier[Symbol.dispose]());
  for (const url of ['a', 'b', 'c']) frontier.seed(url, 0, 'crawler');
  const counts = new CrawlCounts([]);
  counts.add(0, { url: 'a', fetch_date: '', fetch_status: 'fetched_2xx' });
  const [sideWork, control, reports] = [new SideWork(), new CrawlControl(), [] as FetchProgress[]];
  const reporter = new ProgressReporter({
    ...{ counts, frontier, sideWork, control, onProgress: (progress) => void reports.push(progress) },
  });
  control.pause();
  sideWork.say('sitemaps', 'reading sitemaps');
  sideWork.say('requests', 'requesting');
  sideWork.say('sitemaps', 'read one sitemap');
  vi.advanceTimersByTime(500);
  sideWork.end('requests');
  expect(reports).toMatchObject([
    {
      ...{ phase: 'fetch', isPaused: true, counts: { fetched_2xx: 1, queued_urls: 2 }, looked: null },
      ...{ side_work: ['read one sitemap', 'requesting'], new_pages: null, depth: 0, slowest: null },
    },
  ]);
  vi.advanceTimersByTime(1000);
  expect(reports).toHaveLength(3);
  reporter.enter('analysis');
  expect(reports.at(-1)).toMatchObject({ phase: 'analysis', isPaused: false, counts: { queued_urls: 0 } });
  expect(new Set(reports.at(-1)?.jobs.map(({ status }) => status))).toEqual(new Set(['waiting']));
  const [first, second] = reports.at(-1)?.jobs ?? [];
  if (first === undefined || second === undefined) throw new Error('no jobs');
  reporter.job(first.name, 'done');
  reporter.job(second.name, 'running');
  expect(
    reports
      .at(-1)
      ?.jobs.slice(0, 3)
      .map(({ status }) => status),
  ).toEqual(['done', 'running', 'waiting']);
  reporter.enter('done');
  expect(reports.at(-1)?.jobs.every(({ status }) => status === 'done')).toBe(true);
  expect(reports).toHaveLength(7);
  reporter[Symbol.dispose]();
  expect(reports).toHaveLength(8);
  vi.advanceTimersByTime(5000);
  expect(reports).toHaveLength(8);
});

test('a paused crawl waits until it is resumed, terminated or cancelled', async () => {
  for (const [end, goesOn] of [
    ['resume', true],
    ['terminate', false],
    ['cancel', false],
  ] as const) {
    const control = new CrawlControl();
    expect(await control.mayGoOn(signal)).toBe(true);
    control.pause();
    let isWaiting = true;
    const waited = control.mayGoOn(signal).finally(() => {
      isWaiting = false;
    });
    await new Promise(setImmediate);
    expect([control.state, isWaiting]).toEqual(['paused', true]);
    control[end]();
    expect(await waited, end).toBe(goesOn);
  }
});

test('a crawl that ends is not paused or resumed, and a cancelled one is not terminated', () => {
  const control = new CrawlControl();
  control.resume();
  expect(control.state).toBe('running');
  let changes = 0;
  const listening = control.onChange(() => void changes++);
  control.terminate();
  control.pause();
  control.resume();
  expect([control.state, changes]).toEqual(['terminating', 1]);
  listening[Symbol.dispose]();
  control.cancel();
  control.terminate();
  expect([control.state, changes]).toEqual(['cancelling', 1]);
});

test('a wait ends with the signal', async () => {
  const [control, ending] = [new CrawlControl(), new AbortController()];
  control.pause();
  const waited = control.mayGoOn(ending.signal);
  ending.abort(new Error('stopped'));
  await expect(waited).rejects.toThrow('stopped');
});
