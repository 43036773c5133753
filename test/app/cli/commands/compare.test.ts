import { beforeEach, expect, test, vi } from 'vitest';
import { compare } from '../../../../src/app/cli/commands/compare.ts';
import { invocationOf } from './invocation-of.ts';

const COMPARISON = {
  from: { crawl_id: 'c1', project_id: 'p' },
  to: { crawl_id: 'c2', project_id: 'p 1' },
  ...{ segmentation: '(site)', segment: '' },
  kpis: [{ kpi: 'pages' }],
  issues: [{ issue: 'thin' }],
  pages: [{ change: 'added' }],
};
const shared = vi.hoisted(() => ({ asked: [] as unknown[], opened: [] as string[], broken: 0 }));
vi.mock('../../../../src/app/answers/query/open-warehouse.ts', () => ({
  openWarehouse: async () => ({ async [Symbol.asyncDispose]() {} }),
}));
vi.mock('../../../../src/app/answers/explore/compare/read-compare.ts', () => ({
  readComparison: async (_warehouse: object, asked: object) => {
    shared.asked.push(asked);
    return COMPARISON;
  },
}));
vi.mock('../../../../src/app/answers/explore/compare/compare-blocks.ts', () => ({
  compareBlocks: () => [{ is: 'line', parts: ['the comparison'] }],
}));
vi.mock('../../../../src/app/answers/explore/compare/rules/read-rules.ts', () => ({
  readRules: async (_warehouse: object, _comparison: object, rules: object) => ({
    broken: shared.broken,
    rules,
  }),
}));
vi.mock('../../../../src/app/answers/explore/compare/rules/rule-blocks.ts', () => ({
  ruleBlocks: () => [{ is: 'line', parts: ['the rules'] }],
}));
vi.mock('../../../../src/app/answers/explore/compare/rules/rule-reports.ts', () => ({
  rulesJunit: () => '<junit/>',
  rulesMarkdown: () => '# rules',
  rulesSarif: async () => ({ sarif: true }),
}));
vi.mock('../../../../src/app/answers/presentation/print-blocks.ts', () => ({
  printBlocks: (blocks: readonly { readonly parts: readonly string[] }[], { width }: { width?: number }) =>
    `${blocks.map(({ parts }) => parts.join('')).join(', ')} in ${width ?? 'any'}\n`,
}));
vi.mock('../../../../src/app/cli/console-address.ts', () => ({
  openInConsole: async (_invocation: object, _settings: object, path: string) =>
    void shared.opened.push(path),
}));

beforeEach(() => void Object.assign(shared, { asked: [], opened: [], broken: 0 }));
type Flags = Parameters<typeof invocationOf>[1];
async function ran(flags: Flags = {}, crawls: readonly string[] = ['a', 'b'], more: object = {}) {
  const { invocation, said } = invocationOf(crawls, flags, more);
  const code = await compare.run(invocation);
  return [code, said.stdout];
}

test('a comparison is printed for people, as JSON, or as rows of one part', async () => {
  expect(await ran({ project: 'Shop', segment: '/a/' })).toEqual([0, 'the comparison in any\n']);
  expect(shared.asked).toEqual([
    { project: 'Shop', from: 'a', to: 'b', segment: '/a/', segmentation: undefined },
  ]);
  const [, json] = await ran({ json: true });
  expect(JSON.parse(String(json))).toEqual(COMPARISON);
  for (const [part, csv] of [
    ['kpis', 'kpi\npages\n'],
    ['issues', 'issue\nthin\n'],
    ['pages', 'change\nadded\n'],
  ] as const)
    expect(await ran({ part, format: 'csv' })).toEqual([0, csv]);
  expect(shared.opened).toEqual([]);
});

test('--open opens the comparison in the console', async () => {
  expect(await ran({ open: true })).toEqual([0, '']);
  expect(shared.opened).toEqual(['/projects/p%201/compare?from=c1&to=c2']);
});

test('rules decide the exit code, in each format', async () => {
  const rules = { 'fail-on': 'all' } as const;
  expect(await ran(rules)).toEqual([0, 'the comparison, the rules in any\n']);
  expect(shared.asked).toEqual([{ project: undefined, from: 'a', to: 'b', mayBeApart: true }]);
  shared.broken = 1;
  expect(await ran(rules)).toEqual([4, 'the comparison, the rules in any\n']);
  for (const [format, text] of [
    ['sarif', '{"sarif":true}\n'],
    ['junit', '<junit/>'],
    ['markdown', '# rules'],
  ] as const)
    expect(await ran({ ...rules, format })).toEqual([4, text]);
  for (const flags of [{ format: 'json' }, { json: true }] as const) {
    const [code, json] = await ran({ ...rules, ...flags });
    expect([code, JSON.parse(String(json))]).toMatchObject([
      4,
      { from: { crawl_id: 'c1' }, rules: { broken: 1 } },
    ]);
  }
});

test.each<[Flags, readonly string[], string]>([
  [{}, [], 'compare needs two crawls'],
  [{}, ['a'], 'compare needs two crawls'],
  [{ format: 'sarif' }, ['a', 'b'], '--format sarif needs --fail-on'],
  [{ format: 'junit' }, ['a', 'b'], '--format junit needs --fail-on'],
  [{ format: 'csv' }, ['a', 'b'], '--format needs --part'],
  [{ part: 'kpi' }, ['a', 'b'], '--part: kpi is not a valid part'],
  [{ 'fail-on': 'all', part: 'kpis' }, ['a', 'b'], '--fail-on and --part cannot be combined'],
  [{ 'fail-on': 'all', segment: '/a/' }, ['a', 'b'], '--fail-on and --segment cannot be combined'],
  [{ 'fail-on': 'all', open: true }, ['a', 'b'], '--fail-on and --open cannot be combined'],
  [{ 'fail-on': 'all', format: 'csv' }, ['a', 'b'], '--format: csv is not a valid value'],
])('%j of %j is a usage error', async (flags, crawls, message) => {
  await expect(ran(flags, crawls)).rejects.toMatchObject({ code: 'usage', message });
  expect(shared.asked).toEqual([]);
});
