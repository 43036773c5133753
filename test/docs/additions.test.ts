import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/site/access-logs/formats/known-formats.ts';
import { gaps } from '../support/gaps.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const [, table = ''] = /^\| to add .*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
const rows = [...table.matchAll(/^\| (an? [^|]+?) +\| (.*) \|$/gm)].map(([, what = '', files = '']) => ({
  what,
  files,
}));

test.each(rows)('the files to add $what match those of existing ones', ({ files }) => {
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

test('the guide covers the most frequent additions', () => {
  const named = rows.map(({ what }) => what);
  expect(named).toEqual(
    expect.arrayContaining(['a command', 'a flag', 'an issue', 'an engine', 'a log format']),
  );
});

/** The files that tests with `gaps` say to edit, by what is added; `<name>` is for a name. */
function filesToEdit(): [what: string, path: string][] {
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
    .filter((text) => text.includes('gaps('));
  const sentences = tests.flatMap((text) =>
    [
      ...text.matchAll(
        /adds: (['"])(.+)\1|(?:missing|extra):\s*\([^)]*\)\s*=>\s*`((?:[^`\\$]|\$\{[^}]*\})*)`/g,
      ),
    ].map(([, , adds, sentence]) => ({ adds, sentence })),
  );
  let what = '';
  return sentences.flatMap(({ adds, sentence = '' }) => {
    what = adds ?? what;
    const shown = sentence.replaceAll(/\$\{[^}]*\}/g, '<name>');
    const paths = shown.matchAll(/\b(?:src|sql|test|docs|pipelines|schemas)\/[\w./<>-]*\w/g);
    return [...paths].map(([path]): [string, string] => [what, path]);
  });
}

test('each row of the guide names the files that the completeness tests require', () => {
  const files = filesToEdit();
  expect(files.length).toBeGreaterThan(20);
  const named = new Map(rows.map((row) => [row.what, row.files]));
  const missing = files.filter(([what, path]) => !named.get(what)?.includes(path.split('<')[0] ?? path));
  const lines = missing.map(([what, path]) => `CONTRIBUTING.md does not name ${path} in the row of ${what}`);
  expect([...new Set(lines)]).toEqual([]);
});

test('each log format has its name in docs/logs.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'logs.md'), 'utf8');
  const found = gaps(
    FORMAT_NAMES,
    FORMAT_NAMES.filter((name) => page.includes(`\`${name}\``)),
    {
      adds: 'a log format',
      missing: (name) => `docs/logs.md does not list the format ${name}`,
      extra: (name) => `docs/logs.md lists ${name}, which is no format`,
    },
  );
  expect(found).toEqual([]);
});
