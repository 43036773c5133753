import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPipelines, selectPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const PAGES = 'dataset: crawl_pages\ndescription: Pages\nsource: { kind: crawl, data_type: pages }\n';
const LINKS = PAGES.replace('crawl_pages', 'crawl_links').replace('data_type: pages', 'data_type: links');

async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'pipelines'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'pipelines', name), text);
  return folder;
}

async function refused(file: string) {
  return expect(loadPipelines(await projectWith({ 'pages.yaml': file }))).rejects;
}

test('a short file gets defaults, and files are ordered by dataset', async () => {
  const folder = await projectWith({ 'b.yml': PAGES, 'a.yaml': LINKS, 'notes.txt': 'not YAML: [' });
  const pipelines = await loadPipelines(folder);
  expect(pipelines.map((pipeline) => pipeline.dataset)).toEqual(['crawl_links', 'crawl_pages']);
  expect(pipelines[1]).toEqual({
    dataset: 'crawl_pages',
    description: 'Pages',
    source: { kind: 'crawl', data_type: 'pages' },
    window: null,
    route: 'auto',
    format: 'auto',
    fields: { include: ['*'], exclude: [] },
    columns: {},
    unarchive: 'skip',
    keep: { crawls: 'all' },
    reload_last: null,
  });
});

test('the example of interface.md is accepted with every key', async () => {
  const folder = await projectWith({
    'links.yaml': `dataset: crawl_links
description: Links between two pages
source: { kind: crawl, data_type: links }
window: null
route: auto
format: auto
fields: { include: ['*'], exclude: ['ngrams'] }
filter: { field: [intern, equals, true] }
columns: {}
on_reject: fail
schema_change: evolve
unarchive: skip
keep: { crawls: all }
reload_last: null
`,
  });
  expect(await loadPipelines(folder)).toMatchObject([
    { filter: { field: ['intern', 'equals', true] }, fields: { exclude: ['ngrams'] }, on_reject: 'fail' },
  ]);
});

test('the shipped pipelines are accepted', async () => {
  const pipelines = await loadPipelines(join(import.meta.dirname, '..', '..', '..', '..'));
  expect(pipelines.map((pipeline) => pipeline.dataset)).toEqual(
    expect.arrayContaining(['crawl_links', 'crawl_pages', 'crawls', 'projects']),
  );
});

test('an unknown key is reported with file, line and valid keys', async () => {
  await (await refused(`${PAGES}formt: csv\n`)).toMatchObject({
    code: 'bad_pipeline',
    message: 'pipelines/pages.yaml:4: unknown key formt',
    hint: expect.stringMatching(/^did you mean format\? allowed keys: dataset, .*\bformat\b/),
  });
  await (await refused(`${PAGES}fields:\n  includes: ['*']\n`)).toMatchObject({
    message: 'pipelines/pages.yaml:5: unknown key fields.includes',
    hint: 'did you mean include? allowed keys: include, exclude',
  });
});

test.for([
  ['route: teleport', 'route', 'allowed values: auto, stream, export, search, aggs'],
  ['format: xml', 'format', 'allowed values: auto, csv, json, parquet'],
  ['keep: { crawls: none }', 'keep.crawls', ''],
  ['reload_last: -1', 'reload_last', ''],
  ['columns: { a: 3 }', 'columns.a', ''],
] as const)('%s is an invalid value', async ([line, key, hint]) => {
  await (await refused(`${PAGES}${line}\n`)).toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringContaining(`pipelines/pages.yaml:4: ${key}: `),
  });
  await (await refused(`${PAGES}${line}\n`)).toThrow(hint);
});

test('a column of a crawl can be frozen by name; its type comes from the service', async () => {
  const folder = await projectWith({
    'pages.yaml': `${PAGES}columns:\n  title: { schema_change: freeze }\n`,
  });
  expect(await loadPipelines(folder)).toMatchObject([{ columns: { title: { schema_change: 'freeze' } } }]);
  for (const column of ['string', '{ type: string }', '{ arity: many }']) {
    await (await refused(`${PAGES}columns:\n  title: ${column}\n`)).toMatchObject({
      code: 'bad_pipeline',
      message:
        'pipelines/pages.yaml:5: columns.title: the service gives type, arity and values; only schema_change and retype work here',
    });
  }
});

test.for([
  [
    '{ type: enum, schema_chang: freeze }',
    'unknown key columns.day.schema_chang',
    'did you mean schema_change? allowed keys: type, arity, values, schema_change, optional, retype',
  ],
  [
    '{ type: enum, schema_change: thaw }',
    /^columns\.day\.schema_change: .*allowed values: variant, evolve, freeze$/,
    null,
  ],
  ['{ arity: many }', 'columns.day: type is missing: the service does not give it', null],
  ['{ type: string, values: [a] }', 'columns.day: values are for the type enum, not string', null],
  ['{ type: enum, values: [] }', /^columns\.day\.values: /, null],
  [
    '{ type: string, optional: true }',
    /^columns\.day: optional is for dimensions of ranking performance/,
    null,
  ],
] as const)('a declared column %s is refused with its line', async ([column, message, hint]) => {
  const logs = PAGES.replace('kind: crawl, data_type: pages', 'kind: log_monitoring, data_type: pages');
  const text = typeof message === 'string' ? new RegExp(`^${message}$`) : message;
  await (await refused(`${logs}columns:\n  url: string\n  day: ${column}\n`)).toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringMatching(new RegExp(text.source.replace('^', '^pipelines/pages\\.yaml:6: '))),
    ...(hint ? { hint } : {}),
  });
});

test('a missing key is named', async () => {
  await (await refused('dataset: crawl_pages\ndescription: Pages\n')).toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringMatching(/^pipelines\/pages\.yaml:1: source: /),
  });
  await (await refused('')).toMatchObject({ code: 'bad_pipeline' });
  await (await refused('just a text')).toMatchObject({ code: 'bad_pipeline' });
});

test('a second pipeline of a dataset is reported with file and line', async () => {
  const folder = await projectWith({ 'a.yaml': PAGES, 'b.yaml': `# again\n${PAGES}` });
  await expect(loadPipelines(folder)).rejects.toMatchObject({
    code: 'bad_pipeline',
    message: 'pipelines/b.yaml:2: the dataset crawl_pages has a second pipeline',
  });
});

test('invalid YAML is reported with file and line', async () => {
  await (await refused('dataset: crawl_pages\nsource: { kind: crawl\n')).toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringMatching(/^pipelines\/pages\.yaml:[23]: ./),
  });
});

test('exponential aliases are refused, with the file', async () => {
  const nine = (name: string): string => `[${Array(9).fill(name).join(', ')}]`;
  const bomb = ['a', 'b', 'c', 'd'].map(
    (name, index) => `${name}: &${name} ${nine(index === 0 ? 'x' : `*${'abcd'[index - 1]}`)}\n`,
  );
  await (await refused(bomb.join(''))).toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringMatching(/pages\.yaml:4: its aliases cannot be resolved/),
    hint: 'write the values instead of aliases',
  });
});

test('a missing pipelines folder is reported', async () => {
  await expect(loadPipelines(await temporaryFolder())).rejects.toMatchObject({ code: 'bad_project' });
});

test('a command line selects pipelines by dataset; an unknown one is a usage error', async () => {
  const pipelines = await loadPipelines(await projectWith({ 'a.yaml': PAGES, 'b.yaml': LINKS }));
  expect(selectPipelines(pipelines, [])).toEqual(pipelines);
  expect(selectPipelines(pipelines, ['crawl_pages']).map((one) => one.dataset)).toEqual(['crawl_pages']);
  expect(() => selectPipelines(pipelines, ['crawl_pages', 'crawl_page'])).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: 'there is no pipeline crawl_page',
      hint: 'did you mean crawl_pages? pipelines of this project: crawl_links, crawl_pages',
    }),
  );
});

test.for([
  ['crawl', 'pagez', 'a crawl has no pagez', /^did you mean pages\? allowed values: /],
  ['log_monitoring', 'event', 'a log_monitoring has no event', /^did you mean events\? /],
  ['resource', 'crawl', 'a resource has no crawl', /^did you mean crawls\? /],
] as const)(
  'an unknown data type of a %s, %s, is reported with its line and the nearest one',
  async ([kind, type, said, hint]) => {
    const file = PAGES.replace('kind: crawl, data_type: pages', `kind: ${kind}, data_type: ${type}`);
    await (await refused(file)).toMatchObject({
      code: 'bad_pipeline',
      exitCode: 2,
      message: `pipelines/pages.yaml:3: source.data_type: ${said}`,
      hint: expect.stringMatching(hint),
    });
  },
);

test.for([
  ['filter: { field: [status_code, equal, 404] }', 4, 'filter.field.1'],
  ['filter:\n  and:\n    - { field: [a, equals, 1] }\n    - { fields: [b, equals, 1] }', 7, 'filter.and.1'],
  ['filter: [1, 2]', 4, 'filter'],
])('an invalid OQL filter is reported with its line: %s', async ([text, line, key]) => {
  await (await refused(`${PAGES}${text}\n`)).toMatchObject({
    code: 'bad_pipeline',
    exitCode: 2,
    message: expect.stringContaining(`pipelines/pages.yaml:${line}: ${key}`),
    hint: expect.any(String),
  });
});
