import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES, EXIT_CODES } from '../../../src/core/errors/error-codes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'errors.md');

test('docs/errors.md lists exactly the codes of the program, with kind, exit code, meaning and next step', () => {
  const documented = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .filter((line) => /^\| `[a-z_]+` +\| \w+ +\| \d+ +\|/.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '));
  const defined = Object.entries(ERROR_CODES).map(
    ([code, { kind, means, hint }]) =>
      `| \`${code}\` | ${kind} | ${EXIT_CODES[kind]} | ${means} | ${hint ?? 'none'} |`,
  );
  expect(documented.sort()).toEqual(defined.sort());
});

test('docs/errors.md explains every kind', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const unexplained = Object.keys(EXIT_CODES).filter(
    (kind) => !new RegExp(`^\\| ${kind} +\\| `, 'm').test(text),
  );
  expect(unexplained).toEqual([]);
});

test('a code without a next step says why in a comment', () => {
  const source = readFileSync(join(ROOT, 'src', 'core', 'errors', 'error-codes.ts'), 'utf8');
  const without = Object.values(ERROR_CODES).filter(({ hint }) => hint === null);
  expect(source.match(/^ +\/\/ .+\n +hint: null,$/gm)).toHaveLength(without.length);
});
