import { PassThrough } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { logsAdd } from '../../../../src/app/cli/commands/logs-add.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { LogRules } from '../../../../src/core/logs/log-rules.ts';
import { invocationOf } from './invocation-of.ts';

interface Logs {
  readonly rules: LogRules;
  readonly again: boolean;
  readonly isDryRun: boolean;
  readonly confirm: ((file: object) => Promise<boolean>) | undefined;
}
const shared = vi.hoisted(() => ({
  calls: [] as unknown[][],
  projects: [] as object[],
  errors: [] as Error[],
  run: { errors: [] as Error[], report: 'the run' },
  isGuess: false,
  isSpread: false,
  hasQuestion: true,
  confirm: [] as boolean[],
}));
const told = vi.hoisted(
  () =>
    (...made: unknown[]) =>
      void shared.calls.push(made),
);
vi.mock('../../../../src/app/cli/local/add-logs.ts', async (original) => ({
  ...(await original<object>()),
  addLogs: async (_settings: object, _service: object, logs: Logs) => {
    told('add', logs);
    for (let file = 0; file < 5; file++)
      shared.confirm.push((await logs.confirm?.({ name: '/here/a.log' })) ?? true);
    return { files: ['a', 'b'], bots: ['a bot'] };
  },
}));
vi.mock('../../../../src/app/cli/local/local-service.ts', () => ({
  LocalService: {
    start: async () => ({
      projects: async () => shared.projects,
      forget: async (id: string) => told('forget', id),
      async [Symbol.asyncDispose]() {},
    }),
  },
}));
vi.mock('../../../../src/app/cli/local/local-project.ts', () => ({
  LOCAL_PROJECT_FLAGS: {},
  projectFlags: () => ({}),
  localProject: async () => ({ id: 'p1', start_url: 'https://a.example/' }),
}));
vi.mock('../../../../src/app/cli/local/log-sources.ts', () => ({ checkLogSources: async () => {} }));
vi.mock('../../../../src/app/cli/local/load-local.ts', () => ({ loadLocal: async () => shared.run }));
vi.mock('../../../../src/app/cli/local/load-demand.ts', () => ({
  hasQuestion: async () => shared.hasQuestion,
}));
vi.mock('../../../../src/app/cli/reports/describe-logs.ts', () => ({
  describeLogs: () => 'the logs\n',
  logErrors: () => shared.errors,
  spreadText: ({ name }: { name: string }) => `${name} is spread`,
}));
vi.mock('../../../../src/site/access-logs/log-report.ts', () => ({ isSpread: () => shared.isSpread }));
vi.mock('../../../../src/app/cli/reports/understood-logs.ts', () => ({
  understoodLogs: (file: { name: string }, place: object) => {
    told('place', place);
    return { name: file.name, facts: [{ isGuess: shared.isGuess }] };
  },
}));
vi.mock('../../../../src/app/cli/reports/understood.ts', async (original) => ({
  ...(await original<object>()),
  describeUnderstood: () => 'understood',
  understoodDocument: ({ name }: { name: string }) => name,
}));
vi.mock('../../../../src/app/cli/reports/run-report.ts', () => ({
  printRun: async (...given: unknown[]) => told('print', given[3]),
}));
vi.mock('../../../../src/app/cli/print-error.ts', async (original) => ({
  ...(await original<object>()),
  printError: ({ message }: Error, isDebug: boolean) => told('error', message, isDebug),
}));

beforeEach(() =>
  Object.assign(shared, {
    ...{ calls: [], projects: [{ id: 'p1' }], errors: [], isGuess: false, isSpread: false },
    ...{ run: { errors: [], report: 'the run' }, hasQuestion: true, confirm: [] },
  }),
);
const made = (kind: string): unknown[][] =>
  shared.calls.filter(([one]) => one === kind).map(([, ...others]) => others);
async function ran(
  flags: Parameters<typeof invocationOf>[1] = {},
  more: object = {},
  settings: { access_logs?: Partial<LogRules>; on_reject?: string } = {},
) {
  const rules = LogRules.parse({ hosts: ['m.example'], ...settings.access_logs });
  const all = { ...settings, access_logs: rules };
  const { invocation, said } = invocationOf(['a.log'], flags, { settings: async () => all, ...more });
  return { code: await logsAdd.run(invocation), ...said, logs: made('add').at(-1)?.[0] as Logs };
}

test('logs are added with the settings and flags, loaded and reported', async () => {
  const plain = await ran();
  expect(plain).toMatchObject({ code: 0, stdout: 'the logs\n', stderr: '\n' });
  expect(plain.logs).toMatchObject({ again: false, isDryRun: false, confirm: undefined });
  expect(plain.logs.rules).toEqual(LogRules.parse({ hosts: ['m.example'] }));
  expect(made('print')).toEqual([[{ next: 'query --question q17_wasted_crawl_budget' }]]);
  shared.hasQuestion = false;
  const { logs } = await ran({
    ...{ format: 'combined', 'time-zone': 'Europe/Paris', verify: 'dns', host: ['b.example'] },
    ...{ forwarded: true, again: true, 'on-reject': 'fail' },
  });
  expect(logs).toMatchObject({
    again: true,
    rules: {
      ...{ format: 'combined', time_zone: 'Europe/Paris', verify: 'dns', forwarded: true },
      ...{ hosts: ['m.example', 'b.example'], unreadable_percent: 0 },
    },
  });
  expect(made('print').at(-1)).toEqual([{}]);
  expect((await ran({}, {}, { on_reject: 'quarantine' })).logs.rules.unreadable_percent).toBe(100);
  const flag = await ran({ 'on-reject': 'fail' }, {}, { on_reject: 'quarantine' });
  expect(flag.logs.rules.unreadable_percent).toBe(0);
});

test('a dry run stores nothing, and forgets a project that it made', async () => {
  const dry = await ran({ 'dry-run': true });
  expect(dry).toMatchObject({
    code: 0,
    stdout: 'understood\nthe logs\n',
    stderr: 'Nothing was stored (--dry-run).\n',
  });
  expect([shared.confirm, made('forget'), made('print')]).toEqual([Array(5).fill(true), [], []]);
  expect(made('place')[0]).toEqual([{ site: 'https://a.example/', zone: 'UTC', isZoneNamed: false }]);
  shared.projects = [{ id: 'other' }];
  const json = JSON.parse((await ran({ 'dry-run': true, json: true, 'time-zone': 'UTC' })).stdout);
  expect(json).toEqual({
    ...{ project: 'p1', files: ['a', 'b'], bots: ['a bot'], run: null, error: null },
    understood: Array(5).fill('a.log'),
  });
  expect([made('forget'), made('place').at(-1)]).toMatchObject([[['p1']], [{ isZoneNamed: true }]]);
  await ran();
  expect(made('forget')).toHaveLength(1);
});

test('files with errors are named; without a read file, nothing is loaded', async () => {
  const error = new CrawlhouseError('disk', 'a.log: no line can be read');
  shared.errors = [error];
  const one = await ran({ debug: true });
  expect([one.code, made('error'), made('print').length]).toEqual([
    error.exitCode,
    [[error.message, true]],
    1,
  ]);
  shared.errors = [error, error];
  expect([(await ran()).code, made('print').length]).toEqual([error.exitCode, 1]);
  const { code, stdout } = await ran({ json: true });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    error.exitCode,
    { run: null, error: { message: error.message } },
  ]);
  expect(JSON.parse(stdout)).not.toHaveProperty('understood');
  shared.errors = [];
  shared.run = { errors: [new CrawlhouseError('unreconciled', 'the load failed')], report: 'the run' };
  const failed = await ran({ json: true });
  expect([failed.code !== 0, JSON.parse(failed.stdout)]).toMatchObject([
    true,
    { run: 'the run', error: { message: 'the load failed' } },
  ]);
});

test('a person sees the first three files, and is asked about each guess', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let answers: string[] = [];
  output.on('data', (piece) => {
    const answer = String(piece).includes('Add it?') ? answers.shift() : undefined;
    if (answer !== undefined) input.write(`${answer}\n`);
  });
  const person = { person: { input, output } };
  expect((await ran({}, person)).stderr).toBe(`${'understood\n'.repeat(3)}\n`);
  expect(shared.confirm).toEqual(Array(5).fill(true));
  shared.isSpread = true;
  expect((await ran({}, person)).stderr).toContain('understood\na.log is spread.\n');
  Object.assign(shared, { isGuess: true, isSpread: false, confirm: [] });
  answers = ['yes', 'no', 'y', 'no', 'yes'];
  expect((await ran({}, person)).stderr).toBe(`${'understood\n'.repeat(5)}\n`);
  expect(shared.confirm).toEqual([true, false, true, false, true]);
});

test('a wrong rule is a usage error with its flag, and a file is needed', async () => {
  await expect(ran({ 'time-zone': 'Mars' })).rejects.toMatchObject({
    message: expect.stringMatching(/^--time-zone: a time zone is expected/),
  });
  await expect(ran({ 'on-reject': 'skip' })).rejects.toMatchObject({ code: 'usage' });
  const { invocation } = invocationOf(
    [],
    {},
    { settings: async () => ({ access_logs: LogRules.parse({}) }) },
  );
  await expect(logsAdd.run(invocation)).rejects.toMatchObject({ message: 'no log file was named' });
  expect(made('add')).toEqual([]);
});
