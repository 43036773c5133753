import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES, EXIT_CODES } from '../../../src/core/errors/error-codes.ts';
import { gaps } from '../../support/gaps.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'errors.md');

test('docs/errors.md lists exactly the codes of the program, with kind and meaning', () => {
  const documented = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .filter((line) => /^\| `[a-z_]+` +\| \w+ +\| [^|]+ \|$/.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '));
  const defined = Object.entries(ERROR_CODES).map(
    ([code, { kind, means }]) => `| \`${code}\` | ${kind} | ${means} |`,
  );
  const found = gaps(defined, documented, {
    adds: 'an error',
    missing: (row) => `docs/errors.md lacks the row ${row}`,
    extra: (row) => `docs/errors.md has the row ${row}, and src/core/errors/error-codes.ts has not`,
  });
  expect(found).toEqual([]);
});

test('docs/errors.md explains every kind, with its exit code', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const unexplained = Object.entries(EXIT_CODES).filter(
    ([kind, code]) => !new RegExp(`^\\| ${kind} +\\| ${code} +\\| `, 'm').test(text),
  );
  expect(unexplained).toEqual([]);
});

test('a code without a next step has a comment with the reason', () => {
  const source = readFileSync(join(ROOT, 'src', 'core', 'errors', 'error-codes.ts'), 'utf8');
  const without = Object.values(ERROR_CODES).filter(({ hint }) => hint === null);
  expect(source.match(/^ +\/\/ .+\n +hint: null,$/gm)).toHaveLength(without.length);
});
