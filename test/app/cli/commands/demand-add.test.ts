import { PassThrough } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { demandAdd } from '../../../../src/app/cli/commands/demand-add.ts';
import { OpenChoice } from '../../../../src/site/search-data/exports/open-choice.ts';
import { invocationOf } from './invocation-of.ts';

interface Options {
  readonly mark: string | null;
  readonly dayOrder: string | null;
}
const shared = vi.hoisted(() => ({
  calls: [] as unknown[][],
  projects: [] as object[],
  read: (_options: unknown): void => {},
}));
vi.mock('../../../../src/site/search-data/read-demand.ts', () => ({
  readDemand: async (paths: readonly string[], options: object) => {
    shared.calls.push(['read', paths, options]);
    shared.read(options);
    return ['an export'];
  },
}));
vi.mock('../../../../src/app/cli/local/local-service.ts', () => ({
  LocalService: {
    start: async () => ({
      projects: async () => shared.projects,
      forget: async (id: string) => void shared.calls.push(['forget', id]),
      async [Symbol.asyncDispose]() {},
    }),
  },
}));
vi.mock('../../../../src/app/cli/local/local-project.ts', () => ({
  LOCAL_PROJECT_FLAGS: {},
  projectFlags: () => ({}),
  localProject: async () => ({ id: 'p1' }),
}));
vi.mock('../../../../src/app/cli/local/load-demand.ts', () => ({
  addExports: async () => ['an outcome'],
  loadDemand: async (...given: unknown[]) => {
    shared.calls.push(['load', given[3]]);
    return 0;
  },
  printUnderstood: async (...given: unknown[]) => {
    shared.calls.push(['understood', given[2]]);
    return 5;
  },
}));

beforeEach(() => {
  Object.assign(shared, { calls: [], projects: [{ id: 'p1' }] });
  shared.read = () => {};
});
type Flags = Parameters<typeof invocationOf>[1];
const logs = { access_logs: { earliest_day: '2015-01-01' } };
function run(flags: Flags = {}, files: readonly string[] = ['a.csv'], more: object = {}) {
  const { invocation, said } = invocationOf(files, flags, { settings: async () => logs, ...more });
  return { ended: demandAdd.run(invocation), said };
}
const made = (kind: string): unknown[][] =>
  shared.calls.filter(([one]) => one === kind).map(([, ...others]) => others);
const options = (): Options & Record<string, unknown> => made('read').at(-1)?.[1] as never;

test('exports are read with the flags, added and loaded', async () => {
  expect(await run({}, ['a.csv', '/there/b.zip']).ended).toBe(0);
  expect([made('read')[0]?.[0], made('load')]).toEqual([['/here/a.csv', '/there/b.zip'], [[['an outcome']]]]);
  expect(options()).toMatchObject({ period: null, dimensions: null, dayOrder: null, mark: null });
  await run({
    from: '2026-10-01',
    to: '2026-11-01',
    dimensions: 'page, query',
    'date-order': 'mdy',
    decimal: 'COMMA',
  }).ended;
  expect(options()).toMatchObject({
    period: { from: '2026-10-01', to: '2026-10-31' },
    dimensions: ['url', 'query'],
    dayOrder: 'mdy',
    mark: 'comma',
  });
});

test('a dry run stores nothing, and forgets a project that it made', async () => {
  expect(await run({ 'dry-run': true }).ended).toBe(5);
  expect([made('load'), made('forget'), made('understood')]).toEqual([[], [], [[['an outcome']]]]);
  shared.projects = [{ id: 'other' }];
  await run({ 'dry-run': true }).ended;
  expect(made('forget')).toEqual([['p1']]);
  await run().ended;
  expect(made('forget')).toHaveLength(1);
});

test.each<[Flags, string]>([
  [{ from: '2026-10-01' }, '--from needs --to'],
  [{ to: '2026-10-01' }, '--from needs --to'],
  [{ from: '2026-10-02', to: '2026-10-02' }, '--from 2026-10-02 is not before --to 2026-10-02'],
  [{ from: '2010-10-01', to: '2026-10-02' }, '--from, --to: '],
  [{ from: '2026-10-01', to: '2126-10-02' }, '--from, --to: '],
  [{ dimensions: 'page,page' }, '--dimensions page,page: each of date'],
  [{ dimensions: 'page,pages' }, '--dimensions page,pages: each of date'],
  [{ 'date-order': 'ymd' }, '--date-order: ymd is not a valid value'],
  [{ decimal: ';' }, '--decimal: ; is not a valid value'],
])('%j is a usage error', async (flags, message) => {
  await expect(run(flags).ended).rejects.toMatchObject({ message: expect.stringContaining(message) });
  expect(made('read')).toEqual([]);
  await expect(run({}, []).ended).rejects.toMatchObject({ message: 'no file named' });
});

test('a person decides what a file does not show; without one, it is an error', async () => {
  shared.read = (given) => {
    const { mark, dayOrder } = given as Options;
    if (mark === null)
      throw new OpenChoice('1.234 may be two numbers', {
        flag: 'decimal',
        values: ['comma', 'point'],
        hint: '',
      });
    if (dayOrder === null)
      throw new OpenChoice('7/1 may be two days', { flag: 'date-order', values: ['dmy', 'mdy'], hint: '' });
  };
  await expect(run().ended).rejects.toBeInstanceOf(OpenChoice);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers = ['x', 'comma', 'mdy'];
  output.on('data', (piece) => {
    const answer = String(piece).includes('Which one?') ? answers.shift() : undefined;
    if (answer !== undefined) input.write(`${answer}\n`);
  });
  const asked = run({}, ['a.csv'], { person: { input, output } });
  expect(await asked.ended).toBe(0);
  expect(options()).toMatchObject({ mark: 'comma', dayOrder: 'mdy' });
  expect(asked.said.stderr).toBe('1.234 may be two numbers.\n7/1 may be two days.\n');
  shared.read = () => {
    throw new Error('no file');
  };
  await expect(run({}, ['a.csv'], { person: { input, output } }).ended).rejects.toThrow('no file');
});
