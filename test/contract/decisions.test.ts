import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gaps } from '../support/gaps.ts';
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
  const specified = SPECIFICATION.map(({ name, scope }) => `${scope}: ${name}`);
  const named = rowsUnder('Scopes').flatMap(([scope = '', operations = '']) =>
    [...operations.matchAll(/\w+/g)].map(([name]) => `${scope}: ${name}`),
  );
  const found = gaps(specified, named, {
    adds: 'an endpoint',
    missing: (row) => `docs/sandbox.md lacks, under Scopes, ${row}`,
    extra: (row) => `docs/sandbox.md has, under Scopes, ${row}, and test/contract/specification.ts has not`,
  });
  expect(found).toEqual([]);
  expect(named.length, 'no operation is named twice').toBe(specified.length);
});

test('every other entry has a subject and a decision', () => {
  const headings = [...page.matchAll(/^### (.*)$/gm)].map((match) => String(match[1])).slice(1);
  expect(headings.length).toBeGreaterThan(1);
  for (const heading of headings) {
    const [, section = ''] = page.split(`\n### ${heading}\n`);
    const entries = (section.split(/\n##+ /)[0] ?? '')
      .split(/\n(?=- )/)
      .filter((text) => text.startsWith('- '));
    expect(entries.length, heading).toBeGreaterThan(0);
    for (const entry of entries) expect(entry, heading).toMatch(/^- [*`].+?: \S/);
  }
});
