import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSegmentations } from '../../../../src/etl/project/settings/segments.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

async function load(yaml: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'segments.yaml'), yaml);
  return loadSegmentations(folder);
}

/** A file with one segmentation, whose segments are these lines. */
const one = (...segments: readonly string[]): string =>
  ['segmentations:', '  - name: template', '    segments:', ...segments.map((line) => `      ${line}`)].join(
    '\n',
  );

test('a folder without the file, and a file without segmentations, have none', async () => {
  expect(await loadSegmentations(await temporaryFolder())).toEqual([]);
  expect(await loadSegmentations(undefined)).toEqual([]);
  expect(await load('')).toEqual([]);
  expect(await load('segmentations: []')).toEqual([]);
});

test('an integer beyond 2^53 keeps its digits', async () => {
  const [found] = await load(one('- { name: a, oql: { field: [simhash, equals, 9007199254740993] } }'));
  expect(found?.segments[0]?.condition).toEqual({
    kind: 'oql',
    tree: { field: ['simhash', 'equals', 9007199254740993n] },
  });
});

test('unclosed brackets are refused immediately, with the line', async () => {
  await expect(load(`segmentations:\n  - ${'{'.repeat(50_000)}`)).rejects.toMatchObject({
    code: 'bad_segments',
    message: 'segments.yaml:2: more than a thousand brackets are open',
  });
});

test('a segmentation keeps the order of its segments, each with its condition', async () => {
  const [found, ...others] = await load(`
segmentations:
  - name: page type
    projects: [shop, www.shop.example]
    segments:
      - { name: product, url: /p/ }
      - { name: file, url: ['*.pdf$', 'https://files.shop.example/'] }
      - { name: article, oql: { field: [urlpath, startswith, /blog] } }
      - { name: deep, sql: depth > 5 }
    else: other
  - name: short
    segments: [{ name: '404', sql: status_code = 404 }]
`);
  const conditions = found?.segments.map(({ name, condition }) => [name, condition]);
  expect({ ...found, segments: conditions }).toEqual({
    name: 'page type',
    projects: ['shop', 'www.shop.example'],
    rest: 'other',
    segments: [
      ['product', { kind: 'url', patterns: ['/p/'] }],
      ['file', { kind: 'url', patterns: ['*.pdf$', 'https://files.shop.example/'] }],
      ['article', { kind: 'oql', tree: { field: ['urlpath', 'startswith', '/blog'] } }],
      ['deep', { kind: 'sql', condition: 'depth > 5' }],
    ],
  });
  expect(others).toMatchObject([{ name: 'short', projects: null, rest: null }]);
  expect(found?.segments[3]?.placeOf()).toEqual({
    file: 'segments.yaml',
    line: 9,
    key: 'segmentations.0.segments.3.sql',
    code: 'bad_segments',
  });
});

test('segmentations of several projects may share a name, and the one for all others comes last', async () => {
  const [a, b, c] = ['projects: [a], ', 'projects: [b], ', ''].map(
    (projects) => `  - { name: t, ${projects}segments: [{ name: x, url: / }] }`,
  );
  expect(await load(`segmentations:\n${a}\n${b}\n${c}`)).toHaveLength(3);
  await expect(load(`segmentations:\n${a}\n${c}\n${b}`)).rejects.toMatchObject({
    code: 'bad_segments',
    message: 'segments.yaml:4: segmentations.2.name: a second segmentation t, after one for all projects',
    hint: 'name the projects of the first one under projects, or put it last',
  });
});

test.each([
  [
    'an unknown key',
    one('- { name: a, urls: /p/ }'),
    4,
    'unknown key segmentations.0.segments.0.urls',
    'did you mean url? ',
  ],
  [
    'no condition',
    one('- { name: a }'),
    4,
    'segmentations.0.segments.0: a segment has exactly one of url, oql, sql',
  ],
  [
    'two conditions',
    one('- { name: a, url: /p/, sql: depth > 1 }'),
    4,
    'segmentations.0.segments.0: a segment has exactly one of',
  ],
  ['no segments', 'segmentations:\n  - name: a\n    segments: []', 3, 'segmentations.0.segments: Too small'],
  [
    'a number for a name',
    one('- { name: 404, sql: status_code = 404 }'),
    4,
    'segmentations.0.segments.0.name: a text is expected',
  ],
  [
    'a name in brackets',
    'segmentations: [{ name: (site), segments: [{ name: a, url: / }] }]',
    1,
    'segmentations.0.name: a name cannot begin',
  ],
  [
    'a regular expression for a pattern',
    one('- { name: a, url: ^/p/ }'),
    4,
    'segmentations.0.segments.0.url: a pattern begins with /, * or https://',
  ],
  [
    'one pattern of several that is none',
    one('- name: a', '  url: [/p/, blog]'),
    5,
    'segmentations.0.segments.0.url.1: a pattern begins with',
  ],
  [
    'two segments of a name',
    one('- { name: a, url: /p/ }', '- { name: a, url: /q/ }'),
    5,
    'segmentations.0.segments.1.name: a second segment a',
    'use a list of patterns',
  ],
  [
    'a segment of the name of the rest',
    `${one('- { name: a, url: /p/ }')}\n    else: a`,
    5,
    'segmentations.0.else: a second segment a',
  ],
  [
    'OQL that is none',
    one('- { name: a, oql: [depth, gt, 5] }'),
    4,
    'segmentations.0.segments.0.oql: a filter is expected',
  ],
  [
    'an unknown filter type',
    one(
      '- name: a',
      '  oql:',
      '    and:',
      '      - { field: [depth, gt, 5] }',
      '      - { field: [depth, above, 5] }',
    ),
    8,
    'segmentations.0.segments.0.oql.and.1.field.1: "above" on depth is none of',
    'docs/client.md#filter-types',
  ],
  [
    'a has_no_value with a value',
    one('- { name: a, oql: { field: [title, has_no_value, 1] } }'),
    4,
    'segmentations.0.segments.0.oql.field.2: has_no_value on title takes an empty string',
  ],
  ['no list', 'segmentations: template', 1, 'segmentations: Invalid input'],
  ['no YAML', 'segmentations: [', 1, ''],
])('a file is refused with its line and key: %s', async (_, yaml, line, message, hint = '') => {
  const error = await load(yaml).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'bad_segments',
    message: expect.stringContaining(`segments.yaml:${line}: ${message}`),
  });
  expect((error as { hint?: string }).hint ?? '').toContain(hint);
});
