import { expect, test } from 'vitest';
import { chartProblem, firstChart } from '../../../src/people/console/desk/column-types.ts';

const columns = (...types: string[]) => types.map((type, index) => ({ name: `c${index}`, type }));

test('the columns of an answer suggest a chart', () => {
  /** Two rows that differ in each column. */
  const kindOf = (...types: string[]) =>
    firstChart(
      columns(...types),
      [1, 2].map((row) => types.map(() => row)),
    );
  expect(kindOf('BIGINT', 'DATE', 'VARCHAR')).toEqual({ kind: 'line', x: 'c1', y: 'c0', colour: null });
  const days = ['a', 'b'].flatMap((text) => [1, 2].map((day) => [day * 10, `2026-11-0${day}`, text]));
  expect(firstChart(columns('BIGINT', 'DATE', 'VARCHAR'), days)).toEqual({
    ...{ kind: 'line', x: 'c1', y: 'c0', colour: 'c2' },
  });
  expect(kindOf('VARCHAR', 'DECIMAL(18,3)')).toEqual({ kind: 'bar', x: 'c0', y: 'c1', colour: null });
  expect(kindOf('DOUBLE', 'HUGEINT')).toEqual({ kind: 'scatter', x: 'c0', y: 'c1', colour: null });
  expect(
    firstChart(columns('VARCHAR', 'BIGINT'), [
      ['a', 1],
      ['a', 2],
    ])?.kind,
  ).toBe('histogram');
  expect(kindOf('UINTEGER')).toEqual({ kind: 'histogram', x: 'c0', y: null, colour: null });
  expect(kindOf('TIMESTAMP WITH TIME ZONE', 'UTINYINT')?.kind).toBe('line');
  for (const types of [['VARCHAR'], ['DATE'], ['BIGINT[]'], ['STRUCT("a" INTEGER)'], ['INTERVAL'], []])
    expect(kindOf(...types), types.join()).toBeNull();
});

test('a choice that can not be drawn says why', () => {
  const choice = { x: 'c0', y: 'c1', colour: null };
  expect(chartProblem({ kind: 'line', ...choice }, columns('DATE', 'BIGINT'))).toBeNull();
  expect(chartProblem({ kind: 'line', ...choice }, columns('VARCHAR', 'BIGINT'))).toContain('for x');
  expect(chartProblem({ kind: 'bar', ...choice }, columns('VARCHAR', 'VARCHAR'))).toContain('for y');
  expect(chartProblem({ kind: 'histogram', ...choice }, columns('VARCHAR'))).toContain('histogram');
  expect(chartProblem({ kind: 'bar', ...choice, x: 'gone' }, columns('BIGINT'))).toContain('no column gone');
});
