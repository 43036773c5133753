import { expect, test } from 'vitest';
import type { Dictionary, DictionaryTable } from '../../../../src/app/answers/dictionary/dictionary.ts';
import {
  endEvents,
  failEvent,
  type LineageRun,
  startEvent,
} from '../../../../src/app/operations/openlineage/run-events.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import {
  type RunReport,
  type UnitReport,
  unitReport,
} from '../../../../src/etl/project/model/runs/unit-report.ts';
import { type CheckedEvent, EventContract } from './event-contract.ts';

const RUN: LineageRun = {
  runId: '0199a3a4-7f53-7000-8000-000000000001',
  job: 'run',
  namespace: 'seo',
  producer: 'urn:crawlhouse:0.1.0',
  service: 'https://service.example',
  warehouse: 'duckdb:///srv/w.duckdb',
  prefix: 'w.',
  startedAt: '2026-03-01T06:00:00.000Z',
};
const UNIT = { dataset: 'crawl_pages', source: { kind: 'crawl', id: 'c1', project_id: 'p1' }, window: null };
const COUNTS = { reported: 3, received: 3, staged: 3, rejected: 0, loaded: 3, queryable: 3 };

function unit(status: UnitReport['status'], facts: Partial<UnitReport> = {}): UnitReport {
  return { ...unitReport(UNIT as never, status, null), ...facts };
}

function table(name: string, rest: Partial<DictionaryTable> = {}): DictionaryTable {
  const column = { name: 'url', type: 'VARCHAR', description: 'The address.', sources: [] };
  return {
    name,
    kind: 'table',
    description: `${name}.`,
    grain: null,
    columns: [column],
    reads: [],
    tests: [],
    sql: null,
    file: null,
    rows: null,
    ...rest,
  };
}

const DICTIONARY: Dictionary = {
  publishedAt: null,
  questions: [],
  tables: [
    table('raw.crawl_pages'),
    table('mart.pages', {
      reads: ['raw.crawl_pages'],
      sql: 'SELECT url FROM raw.crawl_pages',
      columns: [
        { name: 'url', type: 'VARCHAR', description: null, sources: ['raw.crawl_pages.url'] },
        { name: 'n', type: null, description: 'A number.', sources: [] },
      ],
    }),
  ],
};

function report(rest: Partial<RunReport>): RunReport {
  return {
    run_id: '0199a3a4-7f53-7000-8000-00000000000a',
    status: 'done',
    units: [],
    models: [],
    tests: [],
    started_at: RUN.startedAt,
    ended_at: '2026-03-01T06:01:00.000Z',
    ...rest,
  };
}

function events(
  rest: Partial<RunReport>,
  errors: readonly CrawlhouseError[] = [],
  aborted = false,
): CheckedEvent[] {
  return [...endEvents(RUN, { report: report(rest), errors }, DICTIONARY, aborted)].map((event) =>
    EventContract.parse(event),
  );
}

const ends = (all: readonly CheckedEvent[]) => all.map(({ eventType, job }) => [job.name, eventType]);

test('a run that starts, and one that ends without a report, each emit one event', () => {
  expect(EventContract.parse(startEvent(RUN))).toMatchObject({
    eventType: 'START',
    eventTime: RUN.startedAt,
    run: { runId: RUN.runId },
    job: { namespace: 'seo', name: 'run' },
  });
  const at = '2026-03-01T06:00:09.000Z';
  expect(EventContract.parse(failEvent(RUN, 'ABORT', 'interrupted', at))).toMatchObject({
    eventType: 'ABORT',
    run: { runId: RUN.runId, facets: { errorMessage: { message: 'interrupted' } } },
  });
});

test('a loaded unit emits its six counts, its inputs and outputs, and its columns once per run', () => {
  const loaded = unit('loaded', { seconds: 2.5, counts: COUNTS, bytes: 99, attempts: 1 });
  const all = events({ units: [loaded, { ...loaded, unit: 'crawl_pages/c2' }, unit('unchanged')] });
  expect(ends(all)).toEqual([
    ['crawl_pages', 'START'],
    ['crawl_pages', 'COMPLETE'],
    ['crawl_pages', 'START'],
    ['crawl_pages', 'COMPLETE'],
    ['run', 'COMPLETE'],
  ]);
  const [start, end, , other, run] = all as [
    CheckedEvent,
    CheckedEvent,
    CheckedEvent,
    CheckedEvent,
    CheckedEvent,
  ];
  expect([start.eventTime, end.eventTime]).toEqual(['2026-03-01T06:00:57.500Z', '2026-03-01T06:01:00.000Z']);
  expect(start.run.runId).toBe(end.run.runId);
  expect(new Set(all.map((event) => event.run.runId)).size).toBe(3);
  expect(end.run.facets.parent).toMatchObject({
    run: { runId: RUN.runId },
    job: { namespace: 'seo', name: 'run' },
  });
  expect(end.run.facets.crawlhouse_unit?.counts).toEqual(COUNTS);
  expect(end.inputs).toEqual([{ namespace: RUN.service, name: 'crawl_pages' }]);
  expect(end.outputs[0]).toMatchObject({
    namespace: RUN.warehouse,
    name: 'w.raw.crawl_pages',
    facets: {
      schema: {
        fields: [{ name: 'url', type: 'VARCHAR', description: 'The address.', ordinal_position: 1 }],
      },
    },
    outputFacets: { outputStatistics: { rowCount: 3 } },
  });
  expect(other.outputs[0]?.facets).toBeUndefined();
  expect(run.run.facets.crawlhouse_run).toMatchObject({ run_id: report({}).run_id, status: 'done' });
});

test('a failed unit emits its reason, and so does its run', () => {
  const error = { code: 'service_unavailable', message: 'answered 503', hint: null } as const;
  const thrown = new CrawlhouseError('service_unavailable', 'answered 503');
  const all = events({ status: 'failed', units: [unit('failed', { error })] }, [thrown]);
  expect(ends(all)).toEqual([
    ['crawl_pages', 'START'],
    ['crawl_pages', 'FAIL'],
    ['run', 'FAIL'],
  ]);
  expect(all.map((event) => event.run.facets.errorMessage?.message)).toEqual([
    undefined,
    'answered 503',
    'answered 503',
  ]);
  expect(all[1]?.outputs[0]?.outputFacets).toBeUndefined();
  expect(ends(events({ status: 'failed' }, [thrown], true))).toEqual([['run', 'ABORT']]);
});

test('a model emits its SQL, its column lineage, and its tests as assertions', () => {
  const failed = {
    model: 'mart.pages',
    severity: 'error',
    status: 'failed',
    failures: 2,
    sample: [],
  } as const;
  const all = events({
    status: 'refused',
    models: [
      { name: 'mart.pages', status: 'built', rows: 7, seconds: 1 },
      { name: 'mart.gone', status: 'failed', rows: null, seconds: 0 },
      { name: 'mart.same', status: 'unchanged', rows: 1, seconds: 0 },
    ],
    tests: [
      { ...failed, name: 'unique', query: 'SELECT 1' },
      { ...failed, name: 'told', severity: 'warn', status: 'passed', failures: 0, query: 'SELECT 2' },
    ],
  });
  expect(ends(all.filter(({ eventType }) => eventType !== 'START'))).toEqual([
    ['mart.pages', 'COMPLETE'],
    ['mart.gone', 'FAIL'],
    ['mart.pages.tests', 'FAIL'],
    ['run', 'FAIL'],
  ]);
  const built = all[1];
  expect(built?.job.facets.sql?.query).toBe('SELECT url FROM raw.crawl_pages');
  expect(built?.inputs).toEqual([{ namespace: RUN.warehouse, name: 'w.raw.crawl_pages' }]);
  expect(built?.outputs[0]?.facets?.columnLineage?.fields).toEqual({
    url: { inputFields: [{ namespace: RUN.warehouse, name: 'w.raw.crawl_pages', field: 'url' }] },
  });
  expect(built?.outputs[0]?.outputFacets?.outputStatistics.rowCount).toBe(7);
  const assertions = all[5]?.inputs[0]?.inputFacets?.dataQualityAssertions.assertions;
  expect(assertions?.map(({ assertion, success, severity }) => [assertion, success, severity])).toEqual([
    ['unique', false, 'error'],
    ['told', true, 'warn'],
  ]);
  expect(all[5]?.run.facets.errorMessage?.message).toBe('failed: unique');
});
