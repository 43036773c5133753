import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/service/site/logs/formats/known-formats.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const [, table = ''] = /^\| to add .*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
const rows = [...table.matchAll(/^\| (an? [^|]+?) +\| (.*) \|$/gm)].map(([, what = '', files = '']) => ({
  what,
  files,
}));

test.each(rows)('the files to add $what are those that others of its kind have', ({ files }) => {
  const paths = [...files.matchAll(/`((?:src|sql|test|docs|pipelines)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths).not.toEqual([]);
  for (const path of paths) {
    const folder = dirname(path);
    const pattern = new RegExp(`^${RegExp.escape(basename(path)).replace(RegExp.escape('<name>'), '.+')}$`);
    const found = readdirSync(join(ROOT, folder)).filter((name) => pattern.test(name));
    expect(found.length, path).toBeGreaterThanOrEqual(path.includes('<name>') ? 2 : 1);
  }
});

test('the guide has what is added most', () => {
  const named = rows.map(({ what }) => what);
  expect(named).toEqual(expect.arrayContaining(['a command', 'an issue', 'an engine', 'a log format']));
});

test('each log format has its name in docs/logs.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'logs.md'), 'utf8');
  expect(FORMAT_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
