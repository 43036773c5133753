import { expect, test } from 'vitest';
import { KeptTexts, statementOf } from '../../../../src/app/console/readers/statement.ts';
import type { Question } from '../../../../src/etl/project/sql/questions/questions.ts';

const QUESTION = {
  name: 'q1',
  title: 'Pages',
  sql: 'SELECT $project, $most',
  parameters: [
    { name: 'project', type: 'project', default: null, description: '' },
    { name: 'most', type: 'BIGINT', default: 2, description: 'The most rows.' },
  ],
} as unknown as Question;

const statement = (fields: Readonly<Record<string, string>>, kept = new KeptTexts(), subject = 'ops') =>
  statementOf(new URLSearchParams(fields), [QUESTION], { kept, subject });

test('an address names a saved question with values, and an empty text is not a value', () => {
  const { question, sql, parameters } = statement({
    question: 'q1',
    sql: 'SELECT 1',
    'param.project': '',
    'param.most': '5',
  });
  expect([question, sql]).toEqual([QUESTION, QUESTION.sql]);
  expect(parameters.map(({ name, value }) => [name, value])).toEqual([
    ['project', null],
    ['most', '5'],
  ]);
  expect(() => statement({ question: 'q2' })).toThrow('q2');
});

test('an address has its own SQL, or the SQL of the question that is edited', () => {
  expect(statement({ sql: 'SELECT 1', edit: 'q1' })).toMatchObject({ question: null, sql: 'SELECT 1' });
  expect(statement({ edit: 'q1' })).toMatchObject({ question: null, sql: QUESTION.sql });
  expect(statement({ edit: '' })).toEqual({ question: null, sql: '', parameters: [] });
  expect(statement({ sql: 'SELECT $crawl, $x', 'param.x': '7' }).parameters).toMatchObject([
    { name: 'crawl', type: 'VARCHAR', value: null, description: expect.stringContaining('Only this crawl') },
    { name: 'x', type: 'text', value: '7', description: '' },
  ]);
});

test('long SQL is found by its key, only by the person who sent it', () => {
  const kept = new KeptTexts();
  const key = kept.keep('ops', 'SELECT 2');
  expect(kept.keep('ops', 'SELECT 2')).toBe(key);
  expect(statement({ kept: key, sql: 'SELECT 1' }, kept).sql).toBe('SELECT 2');
  expect(() => statement({ kept: key }, kept, 'other')).toThrow(
    'the SQL of this address is no longer stored',
  );
});

test('the 50 texts that were kept last are stored', () => {
  const kept = new KeptTexts();
  const keys = Array.from({ length: 50 }, (_, index) => kept.keep('ops', `SELECT ${index}`));
  kept.keep('ops', 'SELECT 0');
  kept.keep('ops', 'SELECT 50');
  expect(keys.map((key) => kept.find('ops', key)).slice(0, 3)).toEqual(['SELECT 0', undefined, 'SELECT 2']);
  expect(kept.find('ops', 'unknown')).toBeUndefined();
});
