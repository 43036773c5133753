import { beforeEach, expect, test, vi } from 'vitest';
import { readCrawlReport } from '../../../../src/app/cli/reports/crawl-report.ts';
import type { Crawl } from '../../../../src/client/resources/crawls.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { invocationOf } from '../commands/invocation-of.ts';

const shared = vi.hoisted(() => ({
  days: [] as object[],
  scope: [] as object[],
  answers: async (): Promise<object> => ({}),
}));
vi.mock('../../../../src/app/answers/query/open-warehouse.ts', () => ({
  openWarehouse: async () => ({
    rows: async (sql: string) => (sql.includes('scope_note') ? shared.scope : shared.days),
    async [Symbol.asyncDispose]() {},
  }),
}));
vi.mock('../../../../src/etl/project/sql/models/sql-folders.ts', () => ({ sqlFolders: () => [] }));
vi.mock('../../../../src/etl/project/sql/questions/questions.ts', () => ({
  loadQuestions: async () => [
    { name: 'q16_bot_hits', needs: { log_days: true } },
    { name: 'q28_decay', needs: { ranking_days: true, crawl_before: true } },
    { name: 'q1_pages', needs: { catalog: true } },
  ],
}));
vi.mock('../../../../src/app/answers/report/crawl-answers.ts', () => ({
  readCrawlAnswers: () => shared.answers(),
  mapAnswers: (
    answers: Readonly<Record<string, readonly object[]>>,
    of: (rows: readonly object[]) => object,
  ) => Object.fromEntries(Object.entries(answers).map(([name, rows]) => [name, of(rows)])),
}));

beforeEach(() => {
  Object.assign(shared, { days: [], scope: [] });
  shared.answers = async () => ({ statuses: [{ crawl_id: 'c1', pages: 7 }] });
});
const CRAWL = { id: 'c1', project_id: 'p1', end_reason: 'ok', fetched_urls: 7, last_depth: 2 } as Crawl;
const read = (settings: object = {}, crawl = CRAWL) =>
  readCrawlReport(invocationOf([]).invocation, settings as Settings, crawl);
const days = (logs: number, demand: readonly number[]) => [
  { kind: 'logs', days: logs },
  ...demand.map((count) => ({ kind: 'demand', days: count })),
];

test.each([
  [days(0, [0, 0]), { logs: ['q16_bot_hits'], demand: ['q28_decay'] }],
  [days(3, [0, 0]), { logs: [], demand: ['q28_decay'] }],
  [days(0, [0, 1]), { logs: ['q16_bot_hits'], demand: [] }],
  [days(1, [1, 0]), { logs: [], demand: [] }],
])('with the days %j, the questions that need other data are named', async (rows, more_questions) => {
  shared.days = rows;
  expect((await read()).more_questions).toEqual(more_questions);
});

test('a report has the end of its crawl and its answers, without its identifier in each row', async () => {
  shared.scope = [{ scope_note: 'It stopped early.' }];
  const end = { crawl_id: 'c1', end_reason: 'ok', fetched_urls: 7, last_depth: 2 };
  expect(await read()).toMatchObject({ ...end, scope_note: 'It stopped early.', statuses: [{ pages: 7 }] });
  shared.scope = [];
  const bare = await read({}, { id: 'c1', project_id: 'p1' } as Crawl);
  expect(bare).toMatchObject({ end_reason: null, fetched_urls: 0, last_depth: 0, scope_note: null });
  expect(bare.statuses?.[0]).toEqual({ pages: 7 });
});

test('only a project without the shipped models may lack a question or a model', async () => {
  for (const [code, isBare] of [
    ['usage', true],
    ['bad_query', true],
    ['disk', false],
  ] as const) {
    shared.answers = () => Promise.reject(new CrawlhouseError(code, 'no answer'));
    await expect(read({ shipped_models: 'all' })).rejects.toThrow('no answer');
    const own = read({ shipped_models: 'none' });
    if (isBare) expect(await own).toMatchObject({ crawl_id: 'c1', findings: null, more_questions: null });
    else await expect(own).rejects.toThrow('no answer');
  }
  shared.answers = () => Promise.reject(new Error('a fault'));
  await expect(read({ shipped_models: 'none' })).rejects.toThrow('a fault');
});
