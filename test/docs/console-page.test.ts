import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audienceOf } from '../../src/app/console/access/audiences.ts';
import { PAGES } from '../../src/app/console/pages/all-pages.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/console.md'), 'utf8');

/** The entries of the list of pages: the address without its query, as the routes of the program have it, and the name. */
const named = new Map(
  [...guide.matchAll(/^- \*\*(\w[\w ]*)\*\* \(`(\/[^`]*)`\):/gm)].map(([, name = '', address = '']) => [
    address.replace(/\?.*/, '').replaceAll(/<\w+>/g, ':'),
    name,
  ]),
);
const addressOf = (path: string): string => path.replaceAll(/:\w+|\*/g, ':');

test('the guide lists each console page by its address', () => {
  const missing = PAGES.filter(({ path }) => !named.has(addressOf(path)));
  expect(missing.map(({ path }) => `docs/console.md does not list the page ${path}`)).toEqual([]);
});

test('the guide marks the pages for operators and owners', () => {
  const marked = [
    ...guide.matchAll(/^- \*\*(\w[\w ]*)\*\* (?:(?!\n- )[\s\S])*?\((operator|owner)s\s+only\)/gm),
  ].map(([, name, role]) => `${name}: ${role}`);
  const own = PAGES.map(({ path }) => ({ path, role: audienceOf(`GET ${path}`)?.role })).filter(
    ({ role }) => role !== 'viewer',
  );
  expect(marked.toSorted()).toEqual(
    own.map(({ path, role }) => `${named.get(addressOf(path))}: ${role}`).toSorted(),
  );
});

test('the pages that accept ?wait=1 match the guide', () => {
  const waiting = PAGES.filter(({ query = {} }) => 'wait' in query).map(({ path }) =>
    named.get(addressOf(path)),
  );
  const [, said = ''] =
    /With `\?wait=1`,\s+these\s+pages\s+wait\s+for\s+all\s+their\s+figures:\s+([^.]*)\./.exec(guide) ?? [];
  expect(said.split(/,\s+(?:and\s+)?/).toSorted()).toEqual(waiting.toSorted());
});
