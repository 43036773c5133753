import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES, EXIT_CODES } from '../../../src/core/errors/error-codes.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'errors.md');

interface Entry {
  readonly code: string;
  readonly kind: string;
  readonly exitCode: number;
  readonly means: string;
}

const entries = (list: readonly Entry[]): Entry[] => list.toSorted((a, b) => a.code.localeCompare(b.code));

const documented = entries(
  readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const row = /^\| `([a-z_]+)` +\| (\w+) +\| +(\d+) +\| (.+?) +\|$/.exec(line);
      return row
        ? [{ code: `${row[1]}`, kind: `${row[2]}`, exitCode: Number(row[3]), means: `${row[4]}` }]
        : [];
    }),
);

const defined = entries(
  Object.entries(ERROR_CODES).map(([code, { kind, means }]) => ({
    code,
    kind,
    exitCode: EXIT_CODES[kind],
    means,
  })),
);

test('docs/errors.md lists exactly the codes of the program, with kind, exit code and meaning', () => {
  expect(documented).toEqual(defined);
});

test('docs/errors.md explains every kind', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const unexplained = Object.keys(EXIT_CODES).filter(
    (kind) => !new RegExp(`^\\| ${kind} +\\| `, 'm').test(text),
  );
  expect(unexplained).toEqual([]);
});
