import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { capture, type Outcome, projectFolder } from '../capture.ts';

const URL_A = 'https://a.example/';
const crawlOf = (id: string, project_id = 'p1', start_url = URL_A) => ({
  ...{ id, project_id, status: 'running', crawl_config: { start_url } },
});

const shared = vi.hoisted(() => ({
  calls: [] as unknown[][],
  unfinished: [] as object[],
  ended: [] as object[],
  units: [] as object[],
  run: { exitCode: 0, errors: [] as object[] },
  finish: async (_id: string, _show: (progress: undefined) => void): Promise<object> => ({}),
}));
vi.mock('../../../../src/app/cli/local/local-service.ts', () => {
  const told = <T>(answer: T, ...made: unknown[]): T => {
    shared.calls.push(made);
    return answer;
  };
  const launched = (project_id: string) => ({
    ...{ id: 'new', project_id, crawl_config: { start_url: 'https://a.example/' } },
  });
  const service = {
    project: async (url: string) => (url.includes('other') ? 'p2' : 'p1'),
    configure: async (project: string) => told('config', 'configure', project),
    configureList: async (project: string, _chosen: object, list: readonly string[]) =>
      told('list', 'list', project, list),
    launch: async (project: string, config: string) => told(launched(project), 'launch', project, config),
    unfinished: async () => shared.unfinished,
    lastEnded: async () => shared.ended,
    firstFigures: async () => ({}),
    finish: (id: string, show: (progress: undefined) => void, _signal: unknown, isNow: boolean) =>
      told(shared, 'finish', id, isNow).finish(id, show),
    async [Symbol.asyncDispose]() {},
  };
  return {
    LocalService: {
      start: async (_settings: object, { allowPrivate, publicOnly }: Record<string, boolean>) =>
        told(service, 'start', allowPrivate, publicOnly),
    },
  };
});
vi.mock('../../../../src/app/cli/local/crawl-config.ts', async (original) => ({
  ...(await original<object>()),
  crawlConfig: async () => ({ config: { start_url: 'https://a.example/' } }),
}));
vi.mock('../../../../src/app/cli/local/load-local.ts', () => ({ loadLocal: async () => shared.run }));
vi.mock('../../../../src/app/cli/reports/crawl-report.ts', () => ({
  crawlProgress: () => 'progress',
  describeCrawl: () => 'the report\n',
  describeFetched: () => 'the figures\n',
  readCrawlReport: async () => ({ crawl_id: 'c' }),
}));
vi.mock('../../../../src/app/cli/reports/run-report.ts', async (original) => ({
  ...(await original<object>()),
  printRun: async () => 7,
}));
vi.mock('../../../../src/app/operations/status/live-crawl.ts', () => ({
  LiveCrawlFile: class {
    show(): void {
      shared.calls.push(['show']);
    }
    change(changes: object): void {
      shared.calls.push(['live', changes]);
    }
  },
}));
vi.mock('../../../../src/app/operations/status/record-failed-crawl.ts', () => ({
  recordFailedCrawl: async (_settings: object, url: string, { message }: Error) =>
    void shared.calls.push(['failed', url, message]),
}));
vi.mock('../../../../src/app/operations/status/remembered.ts', () => ({
  readKnownUnits: async () => shared.units,
}));

let folder = '';
beforeEach(async () => {
  folder = await projectFolder();
  Object.assign(shared, {
    calls: [],
    unfinished: [],
    ended: [],
    units: [],
    run: { exitCode: 0, errors: [] },
  });
  shared.finish = async (id, show) => {
    show(undefined);
    return crawlOf(id);
  };
});
const crawl = (...argv: readonly string[]): Promise<Outcome> =>
  capture('crawl', ...argv, '--project-dir', folder);
const made = (kind: string): unknown[][] =>
  shared.calls.filter(([one]) => one === kind).map(([, ...others]) => others);

test('a new crawl is configured, followed, loaded and reported', async () => {
  const { code, stdout, stderr } = await crawl(URL_A);
  expect([code, stdout, stderr]).toEqual([0, 'the figures\nthe report\n', '']);
  expect(shared.calls).toEqual([
    ['start', false, false],
    ['configure', 'p1'],
    ['launch', 'p1', 'config'],
    ['finish', 'new', false],
    ['show'],
    ['live', { phase: 'load' }],
    ['live', { state: 'ended', problem: null }],
  ]);
  const json = await crawl(URL_A, '--json', '--allow-private', '--public-only');
  expect([JSON.parse(json.stdout), made('start')[1]]).toEqual([{ crawl_id: 'c' }, [true, true]]);
});

test('a list of URLs is crawled as a list', async () => {
  const list = join(folder, 'urls.txt');
  await writeFile(list, `${URL_A}1\n`);
  await crawl(URL_A, '--list', list);
  expect([made('list'), made('launch')]).toEqual([[['p1', [`${URL_A}1`]]], [['p1', 'list']]]);
});

test('an interrupted crawl of the site continues, and others stay paused', async () => {
  shared.unfinished = [crawlOf('x', 'p2', 'https://other.example/'), crawlOf('y')];
  const { stderr } = await crawl(URL_A);
  expect(stderr).toMatch(
    /^The crawl of https:\/\/other\.example\/ stays paused\. Continue it: .*crawlhouse crawl.* https:\/\/other\.example\/\nContinuing the crawl of https:\/\/a\.example\/ with its original flags\.\n$/,
  );
  expect([made('finish'), made('launch')]).toEqual([[['y', false]], []]);
  await crawl('--resume', '--finish');
  expect(made('finish').at(-1)).toEqual(['x', true]);
});

test('a crawl that ended and is not loaded is loaded; a loaded one is not', async () => {
  shared.ended = [crawlOf('x', 'p2'), crawlOf('y')];
  const { stderr } = await crawl(URL_A);
  expect(stderr).toBe(`The crawl of ${URL_A} has ended but is not loaded yet. Loading it now.\n`);
  expect(made('finish')).toEqual([['y', false]]);
  for (const status of ['published', 'refused', 'skipped', 'dropped']) {
    shared.units = [{ unit: 'crawl_pages/y', status }];
    await crawl(URL_A);
    expect(made('finish').at(-1)).toEqual(['new', false]);
  }
  shared.units = [{ unit: 'crawl_pages/y', status: 'failed' }];
  await crawl(URL_A);
  expect(made('finish').at(-1)).toEqual(['y', false]);
  await crawl('--resume');
  expect(made('finish').at(-1)).toEqual(['x', false]);
  shared.ended = [];
  expect(await crawl('--resume')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--resume: there is no interrupted crawl'),
  });
});

test('a crawl that fails is recorded, and stays paused if it can continue', async () => {
  shared.finish = async () => {
    throw new CrawlhouseError('disk', 'the disk is full');
  };
  expect((await crawl(URL_A)).stderr).toContain('the disk is full');
  expect(made('failed')).toEqual([[URL_A, 'the disk is full']]);
  expect(made('live')).toEqual([[{ state: 'failed', problem: 'the disk is full' }]]);
  shared.unfinished = [crawlOf('y')];
  await crawl(URL_A);
  expect(made('live').at(-1)).toEqual([{ state: 'paused', problem: 'the disk is full' }]);
  shared.finish = async () => {
    process.emit('SIGINT', 'SIGINT');
    throw new CrawlhouseError('interrupted', 'interrupted');
  };
  expect((await crawl(URL_A)).code).toBe(130);
  expect([made('failed').length, made('live').at(-1)]).toEqual([2, [{ state: 'paused', problem: null }]]);
  shared.finish = async () => {
    throw new Error('a fault');
  };
  await crawl(URL_A);
  expect(made('failed')).toHaveLength(2);
});

test('a load that fails prints its run, and its first problem stays in the live file', async () => {
  shared.run = { exitCode: 3, errors: [{ message: 'refused' }] };
  expect(await crawl(URL_A)).toMatchObject({ code: 7, stdout: 'the figures\n' });
  expect(made('live').at(-1)).toEqual([{ state: 'ended', problem: 'refused' }]);
});

test('a schedule is written instead of a crawl', async () => {
  const { code, stderr } = await crawl(URL_A, '--schedule', '0 6 * * 1');
  expect([code, made('finish'), made('configure')]).toEqual([0, [], [['p1']]]);
  expect(stderr).toContain(
    `schedules.yaml has the schedule crawl-a-example: ${URL_A} is crawled at 0 6 * * 1 (UTC)`,
  );
  const file = () => readFile(join(folder, 'schedules.yaml'), 'utf8');
  expect(await file()).not.toContain('allow_private');
  await crawl(URL_A, '--schedule', '0 7 * * 1', '--allow-private');
  expect(await file()).toContain('allow_private: true');
});

test.each([
  [[URL_A, '--finish'], '--finish: only possible with --resume'],
  [[URL_A, '--schedule', '61 * * * *'], '--schedule 61 * * * *: '],
  [['--resume', '--schedule', '0 6 * * 1'], '--schedule 0 6 * * 1: not possible with --resume'],
  [
    [URL_A, '--list', 'a.txt', '--schedule', '0 6 * * 1'],
    '--list a.txt: not possible with --schedule or --resume',
  ],
  [['--resume', '--list', 'a.txt'], '--list a.txt: not possible with --schedule or --resume'],
])('%j is a usage error', async (argv, error) => {
  expect(await crawl(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(error) });
  expect(shared.calls).toEqual([]);
});
