import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NO_COUNTS } from '../../../src/client/resources/crawl-progress.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { applyEvent, giveUp } from '../../../src/service/crawls/apply-event.ts';
import type { CrawlContext, CrawlSource, SourceReport } from '../../../src/service/crawls/crawl-source.ts';
import type { Due } from '../../../src/service/crawls/due.ts';
import { CROSS_ANALYSIS_END, WORK_END } from '../../../src/service/crawls/launched-crawl.ts';
import { Resources, type StoredResource } from '../../../src/service/resources/resources.ts';
import { newProject } from '../../../src/service/resources/seed.ts';
import { sharedFolder } from '../../support/temporary.ts';

const folder = sharedFolder();
const DAY = 86_400_000;
const REPORT: SourceReport = {
  endReason: 'ok',
  fetchedUrls: 7,
  lastDepth: 2,
  datasets: new Map([
    ['requests', { table: undefined, columns: [] }],
    ['links', { table: undefined, columns: [] }],
  ]),
};

/** A project, and what happens to its crawls. */
function scene({ isSynthetic = true, now = 0 } = {}) {
  const resources = new Resources(join(folder, `${randomUUID()}.sqlite`));
  onTestFinished(() => resources[Symbol.dispose]());
  resources.put('workspaces', 'none', { id: 'w' });
  resources.put('projects', 'w', newProject('p', 'p', 'https://a.example/'));
  const followed: unknown[] = [];
  const notified: StoredResource[] = [];
  const started: number[] = [];
  const source: CrawlSource = {
    isSynthetic,
    plan: async ({ startedAt }) => {
      started.push(startedAt);
      return { work: {}, urls: 1 };
    },
    follow: async ({ id }) => void followed.push(id),
    report: async () => REPORT,
  };
  const context = {
    resources,
    clock: { now: () => now },
    logger: silentLogger,
    sourceOf: () => source,
    notify: (crawl: StoredResource) => void notified.push(crawl),
  } as unknown as CrawlContext;
  const event = (what: Due['what'], doc: StoredResource, at = 5) => applyEvent(context, { what, doc, at });
  return { resources, context, event, followed, notified, started };
}

const crawl = (more: object = {}): StoredResource => ({
  id: 'c',
  project_id: 'p',
  status: 'running',
  crawl_config: { id: 'k' },
  ...more,
});

test('a crawl that finishes has the counts of its report, and the data types that the report has', async () => {
  const { event, resources, followed, notified } = scene();
  const comparing = { id: 'k', trigger_coc: true };
  await event(
    'finish',
    crawl({ _work: { elapsed: 0, since: 0 }, features: ['custom'], crawl_config: comparing }),
  );
  const done = resources.get('crawls', 'c');
  expect(done).toEqual({
    ...crawl(),
    crawl_config: comparing,
    status: 'done',
    ended_at: 5,
    end_reason: 'ok',
    fetched_urls: 7,
    last_depth: 2,
    features: ['custom', 'requests'],
    _worked: WORK_END,
  });
  expect([followed, notified]).toEqual([['c'], [done]]);
  expect(resources.dataset('c', 'links')).toEqual({ table: undefined, columns: [] });
  expect(resources.get('projects', 'p')?.last_crawl_id).toBe('c');
  // It is the first of its configuration.
  expect(resources.list('crawl_over_crawls')).toEqual([]);
});

test.each([
  [true, ['former']],
  [false, []],
])('with trigger_coc %s, a crawl is compared with the former crawls %j', async (trigger_coc, former) => {
  const { event, resources } = scene();
  resources.put('crawls', 'w', crawl({ id: 'former', status: 'done', ended_at: 1 }));
  await event('finish', crawl({ crawl_config: { id: 'k', trigger_coc } }));
  expect(resources.list('crawl_over_crawls').map(({ crawl1_id }) => crawl1_id)).toEqual(former);
});

test('a crawl without a project cannot finish', async () => {
  await expect(scene().event('finish', crawl({ project_id: 'none' }))).rejects.toThrow('c has no project');
});

test('a transitional state ends in the state that it turns to; an archiving begins one', async () => {
  const { event, resources } = scene();
  await event('turn', crawl({ status: 'pausing', _turn: { at: 5, to: { status: 'paused' } } }));
  expect(resources.get('crawls', 'c')).toEqual(crawl({ status: 'paused' }));
  await event('archive', crawl({ status: 'done' }), 100);
  expect(resources.get('crawls', 'c')).toEqual(
    crawl({
      status: 'archiving',
      _turn: { at: 10_100, to: { status: 'archived', link_status: 'archived' } },
    }),
  );
});

const scheduled = (more: object = {}): StoredResource => ({
  id: 's',
  project_id: 'p',
  config_id: 'k',
  start_date: 0,
  recurrence: 'day',
  _next: { n: 0, at: 0 },
  ...more,
});

test('a schedule starts a crawl and has its next firing', async () => {
  const { event, resources, started } = scene({ now: 5 * DAY });
  resources.put('crawl_configs', 'p', { id: 'k' });
  await event('fire', scheduled(), 0);
  expect(started).toEqual([0]);
  expect(resources.list('crawls')).toHaveLength(1);
  expect(resources.get('scheduled_crawls', 's')).toEqual(scheduled({ _next: { n: 1, at: DAY } }));
});

test('of a website, the firings that the clock skipped become one, now', async () => {
  const { event, resources, started } = scene({ isSynthetic: false, now: 5 * DAY + 1 });
  resources.put('crawl_configs', 'p', { id: 'k' });
  await event('fire', scheduled(), 0);
  expect(started).toEqual([5 * DAY + 1]);
  expect(resources.get('scheduled_crawls', 's')).toEqual(scheduled({ _next: { n: 6, at: 6 * DAY } }));
});

test('a schedule without its configuration starts nothing, and one without a recurrence fires once', async () => {
  const { event, resources, started } = scene();
  await event('fire', scheduled({ recurrence: null }), 0);
  const { _next, ...rest } = scheduled({ recurrence: null });
  expect([started, resources.list('crawls'), resources.get('scheduled_crawls', 's')]).toEqual([[], [], rest]);
});

test('an event that cannot be applied is given up, with its reason', async () => {
  const { context, resources, followed, notified } = scene();
  await giveUp(
    context,
    { what: 'finish', doc: crawl({ _work: { elapsed: 0, since: 0 } }), at: 5 },
    'no memory',
  );
  const ended = crawl({
    status: 'cancelled',
    end_reason: 'stopped_progressing',
    ended_at: 5,
    _worked: CROSS_ANALYSIS_END,
    _failure: 'no memory',
  });
  expect(resources.get('crawls', 'c')).toEqual(ended);
  expect([followed, notified]).toEqual([['c'], [ended]]);
  await giveUp(context, { what: 'compare', doc: { id: 'x', _end: 4, status: 'running' }, at: 5 }, '');
  expect(resources.get('crawl_over_crawls', 'x')).toEqual({ id: 'x', status: 'cancelled', end_date: 5 });
  await giveUp(context, { what: 'fire', doc: scheduled(), at: 5 }, '');
  expect(resources.get('scheduled_crawls', 's')).toEqual(scheduled({ _next: { n: 1, at: DAY } }));
  expect(resources.list('crawls')).toHaveLength(1);
  await expect(giveUp(context, { what: 'turn', doc: crawl(), at: 5 }, '')).rejects.toThrow(
    "turn of c can't be given up",
  );
});

test('a crawl that is given up keeps the counts of the steps that it fetched', async () => {
  const { context, resources } = scene();
  const counts = { ...NO_COUNTS, fetched_2xx: 2 };
  const steps = [
    { ...counts, step: 0, depth: 0 },
    { ...counts, step: 2, depth: 3 },
  ];
  const doc = crawl({ _plan: { end_reason: 'ok', steps, samples: [] }, _work: { elapsed: 0, since: 0 } });
  await giveUp(context, { what: 'finish', doc, at: 1_500 }, '');
  expect(resources.get('crawls', 'c')).toMatchObject({ fetched_urls: 2, last_depth: 0 });
  await giveUp(context, { what: 'finish', doc, at: 60_000 }, '');
  expect(resources.get('crawls', 'c')).toMatchObject({ fetched_urls: 4, last_depth: 3 });
});
