import { expect, test } from 'vitest';
import type { ChangedDay } from '../../../../src/client/resources/changed-day.ts';
import type { Crawl } from '../../../../src/client/resources/crawls.ts';
import { planUnits } from '../../../../src/etl/pipeline/discover/plan-units.ts';
import type { Inventory, SourceDates } from '../../../../src/etl/project/model/inventory.ts';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import type { Plan, Selection } from '../../../../src/etl/project/model/task.ts';
import { unitName } from '../../../../src/etl/project/model/unit.ts';
import { workspaceView } from '../../../support/inventory.ts';

function pipeline(dataset: string, kind: string, dataType: string): Pipeline {
  return Pipeline.parse({ dataset, description: dataset, source: { kind, data_type: dataType } });
}

const PAGES = pipeline('crawl_pages', 'crawl', 'pages');
const LINKS = pipeline('crawl_links', 'crawl', 'links');
const PROJECTS = pipeline('projects', 'resource', 'projects');

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

function crawl(id: string, more: Partial<Crawl> = {}): Crawl {
  return { id, project_id: 'p1', status: 'done', end_reason: 'ok', ended_at: day('2026-01-01'), ...more };
}

function inventory(crawls: readonly Crawl[]): Inventory {
  const projects = [
    { id: 'p1', name: 'Shop', start_url: 'https://shop' },
    { id: 'p2', name: 'Blog', start_url: 'https://blog' },
  ];
  return {
    workspaces: [workspaceView('w1', projects, crawls)],
    dates: new Map(),
    unread: new Map(),
    failures: [],
  };
}

const ALL: Selection = {
  projects: 'all',
  crawls: null,
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
};

function plan(crawls: readonly Crawl[], selection: Partial<Selection> = {}, pipelines = [PAGES]): Plan {
  return planUnits(inventory(crawls), { pipelines, selection: { ...ALL, ...selection } });
}

const namesOf = ({ tasks }: Plan): string[] => tasks.map(({ unit }) => unitName(unit));

test('a finished crawl has a unit for each crawl pipeline, a resource one for each workspace', () => {
  const found = plan([crawl('c1')], {}, [LINKS, PAGES, PROJECTS]);
  expect(namesOf(found)).toEqual(['projects/w1', 'crawl_links/c1', 'crawl_pages/c1']);
  expect(found.tasks.map(({ skip }) => skip)).toEqual([null, null, null]);
  expect(found.tasks.map(({ unit }) => unit.source)).toEqual([
    { kind: 'resource', id: 'w1', project_id: null },
    { kind: 'crawl', id: 'c1', project_id: 'p1' },
    { kind: 'crawl', id: 'c1', project_id: 'p1' },
  ]);
});

test.for([
  ['max_url_reached', null],
  ['quota_reached', null],
  ['user_requested', null],
  ['stopped_progressing', null],
  [undefined, null],
  ['user_cancelled', 'the crawl left no report (user_cancelled)'],
  ['crawl_already_running', 'the crawl left no report (crawl_already_running)'],
  ['quota_reached_before_start', 'the crawl left no report (quota_reached_before_start)'],
  ['no_active_subscription', 'the crawl left no report (no_active_subscription)'],
] as const)('a done crawl with end reason %s is skipped for: %s', ([end_reason, skip]) => {
  expect(plan([crawl('c1', { end_reason })]).tasks.map((one) => one.skip)).toEqual([skip]);
});

test.for([
  ['cancelled', 'the crawl left no report (ok)'],
  ['archived', 'the crawl is archived'],
  ['archiving', 'the crawl is archiving'],
  ['unarchiving', 'the crawl is unarchiving'],
] as const)('a crawl that is %s is skipped with its reason', ([status, skip]) => {
  const found = plan([crawl('c1', { status })]);
  expect(found.tasks.map((one) => one.skip)).toEqual([skip]);
  expect(found.open).toEqual([]);
});

test('archived links are skipped, the pages of the same crawl are not', () => {
  const found = plan([crawl('c1', { link_status: 'archived' })], {}, [LINKS, PAGES]);
  expect(found.tasks.map(({ skip }) => skip)).toEqual(['the links of the crawl are archived', null]);
});

test('only crawls whose record lists other requests have a unit for them', () => {
  const requests = pipeline('crawl_requests', 'crawl', 'requests');
  const crawls = [
    crawl('c1'),
    crawl('c2', { features: ['requests'] }),
    crawl('c3', { features: ['crawl_over_crawl'] }),
  ];
  expect(namesOf(plan(crawls, {}, [requests]))).toEqual(['crawl_requests/c2']);
});

test('unfinished crawls are open, whatever the selection, and have no units', () => {
  const states = ['running', 'pausing', 'paused', 'terminating', 'brand_new_state'];
  const crawls = states.map((status) => crawl(status, { status, ended_at: null, project_id: 'p2' }));
  const found = plan(crawls, { projects: ['p1'], from: day('2027-01-01') });
  expect(found).toEqual({ tasks: [], open: states.sort(), notes: [] });
});

test('units are ordered by the end of their crawl, then by id', () => {
  const crawls = [
    crawl('late', { ended_at: day('2026-03-01') }),
    crawl('b', { ended_at: day('2026-01-01') }),
    crawl('a', { ended_at: day('2026-01-01') }),
    crawl('early', { ended_at: day('2025-01-01') }),
  ];
  expect(namesOf(plan(crawls))).toEqual(['early', 'a', 'b', 'late'].map((id) => `crawl_pages/${id}`));
});

test('the date range includes its first day and its last', () => {
  const crawls = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01'].map((end) =>
    crawl(end, { ended_at: day(end) }),
  );
  crawls.push(crawl('last-millisecond', { ended_at: day('2026-02-01') - 1 }));
  expect(namesOf(plan(crawls, { from: day('2026-01-01'), to: day('2026-02-01') }))).toEqual(
    ['2026-01-01', '2026-01-31', 'last-millisecond'].map((id) => `crawl_pages/${id}`),
  );
});

test('a crawl that never started counts on the day of its creation', () => {
  const never = crawl('c1', {
    status: 'cancelled',
    end_reason: 'quota_reached_before_start',
    ended_at: null,
    created_at: day('2026-05-01'),
  });
  expect(namesOf(plan([never], { from: day('2026-05-01'), to: day('2026-05-02') }))).toEqual([
    'crawl_pages/c1',
  ]);
  expect(namesOf(plan([never], { from: day('2026-05-02') }))).toEqual([]);
});

test('projects are selected by id or name, crawls by id', () => {
  const crawls = [crawl('c1'), crawl('c2', { project_id: 'p2' }), crawl('c3')];
  expect(namesOf(plan(crawls, { projects: ['Blog'] }))).toEqual(['crawl_pages/c2']);
  expect(namesOf(plan(crawls, { projects: ['p1'] }))).toEqual(['crawl_pages/c1', 'crawl_pages/c3']);
  expect(namesOf(plan(crawls, { crawls: ['c3', 'c2'] }))).toEqual(['crawl_pages/c2', 'crawl_pages/c3']);
  expect(namesOf(plan(crawls, { projects: ['p1'], crawls: ['c2'] }))).toEqual([]);
});

test('an unknown project or crawl is a usage error that lists the known ones', () => {
  expect(() => plan([crawl('c1')], { projects: ['Shop', 'Shp'] })).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: 'there is no project Shp',
      hint: 'did you mean Shop? projects: Shop (p1), Blog (p2)',
    }),
  );
  expect(() => plan([crawl('c1')], { crawls: ['c1', 'c9'] })).toThrow(
    expect.objectContaining({ code: 'usage', message: 'there is no crawl c9' }),
  );
});

test('a crawl is named by its position in its project, or by the day of its end', () => {
  const crawls = [
    crawl('c1', { ended_at: day('2026-01-01') }),
    crawl('c2', { ended_at: day('2026-01-02') }),
    crawl('c3', { ended_at: day('2026-01-03'), status: 'cancelled', end_reason: 'cancelled' }),
    crawl('c4', { status: 'running', end_reason: null, ended_at: null }),
    crawl('b1', { project_id: 'p2', ended_at: day('2026-01-02') }),
  ];
  const of = (name: string) => namesOf(plan(crawls, { projects: ['Shop'], crawls: [name] }));
  expect(of('latest')).toEqual(['crawl_pages/c2']);
  expect(of('previous')).toEqual(['crawl_pages/c1']);
  expect(of('-1')).toEqual(['crawl_pages/c1']);
  expect(of('2026-01-02')).toEqual(['crawl_pages/c2']);
  expect(of('2026-01-03')).toEqual(['crawl_pages/c3']);
  const nearest = plan(crawls, { projects: ['Blog'], crawls: ['2026-01-09'] });
  expect([namesOf(nearest), nearest.notes]).toEqual([
    ['crawl_pages/b1'],
    ['no crawl ended on 2026-01-09; using the nearest earlier crawl, b1 of 2026-01-02'],
  ]);
  expect(() => plan(crawls, { crawls: ['latest'] })).toThrow(
    expect.objectContaining({ code: 'usage', hint: expect.stringContaining('b1 (Blog), c2 (Shop)') }),
  );
});

test('windows with a changed day are requested again, for datasets not loaded since', () => {
  const dated = (dataset: string, window: 'day' | 'month'): Pipeline =>
    Pipeline.parse({
      dataset,
      description: dataset,
      source: { kind: 'log_monitoring', data_type: 'pages' },
      window,
    });
  const span = { from: '2026-01-30', to: '2026-02-02', weeks: 'iso' } as const;
  const dates = new Map([
    ['p1', new Map(['days', 'months'].map((one) => [`log_monitoring pages ${one}`, span]))],
  ]);
  const pipelines = [dated('log_pages_days', 'day'), dated('log_pages_months', 'month')];
  const { tasks } = planUnits(
    { ...inventory([]), dates },
    {
      pipelines,
      selection: ALL,
      now: day('2026-03-05'),
      changed: [
        { project_id: 'p1', kind: 'log_monitoring', day: '2026-01-31', loaded_by: ['log_pages_months'] },
        { project_id: 'p1', kind: 'log_monitoring', day: '2026-02-02', loaded_by: [] },
        { project_id: 'p1', kind: 'ranking_performance', day: '2026-02-01', loaded_by: [] },
      ],
    },
  );
  expect(tasks.filter(({ refresh }) => refresh).map(({ name }) => name)).toEqual([
    'log_pages_days/p1/2026-01-31',
    'log_pages_days/p1/2026-02-02',
    'log_pages_months/p1/2026-02-01',
  ]);
});

test('a window loaded before its end is requested until it is loaded after its end; other windows wait for their end', () => {
  const pipelines = (['day', 'month'] as const).map((window) =>
    Pipeline.parse({
      dataset: `log_pages_${window}s`,
      description: window,
      window,
      source: { kind: 'log_monitoring', data_type: 'pages' },
    }),
  );
  const span = { from: '2026-01-30', to: '2026-02-02', weeks: 'iso' } as const;
  const dates = new Map([
    ['p1', new Map(['days', 'months'].map((one) => [`log_monitoring pages ${one}`, span]))],
  ]);
  const refreshed = (now: string, loadedAt: string) => {
    const loaded = new Map(
      ['log_pages_months/p1/2026-02-01', 'log_pages_days/p1/2026-02-01'].map((name) => [
        name,
        { loaded_at: day(loadedAt) },
      ]),
    );
    const { tasks } = planUnits(
      { ...inventory([]), dates },
      { pipelines, selection: ALL, now: day(now), loaded },
    );
    return tasks.map(({ name, refresh }) => `${name.slice(10)}${refresh ? ' again' : ''}`);
  };
  const ended = ['days/p1/2026-01-30', 'days/p1/2026-01-31'];
  // A clock that was ahead has loaded both; then it is right.
  expect(refreshed('2026-02-01', '2026-03-02')).toEqual([
    ...ended,
    'days/p1/2026-02-01 again',
    'months/p1/2026-01-01',
    'months/p1/2026-02-01 again',
  ]);
  // Both end after a load by the right clock.
  expect(refreshed('2026-03-05', '2026-02-01')).toEqual([
    ...ended,
    'days/p1/2026-02-01 again',
    'days/p1/2026-02-02',
    'months/p1/2026-01-01',
    'months/p1/2026-02-01 again',
  ]);
  expect(refreshed('2026-03-05', '2026-03-01').join()).not.toContain('again');
});

test('days whose rows were removed are requested once more, even if they are not listed', () => {
  const pipelines = [
    Pipeline.parse({
      dataset: 'ranking',
      description: 'ranking',
      window: 'day',
      source: { kind: 'ranking_performance', data_type: 'ranking_performance' },
    }),
  ];
  const noted = (one: string, isLoaded: boolean): ChangedDay => ({
    project_id: 'p1',
    kind: 'ranking_performance',
    day: one,
    loaded_by: isLoaded ? ['ranking'] : [],
  });
  const units = (listed: SourceDates, ...changed: ChangedDay[]) => {
    const dates = new Map([['p1', new Map([['ranking_performance', listed]])]]);
    const request = { pipelines, selection: ALL, now: day('2026-12-05'), changed };
    return planUnits({ ...inventory([]), dates }, request).tasks.map(({ name, skip }) => skip ?? name);
  };
  const span = { from: '2016-11-10', to: '2016-11-10', weeks: 'iso' } as const;
  const [before, after] = [noted('2016-11-10', true), noted('2026-11-12', false)];
  expect(units(span, before, after)).toEqual(['ranking/p1/2016-11-10', 'ranking/p1/2026-11-12']);
  expect(units({ skip: 'no dates' }, after)).toEqual(['ranking/p1/2026-11-12']);
  expect(units({ skip: 'no dates' }, noted('2026-11-12', true))).toEqual(['no dates']);
  expect(units({ skip: 'no dates' }, noted('2026-12-05', false))).toEqual(['no dates']);
});

test('if the service lists the days with lines, windows without lines are not units', () => {
  const pipelines = (['day', 'week', 'month'] as const).map((window) =>
    Pipeline.parse({
      dataset: `log_pages_${window}s`,
      description: window,
      window,
      source: { kind: 'log_monitoring', data_type: 'pages' },
    }),
  );
  const span = { from: '2025-11-10', to: '2026-11-10', weeks: 'iso' } as const;
  const dates = new Map([
    ['p1', new Map(['days', 'weeks', 'months'].map((one) => [`log_monitoring pages ${one}`, span]))],
  ]);
  const units = (days: readonly string[]): number => {
    const changed = days.map((one) => {
      return { project_id: 'p1', kind: 'log_monitoring', day: one, loaded_by: [] } as const;
    });
    const request = { pipelines, selection: ALL, now: day('2026-12-05'), changed };
    return planUnits({ ...inventory([]), dates }, request).tasks.length;
  };
  expect(units(['2025-11-10', '2026-11-09', '2026-11-10'])).toBe(3 + 2 + 2);
  expect(units([])).toBe(366 + 53 + 13);
});
