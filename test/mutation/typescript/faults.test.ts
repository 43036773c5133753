import { expect, test } from 'vitest';
import { applyChange } from '../change.ts';
import { faultsOf } from './faults.ts';

const mutantsOf = (source: string): string[] =>
  faultsOf(source)
    .map((fault) => applyChange(source, fault))
    .sort();

test('a condition is negated, and its branch is removed', () => {
  expect(mutantsOf('if (a) b();')).toEqual(['if (!(a)) b();', 'if (a) ;', 'if (false) b();']);
  expect(mutantsOf('const x = a ? b : c;')).toEqual(['const x = !(a) ? b : c;']);
  expect(mutantsOf('if (a) b(); else c();')).toContain('if (a) b(); else {}');
});

test('boundaries, equalities and logical operators are mutated in place', () => {
  expect(mutantsOf('const x = a < b;')).toEqual(['const x = a <= b;']);
  expect(mutantsOf('const x = (a < b) !== c;')).toEqual([
    'const x = (a < b) === c;',
    'const x = (a <= b) !== c;',
  ]);
  expect(mutantsOf('const x = a && b;')).toEqual(['const x = a || b;']);
});

test('a statement is removed with its await; an await that no tool would miss is removed alone', () => {
  expect(mutantsOf('await flush();')).toEqual([';']);
  const awaits = (body: string) =>
    faultsOf(`async function f() { ${body} }`).filter(({ what }) => what.startsWith('no await')).length;
  expect(awaits('try { return await g(); } finally { h(); }')).toBe(1);
  expect(awaits('await using a = b(); if (a) return await g();')).toBe(1);
  expect(awaits('return await g();')).toBe(0);
  expect(awaits('try { return async () => { return await g(); }; } catch {}')).toBe(0);
});

test('types, directives and multi-line text are not mutated', () => {
  expect(mutantsOf("'use strict';\ntype A = B extends C ? D : E;")).toEqual([]);
  expect(mutantsOf('call(\n  a,\n);')).toEqual([]);
});

test('a mutant names its line and its change', () => {
  expect(faultsOf('\nflush();\n')).toMatchObject([{ line: 2, what: 'dropped: flush();' }]);
});
