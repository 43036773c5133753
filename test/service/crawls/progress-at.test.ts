import { expect, test } from 'vitest';
import { NO_COUNTS } from '../../../src/client/resources/crawl-progress.ts';
import {
  ANALYSIS_END,
  CONNECTORS_END,
  CROSS_ANALYSIS_END,
  crawlAt,
  FETCH_END,
  isMoving,
  isUnderWay,
  isWorking,
  JOB,
  type LaunchedCrawl,
  stepsAt,
  WORK_END,
  workEndOf,
  workedAt,
} from '../../../src/service/crawls/launched-crawl.ts';
import { progressAt } from '../../../src/service/crawls/progress-at.ts';

const SAMPLE = { step: 1, url: 'u', fetch_status: 'fetched_2xx', status_code: 200, fetch_duration: 5 };
const PLAN = {
  end_reason: 'ok',
  steps: [
    { ...NO_COUNTS, step: 0, depth: 0, fetched_2xx: 1 },
    { ...NO_COUNTS, step: 1, depth: 2, fetched_4xx: 2 },
    { ...NO_COUNTS, step: 5, depth: 3, unfetched_exception: 4 },
  ],
  samples: [
    SAMPLE,
    { ...SAMPLE, step: 2, fetch_status: 'unfetched_exception', status_code: null, fetch_duration: null },
  ],
};
const crawl = (more: object = {}) =>
  ({
    id: 'c',
    status: 'running',
    created_at: 0,
    _plan: PLAN,
    _work: { elapsed: 0, since: 0 },
    ...more,
  }) as unknown as LaunchedCrawl;
type Progress = Required<NonNullable<ReturnType<typeof progressAt>['progress']>>;
type Crawler = NonNullable<Progress['crawler']>;
interface Reported extends Progress {
  readonly crawler: { [Key in keyof Crawler]-?: NonNullable<Crawler[Key]> };
  readonly steps: NonNullable<Progress['steps']>;
}
const reported = (of: LaunchedCrawl, now: number) => progressAt(of, now).progress as Reported;
const steps = (worked: number, more: object = {}) =>
  reported(crawl(more), worked).steps.map(({ status }) => status);

test.each([
  [0, ['running', 'waiting', 'waiting', 'waiting', 'waiting']],
  [FETCH_END - 1, ['running', 'waiting', 'waiting', 'waiting', 'waiting']],
  [FETCH_END, ['done', 'running', 'waiting', 'waiting', 'waiting']],
  [CONNECTORS_END, ['done', 'done', 'running', 'waiting', 'waiting']],
  [ANALYSIS_END, ['done', 'done', 'done', 'running', 'waiting']],
  [CROSS_ANALYSIS_END, ['done', 'done', 'done', 'done', 'running']],
  [WORK_END, ['done', 'done', 'done', 'done', 'done']],
])('after %d ms of work the steps are %j', (worked, expected) => {
  expect(steps(worked)).toEqual(expected);
});

test('a crawl that pauses or never started is not working', () => {
  expect(steps(0, { status: 'paused' })[0]).toBe('waiting');
  expect(steps(0, { _plan: undefined })[0]).toBe('running');
  const jobs = reported(crawl(), CONNECTORS_END + JOB).steps[2];
  expect((jobs as { jobs: { status: string }[] }).jobs.map(({ status }) => status).slice(0, 3)).toEqual([
    'done',
    'running',
    'waiting',
  ]);
});

test('counts, depths and samples are those of the steps so far', () => {
  const { crawler } = reported(crawl(), 2500);
  expect(crawler).toMatchObject({
    depth: 2,
    counts: { fetched_2xx: 1, fetched_4xx: 2, queued_urls: 4 },
    by_depth: [
      { depth: 0, fetched_2xx: 1 },
      { depth: 1, fetched_2xx: 0 },
      { depth: 2, fetched_4xx: 2 },
    ],
  });
  expect(crawler.samples).toEqual([
    {
      url: 'u',
      fetch_status: 'fetched_2xx',
      fetch_date: '1970-01-01T00:00:01.000Z',
      status_code: 200,
      fetch_duration: 5,
    },
  ]);
  expect(reported(crawl(), 3000).crawler.samples[1]).toEqual({
    url: 'u',
    fetch_status: 'unfetched_exception',
    fetch_date: '1970-01-01T00:00:02.000Z',
    error_code: 'timeout',
  });
  expect(reported(crawl(), 0).crawler.by_depth).toEqual([]);
  for (const ended of [{ _work: undefined }, { _stop: 1 }])
    expect(reported(crawl(ended), 2500).crawler.counts.queued_urls).toBe(0);
});

test('the crawl of a website has the progress that its crawler reported', () => {
  const of = (progress?: object, more: object = {}) =>
    reported(crawl({ _crawler: { config: {}, progress }, ...more }), 0);
  const states = (progress?: object, more?: object) => of(progress, more).steps.map(({ status }) => status);
  expect(states()).toEqual(['running', 'waiting', 'waiting', 'waiting', 'waiting']);
  expect(states(undefined, { status: 'paused' })[0]).toBe('waiting');
  const jobs = [{ name: 'other', status: 'done' }];
  expect(states({ phase: 'analysis', jobs })).toEqual(['done', 'done', 'running', 'waiting', 'waiting']);
  expect(states({ phase: 'done' })).toEqual(['done', 'done', 'done', 'done', 'done']);
  const counts = { fetched_2xx: 3, queued_urls: 7 };
  expect(of({ phase: 'fetch', depth: 4, counts }).crawler).toMatchObject({ depth: 4, counts });
  expect(of({ counts }, { _work: undefined }).crawler.counts.queued_urls).toBe(0);
  expect(of({}).crawler.counts).toEqual({ ...NO_COUNTS, queued_urls: 0 });
});

test('work continues only while a crawl is working', () => {
  expect(workedAt(crawl(), 500)).toBe(500);
  expect(workedAt(crawl({ _work: { elapsed: 100, since: 200 } }), 500)).toBe(400);
  expect(workedAt(crawl({ _work: { elapsed: 100, since: 200 } }), 0)).toBe(100);
  expect(workedAt(crawl({ status: 'paused', _work: { elapsed: 100, since: 200 } }), 500)).toBe(100);
  expect(workedAt(crawl(), WORK_END * 2)).toBe(WORK_END);
  expect(workedAt(crawl({ _work: undefined }), 0)).toBe(WORK_END);
  expect(workedAt(crawl({ _work: undefined, _worked: 7 }), 0)).toBe(7);
  expect(stepsAt(crawl(), 2999)).toBe(2);
  expect(stepsAt(crawl(), WORK_END)).toBe(40);
  expect(stepsAt(crawl({ _stop: 3 }), WORK_END)).toBe(3);
});

test('the end of the work is known, or the crawler reports it', () => {
  expect(workEndOf(crawl({ _work: { elapsed: 100, since: 200 } }))).toBe(WORK_END + 100);
  expect(workEndOf(crawl({ status: 'paused' }))).toBeUndefined();
  expect(workEndOf(crawl({ _work: undefined }))).toBeUndefined();
  expect(workEndOf(crawl({ _crawler: { config: {} } }))).toBeUndefined();
  expect(workEndOf(crawl({ _crawler: { config: {}, ended: { at: 9 } } }))).toBe(9);
});

test('a crawl has the URLs that it fetched so far', () => {
  expect(crawlAt(crawl(), 2500)).toMatchObject({ fetched_urls: 3, last_depth: 2 });
  expect(crawlAt(crawl(), WORK_END)).toMatchObject({ fetched_urls: 3, last_depth: 3 });
  for (const ended of [{ _work: undefined }, { _plan: undefined }])
    expect(crawlAt(crawl(ended), 2500)).not.toHaveProperty('fetched_urls');
});

test.each([
  ['running', true, true, true],
  ['terminating', true, true, true],
  ['paused', false, true, true],
  ['pausing', false, true, true],
  ['archiving', false, true, false],
  ['done', false, false, false],
  ['cancelled', false, false, false],
  ['archived', false, false, false],
])('a crawl that is %s: working %s, moving %s, under way %s', (status, works, moves, isOn) => {
  const one = { id: 'c', status };
  expect([isWorking(one), isMoving(one), isUnderWay(one)]).toEqual([works, moves, isOn]);
});
