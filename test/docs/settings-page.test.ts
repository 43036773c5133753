import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keysOf, settingsPage } from '../../scripts/settings-page.ts';
import { readVariables } from '../../src/app/settings/variables.ts';
import { SettingsFile } from '../../src/app/settings/warehouse-setting.ts';
import { Pipeline } from '../../src/etl/project/model/pipeline.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const settings = keysOf('crawlhouse.yaml');
const page = settingsPage();

/** The rows of a section, cell by cell. */
function rowsOf(file: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${file}\n`)) ?? '';
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  );
}

test('each key of the schemas is on the page, with its description', () => {
  const files = [
    'crawlhouse.yaml',
    'pipelines/*.yaml',
    'schedules.yaml',
    'segments.yaml',
    'notes.yaml',
    'tickets.yaml',
  ] as const;
  for (const file of files) {
    const keys = keysOf(file);
    expect(rowsOf(file).map(([name]) => name)).toEqual(keys.map(({ name }) => `\`${name}\``));
    expect(keys.filter(({ means }) => !/^[A-Z*a-z].*\.$/.test(means)).map(({ name }) => name)).toEqual([]);
  }
  const top = settings.map(({ name }) => name).filter((name) => !name.includes('.'));
  expect(top).toEqual(Object.keys(SettingsFile.shape));
  const ofPipelines = keysOf('pipelines/*.yaml').map(({ name }) => name);
  expect(ofPipelines.filter((name) => !name.includes('.'))).toEqual(Object.keys(Pipeline.shape));
});

test('the page lists exactly the variables of the program', () => {
  const shown = rowsOf('crawlhouse.yaml').flatMap(([, , , , cell = '']) => /`(.*)`/.exec(cell)?.[1] ?? []);
  expect(shown.length).toBeGreaterThan(100);
  const answers = shown.map((name) => {
    try {
      readVariables({ [name]: '\u0000' });
      return '';
    } catch (error) {
      return String(error);
    }
  });
  expect(answers.filter((answer) => answer.includes('unknown variable'))).toEqual([]);
  expect(() => readVariables({ CRAWLHOUSE_NO_SUCH: '1' })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(`known variables: ${shown.join(', ')}`) }),
  );
});

test('the page shows the type and the default of each key', () => {
  const row = (name: string, file = 'crawlhouse.yaml'): string[] | undefined =>
    rowsOf(file).find(([first]) => first === `\`${name}\``);
  expect(row('crawl_days')?.slice(1, 3)).toEqual(['whole number from 1 to 366', '`28`']);
  expect(row('compression')?.slice(1, 3)).toEqual(['`auto`, `gzip`, `none`', '`auto`']);
  expect(row('keep_raw.days')?.slice(1, 3)).toEqual(['whole number from 1', 'required']);
  expect(row('threads')?.[2]).toBe('');
  expect(row('filter', 'pipelines/*.yaml')?.[1]).toBe('any value');
  expect(row('window', 'pipelines/*.yaml')?.[1]).toBe('`day`, `week`, `month` or `null`');
});

test('no hand-written page contains a table of settings with defaults', async () => {
  const names = new Set(settings.flatMap(({ name }) => [name, name.split('.').at(-1)]));
  const guides = (await readdir(DOCS)).filter((file) => file.endsWith('.md'));
  for (const guide of guides) {
    const text = await readFile(join(DOCS, guide), 'utf8');
    const tables = [...text.matchAll(/^\|(?=.*\| default +\|).*\n\|[- |]+\n((?:\|.*\n)+)/gm)];
    const listed = tables.flatMap(([, rows = '']) =>
      [...rows.matchAll(/^\| `([\w.]+)`/gm)].map(([, name = '']) => name),
    );
    expect(
      listed.filter((name) => names.has(name)),
      guide,
    ).toEqual([]);
  }
});
