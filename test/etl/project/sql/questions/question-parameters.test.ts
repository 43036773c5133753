import { expect, test } from 'vitest';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../../../../src/etl/project/sql/questions/bind-question.ts';
import {
  loadQuestions,
  type Question,
  questionNamed,
} from '../../../../../src/etl/project/sql/questions/questions.ts';
import { askQuestion } from '../../../../support/ask-question.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';
import { expectBadModel, withSqlFiles } from '../../../pipeline/transform/model-files.ts';

/** The questions of a folder with one, of these parameters and this SQL. */
function load(parameters: string, sql: string): Promise<Question[]> {
  const header = `title: T\nmodel: mart.a\ndescription: D\n${parameters}`;
  return withSqlFiles({ 'questions/q01.sql': `/*\n${header}\n*/\n${sql}\n` }, (sqlDir) =>
    loadQuestions([sqlFolder(sqlDir)]),
  );
}

const OWN = '{share: {type: DOUBLE, default: 0.5, description: D}}';

async function one(parameters: string, sql: string): Promise<Question> {
  return questionNamed(await load(parameters, sql), 'q01');
}

test('a standard parameter needs only its name or a default; a custom one needs a type and a description', async () => {
  const { parameters } = await one(
    'parameters:\n  project:\n  limit: 20\n  share: {type: DOUBLE, default: 0.5, description: Least share.}',
    'SELECT $project, $limit, $share',
  );
  expect(parameters).toEqual([
    {
      name: 'project',
      type: 'VARCHAR',
      default: null,
      description: 'Only this project, by its name or identifier.',
    },
    { name: 'limit', type: 'BIGINT', default: '20', description: 'Maximum number of rows per project.' },
    { name: 'share', type: 'DOUBLE', default: '0.5', description: 'Least share.' },
  ]);
  const named = await one('parameters: [from, to]', 'SELECT $from, $to');
  expect(named.parameters.map(({ name, type }) => [name, type])).toEqual([
    ['from', 'DATE'],
    ['to', 'DATE'],
  ]);
  expect((await one('', 'SELECT 1')).parameters).toEqual([]);
});

test.for([
  [
    'a $name that is not declared',
    'parameters: [project]',
    'SELECT $project,\n $projct',
    'sql/questions/q01.sql:8: $projct is not declared',
    'did you mean $project? declare it in the header, under parameters',
  ],
  ['a number for a name', '', 'SELECT $1', 'sql/questions/q01.sql:7: $1 is not declared'],
  [
    'a parameter that the SQL does not use',
    'parameters:\n  project:\n  crawl:',
    'SELECT $project, \'$crawl\', "$crawl" -- $crawl\n/* $crawl */, $$ $crawl $$, $a$ $crawl $a$',
    'sql/questions/q01.sql:7: the SQL does not use the parameter crawl',
    'write $crawl in the SQL, or remove it',
  ],
  [
    'a name without a declaration',
    'parameters: [share]',
    'SELECT $share',
    'sql/questions/q01.sql:5: parameters.share is none of project, crawl, segmentation, segment, from, to, limit, urls: give it a type and a description',
  ],
  [
    'an unknown key',
    'parameters:\n  share: {type: DOUBLE, defualt: 1, description: D}',
    'SELECT $share',
    'sql/questions/q01.sql:6: unknown key parameters.share.defualt',
    'did you mean default? allowed keys: type, default, description',
  ],
  [
    'an unknown type',
    'parameters: {share: {type: REAL, description: D}}',
    'SELECT $share',
    'sql/questions/q01.sql:5: parameters.share.type: Invalid option: expected one of "VARCHAR"|"BIGINT"|"DOUBLE"|"BOOLEAN"|"DATE"|"URLS"',
    'allowed values: VARCHAR, BIGINT, DOUBLE, BOOLEAN, DATE, URLS',
  ],
  [
    'a default of another type',
    'parameters: {limit: many}',
    'SELECT $limit',
    'sql/questions/q01.sql:5: parameters.limit.default is not a whole number, as in 20',
  ],
] as const)('%s is refused with its line', async ([, parameters, sql, message, hint]) => {
  await expectBadModel(load(parameters, sql), message, hint);
});

test('values have the declared type, whatever the SQL does with them', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const types = '[project, from, limit]';
  const sql =
    'SELECT typeof($project) AS p, typeof($from) AS f, typeof($limit) AS l, $from - 1 AS d, $limit AS n';
  const question = await one(`parameters: ${types}`, sql);
  expect(await askQuestion(connection, question, { from: '2026-03-01', limit: '3' })).toEqual([
    { p: 'VARCHAR', f: 'DATE', l: 'BIGINT', d: '2026-02-28', n: '3' },
  ]);
  const yes = await one(
    'parameters: {strict: {type: BOOLEAN, default: true, description: D}}',
    'SELECT $strict AS s',
  );
  expect(await askQuestion(connection, yes)).toEqual([{ s: true }]);
  expect(await askQuestion(connection, yes, { strict: 'false' })).toEqual([{ s: false }]);
});

test('a parameter without a value gets its default, else NULL', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const question = await one(
    'parameters:\n  crawl:\n  limit: 2',
    'SELECT n FROM range(5) t(n) WHERE $crawl IS NULL AND n < $limit ORDER BY n',
  );
  expect(await askQuestion(connection, question)).toEqual([{ n: '0' }, { n: '1' }]);
  expect(await askQuestion(connection, question, { limit: '1' })).toEqual([{ n: '0' }]);
  expect(await askQuestion(connection, question, { crawl: '' })).toEqual([]);
});

test.for([
  [
    'projct',
    'x',
    'q01 has no parameter projct',
    'did you mean project? its parameters: project, from, limit, share',
  ],
  ['zzz', 'x', 'q01 has no parameter zzz', 'its parameters: project, from, limit, share'],
  ['from', '2026-02-30', 'q01: from=2026-02-30 is not a DATE', 'give from a day, as in 2026-01-31'],
  ['from', 'yesterday', 'q01: from=yesterday is not a DATE', 'give from a day, as in 2026-01-31'],
  ['limit', '1.5', 'q01: limit=1.5 is not a BIGINT', 'give limit a whole number, as in 20'],
  [
    'limit',
    '9223372036854775808',
    'q01: limit=9223372036854775808 is not a BIGINT',
    'give limit a whole number, as in 20',
  ],
  ['share', 'half', 'q01: share=half is not a DOUBLE', 'give share a number, as in 0.5'],
] as const)('%s=%s is a usage error that shows the right form', async ([name, text, message, hint]) => {
  const header = `parameters:\n  project:\n  from:\n  limit:\n  share: ${OWN.slice(8, -1)}`;
  const question = await one(header, 'SELECT $project, $from, $limit, $share');
  expect(() => bindQuestion(question, new Map([[name, text]]))).toThrow(
    expect.objectContaining({ code: 'usage', message, hint }),
  );
});

test('error lines of a question refer to its file', async () => {
  const question = await one('parameters: [project]', 'SELECT 1\nWHERE $project IS NULL');
  const lines = bindQuestion(question).sql.split('\n');
  expect(lines[question.sqlLine - 1]).toBe('SELECT 1');
  expect(lines.slice(0, question.sqlLine - 1).join('')).toBe('');
  expect(question.sqlLine).toBeGreaterThan(3);
});

test('a date range that ends before or at its start is a usage error', async () => {
  const question = await one('parameters: [from, to]', 'SELECT $from, $to');
  for (const to of ['2026-02-28', '2026-03-01'])
    expect(() =>
      bindQuestion(
        question,
        new Map([
          ['from', '2026-03-01'],
          ['to', to],
        ]),
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `q01: from=2026-03-01 is not before to=${to}`,
        hint: 'the parameter "to" is the day after the last day',
      }),
    );
});

test('an unknown question is refused with a suggestion', async () => {
  const questions = await load('', 'SELECT 1');
  expect(() => questionNamed(questions, 'q02')).toThrow(
    expect.objectContaining({
      code: 'usage',
      hint: 'did you mean q01? crawlhouse query --question lists them',
    }),
  );
});

test('URLs are bound in normalized form, one per line; invalid ones are refused', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const question = await one('parameters: [urls]', 'SELECT $urls AS urls, typeof($urls) AS type');
  const urls = ' HTTPS://A.example:443/%7ea#b\r\nhttp://b.example ';
  expect(await askQuestion(connection, question, { urls })).toEqual([
    { urls: 'https://a.example/~a\nhttp://b.example/', type: 'VARCHAR' },
  ]);
  expect(await askQuestion(connection, question)).toEqual([{ urls: null, type: 'VARCHAR' }]);
  for (const [text, wrong] of [
    ['https://a.example/ /b', '/b'],
    [' ', ' '],
  ] as const)
    expect(() => bindQuestion(question, new Map([['urls', text]]))).toThrow(
      `q01: urls=${wrong} is not a URL`,
    );
});
