import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SPECIFICATION } from './specification.ts';

const sandbox = await readFile(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
const [, page = ''] = sandbox.split('\n## What the specification does not show\n');

/** The rows of the tables below a heading, as cells without their marks. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  return (section.split(/\n##+ /)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+\|$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
    );
}

test('the page names the scope of every operation, and no other', () => {
  expect(rowsUnder('Scopes')).toEqual(
    SPECIFICATION.map(({ name, method, path, scope, response }) => [
      name,
      method,
      `${path.split('?')[0]}${response === 'file' ? '?export=true' : ''}`.replace(/<(\w+)>/g, '{$1}'),
      scope,
    ]),
  );
});

test('every other row says what, why, and whether it was seen or is ours', () => {
  const headings = [...page.matchAll(/^### (.*)$/gm)].map((match) => String(match[1])).slice(1);
  expect(headings.length).toBeGreaterThan(1);
  for (const heading of headings) {
    const rows = rowsUnder(heading);
    expect(rows.length, heading).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row, `${heading}: ${row[0]}`).toHaveLength(4);
      expect(row.every((cell) => cell.length > 0)).toBe(true);
      expect(row[3], `${heading}: ${row[0]}`).toMatch(/seen|ours/);
    }
  }
});
