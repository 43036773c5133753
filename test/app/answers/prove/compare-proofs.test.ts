import { expect, test } from 'vitest';
import { compareProofs, differenceLines } from '../../../../src/app/answers/prove/compare-proofs.ts';
import { type Proof, proofText, readProof } from '../../../../src/app/answers/prove/proof.ts';
import { ProvenRows } from '../../../../src/app/answers/prove/proven-rows.ts';
import type { ProvenLoad } from '../../../../src/etl/state/catalog/read-provenance.ts';
import { capture } from '../../cli/capture.ts';

const load = (unit: string, more: Partial<ProvenLoad> = {}): ProvenLoad => ({
  ...{
    unit,
    dataset: 'crawl_pages',
    source_kind: 'crawl',
    project_id: 'p',
    window_from: null,
    window_to: null,
  },
  ...{
    loaded_at: '2026-03-01',
    reported: null,
    received: 2,
    staged: 2,
    rejected: 0,
    loaded: 2,
    queryable: 2,
  },
  ...{ content_sha256: null, fingerprint: '7', ...more },
});
const proof = (loads: readonly ProvenLoad[], more: Partial<Proof> = {}): Proof => ({
  ...{ version: 1, figure: 'sql', proved_at: '2026-03-01', crawlhouse: '1', sql: 'SELECT 1', days: [] },
  ...{ publication: { id: 'p', published_at: null }, parameters: {}, tables: [], loads: [...loads] },
  answer: answer([[1]]),
  ...more,
});
function answer(rows: readonly (readonly unknown[])[], type = 'BIGINT'): Proof['answer'] {
  const columns = [{ name: 'pages', type }];
  const proven = new ProvenRows();
  for (const row of rows) proven.add(row, columns);
  return { columns, total: rows.length, rows: rows.map((row) => [...row]), sha256: proven.sha256(columns) };
}
const lines = (proven: Proof, here: Proof, sqlHere: string | null = proven.sql): string[] => [
  ...differenceLines(compareProofs(proven, here, sqlHere).differences),
];

test.each([
  ['equal loads', [load('u', { loaded_at: '2026-04-01' })], []],
  ['a missing load', [], ['load u: missing here']],
  [
    'other rows',
    [load('u', { fingerprint: '8', content_sha256: 'x' })],
    [
      'load u: {"loaded":2,"rejected":0,"fingerprint":"7","content_sha256":null}; here ' +
        '{"loaded":2,"rejected":0,"fingerprint":"8","content_sha256":"x"}',
    ],
  ],
  ['no fingerprint', [load('u', { fingerprint: null })], []],
  [
    'other counts with the same fingerprint',
    [load('u', { loaded: 3 })],
    [
      'load u: {"loaded":2,"rejected":0,"fingerprint":"7","content_sha256":null}; here ' +
        '{"loaded":3,"rejected":0,"fingerprint":"7","content_sha256":null}',
    ],
  ],
  ['more loads', [load('u'), load('v')], []],
])('with the same answer and %s, only the loads of the proof count', (_name, loads, expected) => {
  const checked = compareProofs(proof([load('u')]), proof(loads), 'SELECT 1');
  expect(differenceLines(checked.differences)).toEqual(expected);
  expect(checked.equal).toBe(expected.length === 0);
});

test('a list of a workspace may differ if the answer is equal', () => {
  const list = (fingerprint: string): ProvenLoad =>
    load('crawls/w', { source_kind: 'resource', fingerprint });
  expect(compareProofs(proof([list('1')]), proof([list('2')]), 'SELECT 1')).toEqual({
    equal: true,
    differences: [],
  });
  expect(lines(proof([list('1')]), proof([list('2')], { answer: answer([[2]]) }))).toHaveLength(3);
});

test('a load is the same with another fingerprint if its content and its counts are', () => {
  const content = (fingerprint: string): ProvenLoad => load('u', { fingerprint, content_sha256: 'x' });
  expect(lines(proof([content('1')]), proof([content('2')]))).toEqual([]);
});

test('other definitions, days, SQL and another version are listed, and the answer stays equal', () => {
  const days = {
    project_id: 'p',
    crawl_id: 'c',
    kind: 'logs',
    dataset: 'log_events',
    from_date: '2026-01-01',
    to_date: '2026-01-28',
  };
  const tables = (definition: string) => [{ name: 'mart.pages', definition }];
  const proven = proof([load('u')], {
    figure: 'question:q',
    tables: tables('1'),
    days: [{ ...days, days: 28 }],
  });
  const here = proof([load('u')], { tables: tables('2'), days: [{ ...days, days: 27 }], crawlhouse: '2' });
  expect(compareProofs(proven, here, null).equal).toBe(true);
  expect(lines(proven, here, null)).toEqual([
    'days c (log_events): 2026-01-01 to 2026-01-28, 28 with data; here 2026-01-01 to 2026-01-28, 27 with data',
    'definition of mart.pages: its SQL, that of a model it reads, or a type of a column differs',
    'sql: this project has no question:q',
    'crawlhouse version: 1; here 2',
  ]);
  expect(lines(proven, proven, 'SELECT 2')).toEqual(['sql: question:q has other SQL in this project']);
});

test('another answer comes first, with its values or rows, and the loads that may explain it', () => {
  const one = proof([load('u')], { answer: answer([[1]]) });
  expect(lines(one, proof([load('u'), load('v')], { answer: answer([[null]]) }))).toEqual([
    expect.stringMatching(/^answer rows: \{"rows":1,"sha256":"\w+"\}; here \{"rows":1,"sha256":"\w+"\}$/),
    'value pages: 1; here NULL',
    'load v: only here',
  ]);
  const several = proof([], { answer: answer([[1], [1], ['']]) });
  expect(lines(several, proof([], { answer: answer([[''], [1], [null]]) })).slice(1)).toEqual([
    'row missing here: [1]',
    'row only here: [null]',
  ]);
  expect(lines(one, proof([load('u')], { answer: answer([['1']], 'VARCHAR') }))[1]).toBe(
    'columns: pages BIGINT; here pages VARCHAR',
  );
});

test('a proof is read as it was written, and names the part that was edited', () => {
  const written = proofText(
    proof([load('u')], { answer: answer([[JSON.rawJSON('9007199254740993')], [null], ['']]) }),
  );
  expect(JSON.parse(proofText(readProof(written, 'f')))).toEqual(JSON.parse(written));
  expect(written).toContain('9007199254740993');
  expect(() => readProof(written.replace('"fingerprint": "7"', '"fingerprint": "8"'), 'f.json')).toThrow(
    '--check: f.json was edited: these parts do not match their hashes in seal: loads',
  );
  expect(() => readProof(written.replace('740993', '740992'), 'f')).toThrow('in seal: answer');
  expect(() => readProof('{', 'f.json')).toThrow(/^--check: f\.json is not JSON: /);
  expect(() => readProof('{"version": 2}', 'f.json')).toThrow(
    /^--check: f\.json is not a proof, at version: /,
  );
  expect(() => readProof('[]', 'f.json')).toThrow(/^--check: f\.json is not a proof, at its root: /);
});

test('a sealed file is refused if its rows, their number or its figure cannot be right', () => {
  const written = answer([[1], [2]]);
  const many = answer(Array.from({ length: 1000 }, (_, n) => [n]));
  const large = answer([['x'.repeat(10_000_001)]], 'VARCHAR');
  const read = (more: Partial<Proof>): Proof => readProof(proofText(proof([], more)), 'f');
  for (const right of [written, many, { ...many, total: 2000 }, { ...large, total: 2 }])
    expect(read({ answer: right }).answer.total).toBe(right.total);
  const wrong: Proof['answer'][] = [
    { ...written, rows: [[1], [3]] },
    { ...written, rows: [[1]] },
    { ...written, total: 1 },
    { ...many, total: 900 },
    { ...many, total: 2000, rows: many.rows.slice(1) },
    answer([...many.rows, [1]]),
  ];
  for (const one of wrong)
    expect(() => read({ answer: one })).toThrow('the rows of its answer do not match their hash');
  expect(() => read({ figure: 'page:x' })).toThrow('f is not a proof, at figure: is not a figure');
  const parameters = { crawl: 'c', issue: 'noindex' };
  expect(read({ figure: 'issue:noindex', parameters }).figure).toBe('issue:noindex');
  expect(() => read({ figure: 'issue:thin', parameters })).toThrow('its parameter issue is noindex');
});

test('an issue or a card with other SQL than that of this project is not equal', () => {
  for (const figure of ['issue:noindex', 'card:pages'])
    expect(compareProofs(proof([], { figure }), proof([]), 'SELECT 2').equal).toBe(false);
});

test('totals of a period do not say how many days have data; more than ten loads are counted', () => {
  const period = { project_id: 'p', crawl_id: 'c', kind: 'search', dataset: 'ranking_periods', days: 1 };
  const days = (to: string): Partial<Proof> => ({
    days: [{ ...period, from_date: '2026-01-01', to_date: to }],
  });
  expect(lines(proof([], days('2026-01-28')), proof([], days('2026-01-29')))).toEqual([
    'days c (ranking_periods): 2026-01-01 to 2026-01-28; here 2026-01-01 to 2026-01-29',
  ]);
  const loads = Array.from({ length: 12 }, (_, n) => load(`u${n}\n`));
  const listed = lines(proof(loads), proof([]));
  expect([listed.length, listed[0], listed[10]]).toEqual([
    11,
    'load u0\\u000a: missing here',
    '… and 2 more loads',
  ]);
});

test.each([
  [[], 'either a figure or --check FILE'],
  [['issue:noindex', '--check', 'x.json'], 'either a figure or --check FILE'],
  [['--check', 'x.json', '--crawl', 'latest'], '--check uses the parameters of the file'],
  [['--check', 'x.json', '--crawl', 'latest', '-p', 'a=b'], 'leave out --crawl, --param'],
  [['--check', 'missing.json'], '--check: missing.json cannot be read'],
  [['SELECT 1', '-p', 'crawl=a', '--crawl', 'b'], '--crawl and --param crawl cannot be combined'],
])('prove %j is a usage error', async (argv, message) => {
  const { code, stderr } = await capture('prove', ...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
