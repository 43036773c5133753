import { expect, test } from 'vitest';
import type { AskDocument } from '../../../../src/app/console/page-parts/ask-document.ts';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { drawAsk } from '../../../../src/app/console/page-parts/draw-ask.ts';

const EMPTY: AskDocument = {
  question: null,
  sql: 'SELECT 1',
  parameters: [],
  suggestions: { project: [], crawl: [] },
  ran: false,
  columns: [],
  rows: [],
  page: 1,
  more: false,
  total: null,
  seconds: null,
  why: null,
  scope: [],
  error: null,
  chart: null,
  questions: [],
};
const QUESTION = { name: 'q1', title: 'Pages', description: 'All.', model: 'mart.pages', file: 'q1.sql' };

function draw(document: Partial<AskDocument>, query = '', request: Partial<PageRequest> = {}): string {
  return drawAsk({ ...EMPTY, ...document }, {
    query: new URLSearchParams(query),
    isOwn: true,
    may: () => false,
    session: { subject: 's', role: 'analyst', csrf: 'secret' },
    ...request,
  } as PageRequest).body.text;
}
const answer = (more: Partial<AskDocument>, query = '', request: Partial<PageRequest> = {}) =>
  draw({ ran: true, seconds: 1, columns: [{ name: 'n', type: 'BIGINT' }], ...more }, query, request);

test('without a question there is an editor; with one, what it is about', () => {
  expect(draw({})).toContain('<textarea id="sql"');
  expect(draw({})).not.toContain('Its SQL');
  const text = draw({ question: QUESTION });
  expect(text).toContain('<h1>Pages</h1>');
  expect(text).toContain('name="question" value="q1"');
  expect(text).toContain('/ask?edit=q1');
  expect(text).not.toContain('<textarea');
  expect(text).not.toContain('id="answer"');
});

test('SQL of another site is held', () => {
  expect(draw({}, 'run=1', { isOwn: false })).toContain('You came from another site');
  expect(draw({}, 'run=1')).not.toContain('You came from another site');
  expect(draw({}, '', { isOwn: false })).not.toContain('You came from another site');
  expect(draw({ scope: ['Only a part.'] })).toContain('<p class="notice">Only a part.</p>');
});

test('a parameter has a field of its type, with its description and default', () => {
  const field = (more: object) => {
    const parameter = { name: 'p', type: 'VARCHAR', default: null, description: '', value: null, ...more };
    return draw({ parameters: [parameter] });
  };
  expect(field({})).toMatch(/<input id="param-p" name="param.p"/);
  expect(field({})).not.toContain('param-p-about');
  expect(field({ description: 'Which.' })).toContain('aria-describedby="param-p-about"');
  expect(field({ description: 'Which.' })).toContain('<small id="param-p-about">Which.</small>');
  expect(field({ default: '3' })).toContain('Without it: 3.');
  expect(field({ type: 'DATE' })).toContain('type="date"');
  expect(field({ type: 'BIGINT' })).toContain('inputmode="numeric"');
  expect(field({})).not.toMatch(/type="date"|inputmode/);
  expect(field({ type: 'BOOLEAN', value: 'true' })).toMatch(
    /<select id="param-p"[^>]*>.*<option value="true" selected>/,
  );
  expect(draw({})).not.toContain('class="parameters"');
  const crawl = [{ value: 'c1', label: 'First' }];
  expect(draw({ suggestions: { project: [], crawl } })).toMatch(
    /<datalist id="known-crawl"><option value="c1">First/,
  );
  expect(draw({ suggestions: { project: [], crawl } })).not.toContain('known-project');
});

test('an error replaces the answer', () => {
  const error = { code: 'bad_query', message: 'No table.', hint: null, line: null, place: null };
  const text = answer({ error });
  expect(text).toContain('The query failed');
  expect(text).not.toMatch(/id="answer"|To do|The place in the SQL/);
  expect(answer({ error: { ...error, code: 'query_limit' } })).toContain('The query was stopped');
  expect(answer({ error: { ...error, hint: 'Wait.' } })).toContain('<p>To do: Wait.</p>');
  expect(answer({ error: { ...error, place: 'here' } })).toContain(
    'aria-label="The place in the SQL">here</pre>',
  );
});

test('an answer can be kept and shared by an operator', () => {
  const kept = /Keep this as a question/;
  expect(answer({}, '', { may: () => true })).toMatch(kept);
  expect(answer({})).not.toMatch(kept);
  expect(answer({ question: QUESTION }, '', { may: () => true })).not.toMatch(kept);
  expect(draw({}, '', { may: () => true })).not.toMatch(kept);
  const shared = /action="\/links"/;
  expect(answer({ question: QUESTION }, '', { may: () => true })).toMatch(shared);
  expect(answer({ question: QUESTION })).not.toMatch(shared);
});

test.each([
  [{ rows: [] }, 'No rows · 1.0 s'],
  [{ rows: [[1]], total: 1 }, '1 row ·'],
  [{ rows: [[1], [2]], total: 2000 }, 'Rows 1 to 2 of 2,000 ·'],
  [{ rows: [[1], [2]], total: null }, 'Rows 1 to 2 of more ·'],
  [{ rows: [[1], [2]], total: 2000, page: 2 }, /Rows \d+1 to \d+2 of 2,000 ·/],
  [{ rows: [], seconds: 0.04 }, 'less than 0.1 s'],
  [{ rows: [], seconds: 0.05 }, / · (?!less)/],
  [{ rows: [], why: 'No crawl is loaded.' }, 'No crawl is loaded.'],
  [{ rows: [] }, 'There are no rows.'],
])('%j is summed up: %s', (more, expected) => {
  if (typeof expected === 'string') expect(answer(more)).toContain(expected);
  else expect(answer(more)).toMatch(expected);
});

test('rows can be filtered, and paged if there are more', () => {
  expect(answer({ rows: [] }, 'filter=x')).toContain('No row contains this text.');
  expect(answer({ rows: [] }, 'filter=x')).toContain('All rows');
  expect(answer({ rows: [[1]] })).not.toMatch(/All rows|class="paging"/);
  expect(answer({ rows: [[1]] }, 'in=n')).toContain('<option value="n" selected>');
  expect(answer({ rows: [[1]] }, 'sql=a&filter=x&in=n&sort=n')).toMatch(
    /class="choose">\n<input type="hidden" name="sql" value="a"><input type="hidden" name="sort" value="n">\n<label>Rows with/,
  );
  const first = answer({ rows: [[1]], more: true });
  expect(first).toContain('Next rows');
  expect(first).not.toContain('Previous rows');
  const last = answer({ rows: [[1]], page: 2 });
  expect(last).toMatch(/page=1#answer">Previous rows/);
  expect(last).not.toContain('Next rows');
});

test('downloads have the whole answer in its own order', () => {
  const text = answer({ rows: [[1]] }, 'sql=a&filter=x&sort=n&chart=line');
  expect(text).toContain('<a href="/ask/download?sql=a&amp;format=csv" download>CSV</a>, <a');
  expect(text).toContain('format=csv&amp;names=people&amp;bom=1" download>CSV for Excel');
});

test('a column sorts by its head, unless it cannot be sorted', () => {
  const head = (query: string, more: object = {}) => answer({ rows: [[1]], ...more }, query);
  expect(head('sql=a')).toMatch(/<th scope="col" class="number"><a href="[^"]*sort=n&amp;order=asc#answer"/);
  expect(head('sort=n')).toMatch(
    /aria-sort="ascending"><a href="[^"]*order=desc#answer" title="order desc.*n ▲/,
  );
  expect(head('sort=n&order=desc')).toMatch(
    /aria-sort="descending"><a href="\/ask\?#answer" title="no order">n ▼/,
  );
  expect(head('sort=m')).not.toContain('aria-sort');
  expect(head('', { sql: 'EXPLAIN SELECT 1' })).toMatch(/<th scope="col" class="number">n <small>/);
  expect(head('', { columns: [{ name: 't', type: 'VARCHAR' }] })).toMatch(/<th scope="col"><a/);
});

test.each([
  [null, 'BIGINT', '<td class="number"><span class="null"'],
  ['2026-03-01T03:00:00Z', 'TIMESTAMP WITH TIME ZONE', '>2026-03-01 03:00:00</time>'],
  ['2026-03-01T03:00:00Z', 'VARCHAR', '<td>2026-03-01T03:00:00Z</td>'],
  ['2026-03-01T03:00:00', 'TIMESTAMP', '<td>2026-03-01T03:00:00</td>'],
  [7, 'BIGINT', '<td class="number">7</td>'],
  [['a'], 'VARCHAR[]', '["a"]'.replaceAll('"', '&quot;')],
  ['x'.repeat(60), 'VARCHAR', `<td>${'x'.repeat(60)}</td>`],
  ['x'.repeat(61), 'VARCHAR', '<details class="long"><summary>'],
  ['a\nb', 'VARCHAR', '<details class="long"><summary>'],
])('the value %j of %s is drawn', (value, type, expected) => {
  expect(answer({ columns: [{ name: 'c', type }], rows: [[value]] })).toContain(expected);
});

const CHART = {
  kind: 'bar',
  x: 'k',
  y: ['n'],
  colour: null,
  each: [],
  only: null,
  rows: [
    { k: 'a', n: 1 },
    { k: 'b', n: 2 },
  ],
  cut: false,
  problem: null,
  notes: [],
} as unknown as NonNullable<AskDocument['chart']>;
const charted = (chart: object, query = '') =>
  answer(
    {
      columns: [
        { name: 'k', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      rows: [
        ['a', 1],
        ['b', 2],
      ],
      chart: { ...CHART, ...chart },
    },
    query,
  );

test('a chart can be drawn differently, and says what it leaves out', () => {
  const text = charted({}, 'sql=a&chart=bar');
  expect(text).toContain('<div class="charts">');
  expect(text).toMatch(/<select name="chart"><option value="[^"]*"/);
  expect(text).toMatch(/<select name="x"><option value="k" selected>k<\/option><option value="n">n/);
  expect(text).toMatch(/<select name="y"><option value="">–<\/option><option value="n" selected>n/);
  expect(text).toMatch(/<select name="colour"><option value="" selected>–<\/option><option value="k">/);
  expect(text).not.toMatch(/value="funnel"|rows are drawn|not drawn|more charts/);
  expect(charted({ kind: 'funnel' })).toContain('value="funnel" selected');
  expect(charted({ cut: true })).toContain('The first 2 rows are drawn; there are more.');
  expect(charted({ problem: 'too many' })).toContain('This is not drawn: too many.');
});

test('an answer without numbers has no chart', () => {
  const columns = [{ name: 'k', type: 'VARCHAR' }];
  expect(answer({ columns, rows: [['a']] })).not.toContain('Draw</button>');
  expect(answer({ rows: [] })).not.toContain('Draw</button>');
});

test('saved questions are listed by task', () => {
  const questions = [{ name: 'q1', title: 'Pages', task: 'x' }] as unknown as AskDocument['questions'];
  expect(draw({})).toContain('There are none yet');
  expect(draw({}, 'find=x')).toMatch(/No saved question matches[\s\S]*$/);
  expect(draw({}, 'find=x')).toContain('All questions');
  expect(draw({ questions })).not.toMatch(/There are none yet|All questions/);
  expect(draw({ questions })).toContain('class="subjects"');
  expect(draw({ questions, sql: '' })).toMatch(/class="subjects".*<textarea/s);
  expect(draw({ questions, sql: 'SELECT 1' })).toMatch(/<textarea.*class="subjects"/s);
});
