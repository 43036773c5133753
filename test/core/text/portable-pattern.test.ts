import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { PatternError, portablePattern } from '../../../src/core/text/portable-pattern.ts';
import { patterns, SUBJECTS } from '../../support/patterns.ts';
import { sharedFolder, temporaryConnection } from '../../support/temporary.ts';

const folder = sharedFolder();

test.each([
  ['(?=a)', 'groups are (…) and (?:…)'],
  ['(?<name>a)', 'groups are (…) and (?:…)'],
  ['a(?i)b', 'groups are (…) and (?:…)'],
  ['(?s).', 'no flags but a leading (?i)'],
  ['(a)\\1', 'no \\1'],
  ['\\Z', 'no \\Z'],
  ['a\\B', 'no \\B'],
  ['\\Qa\\E', 'no \\Q'],
  ['\\xe9', '\\x has the form \\x{e9}'],
  ['\\x{110000}', '\\x has the form'],
  ['\\pL', 'has a general category'],
  ['\\p{Greek}', 'has a general category'],
  ['(?i)\\p{Lu}', 'where the case is ignored'],
  ['[[:alpha:]]', 'no [ in [ ]'],
  ['[a&&b]', 'no && in [ ]'],
  ['[z-a]', 'z-a is no range'],
  ['[a-\\d]', '- stands first or last'],
  ['[a', 'a [ without its ]'],
  ['[]', 'a [ without its ]'],
  ['(a', 'a ( without its )'],
  ['a)', 'a ) without its ('],
  ['a\\', 'a \\ at the end'],
  ['a^', '^ only at the start'],
  ['$a', '$ only at the end'],
  ['^*', 'nothing before * to repeat'],
  ['a**', 'a repetition of a repetition'],
  ['a*+', 'a repetition of a repetition'],
  ['a{2}{3}', 'a repetition of a repetition'],
  ['a{2,1}', '{2,1} counts nothing'],
  ['a{,2}', '{,2} counts nothing'],
  ['a{1001}', 'at most 1000 repetitions'],
  ['(a{100}){100}', 'at most 1000 repetitions'],
  ['('.repeat(300) + ')'.repeat(300), 'at most 200 groups'],
])('%s is refused: %s', (pattern, message) => {
  expect(() => portablePattern(pattern)).toThrow(PatternError);
  expect(() => portablePattern(pattern)).toThrow(message);
});

test.each([
  ['a.b|c', 'a.b|c'],
  ['a(b|(?:c))?', 'a(?:b|(?:c))?'],
  ['^a$', '^a(?![\\x{0}-\\x{10ffff}])'],
  ['a{2}b{2,}c{0,3}{', 'a{2}b{2,}c{0,3}[\\x{7b}]'],
  ['\\.\\t\\x{e9}é', '[\\x{2e}][\\x{9}][\\x{e9}][\\x{e9}]'],
  ['\\d\\S\\W', '[0-9][^\\x{9}-\\x{a}\\x{c}-\\x{d}\\x{20}][^0-9A-Z_a-z]'],
  ['\\p{Lu}\\P{N}', '\\p{Lu}\\P{N}'],
  [
    '[^\\d\\Da-c\\p{Lu}\\P{N}\\].-]',
    '[^0-9a-c\\x{5d}\\x{2e}\\x{2d}\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}\\p{Lu}\\P{N}]',
  ],
  ['[a-][&b][]]', '[a\\x{2d}][\\x{26}b][\\x{5d}]'],
  ['[\\x{41}-\\x{43}]', '[A-C]'],
  ['(?i)ks_', '[kK\\x{212a}][sS\\x{17f}]_'],
  ['(?i)[a-c]\\w', '[a-cABC][0-9A-Z_a-z\\x{212a}\\x{17f}]'],
  ['(?i)[^\\x{0}-\\x{10ffff}]', '[^\\x{0}-\\x{10ffff}]'],
  ['a\\b', 'a(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))'],
])('%s is written as %s for Joni', (pattern, expanded) => {
  expect(portablePattern(pattern).expanded).toBe(expanded);
});

test('anchors, empty matches and lazy repetitions are supported', () => {
  const of = (pattern: string) => {
    const { anchor, matchesEmpty, isLazy } = portablePattern(pattern);
    return [anchor, matchesEmpty, isLazy];
  };
  expect(of('^a|^b')).toEqual(['start', false, false]);
  expect(of('^a|b')).toEqual([null, false, false]);
  expect(of('a*$|b?$')).toEqual(['end', true, false]);
  expect(of('a+?')).toEqual([null, false, true]);
  expect(of('')).toEqual([null, true, false]);
});

test('the Joni form of a pattern matches like the original in RE2', async () => {
  const connection = await temporaryConnection(folder);
  const rows = SUBJECTS.map((subject, n) => `SELECT ${n} AS n, ${subject} AS s`).join(' UNION ALL ');
  await connection.run(`CREATE TABLE subjects AS ${rows}`);
  await fc.assert(
    fc.asyncProperty(patterns, async (pattern) => {
      const expanded = expandedForm(pattern);
      if (expanded === undefined) return;
      const found = await connection.rows(
        `SELECT s, regexp_matches(s, ${text(pattern)}) AS own FROM subjects
         WHERE regexp_matches(s, ${text(pattern)}) <> regexp_matches(s, ${text(expanded)})`,
      );
      expect([pattern, expanded, found]).toEqual([pattern, expanded, []]);
    }),
    { numRuns: 300 },
  );
});

/** In words of RE2, which cannot look ahead: `\z` for the end. What looks around is Joni's alone. */
function expandedForm(pattern: string): string | undefined {
  try {
    const { expanded } = portablePattern(pattern);
    const form = `(?:${expanded.replaceAll('(?![\\x{0}-\\x{10ffff}])', '\\z')})`;
    return /\(\?<?[=!]/.test(form) ? undefined : form;
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}
