import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  changedSegments,
  changeSegments,
  segmentsStamp,
  type WrittenSegmentation,
  writtenSegmentations,
} from '../../../../src/etl/project/settings/change-segments.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const YAML = `# Whose pages these are.
segmentations:
  - name: template
    projects: [shop]
    segments:
      - { name: products, url: /p/ } # sold here
      - name: rest
        sql: depth > 3
    else: other
  # The second one.
  - name: language
    segments: [{ name: de, url: /de/ }]
`;
const NEW: WrittenSegmentation = { name: 'new', segments: [{ name: 'a', url: '/a/' }] };
const TEMPLATE: WrittenSegmentation = {
  name: 'template',
  projects: ['shop'],
  segments: [
    { name: 'products', url: '/p/' },
    { name: 'rest', sql: 'depth > 3' },
  ],
  else: 'other',
};

async function folderWith(yaml: string | null): Promise<string> {
  const folder = await temporaryFolder();
  if (yaml !== null) await writeFile(join(folder, 'segments.yaml'), yaml);
  return folder;
}

/** The text after a change of a file. */
async function changed(
  yaml: string | null,
  at: number | null,
  next: WrittenSegmentation | null,
): Promise<string> {
  const folder = await folderWith(yaml);
  return (await changedSegments(folder, { at, next, stamp: await segmentsStamp(folder) })).text;
}

const ADDED = `  - name: new
    segments:
      - name: a
        url: /a/
`;

test('a new segmentation comes last, also in a file that has none', async () => {
  expect(await changed(YAML, null, NEW)).toBe(
    `${YAML.replace('[shop]', '[ shop ]').replace('[{ name: de, url: /de/ }]', '[ { name: de, url: /de/ } ]')}${ADDED}`,
  );
  for (const yaml of [null, '', 'segmentations: []\n', 'segmentations:\n'])
    expect(await changed(yaml, null, NEW)).toBe(`segmentations:\n${ADDED}`);
});

test('a change leaves comments, and the segments that stay as they were', async () => {
  const text = await changed(YAML, 0, {
    ...TEMPLATE,
    name: 'kind',
    segments: [{ name: 'all', url: ['/', '*'] }, ...TEMPLATE.segments.slice(0, 1)],
  });
  expect(text).toContain(
    '# Whose pages these are.\nsegmentations:\n  - name: kind\n    projects: [ shop ]\n',
  );
  expect(text).toContain('- { name: products, url: /p/ } # sold here\n');
  expect(text).toContain('- name: all\n        url:\n          - /\n          - "*"\n');
  expect(text).not.toContain('depth > 3');
  expect(text).toContain('else: other\n  # The second one.\n  - name: language\n');
});

test('a key that is missing is removed', async () => {
  const text = await changed(YAML, 0, { name: 'template', segments: TEMPLATE.segments });
  expect(text).not.toMatch(/projects|else/);
  expect(text).toContain('sql: depth > 3');
});

test('a segmentation is removed by its place', async () => {
  const text = await changed(YAML, 1, null);
  expect(text).toContain('name: template');
  expect(text).not.toContain('language');
});

test.each<[at: number | null, next: WrittenSegmentation | null, message: string]>([
  [2, NEW, 'there is no segmentation 2'],
  [2, null, 'there is no segmentation 2'],
  [null, null, 'there is no segmentation without a place'],
  [null, { ...NEW, name: 'language' }, 'there already is a segmentation language for these projects'],
  [
    null,
    { ...NEW, name: 'language', projects: ['x'] },
    'there already is a segmentation language for these projects',
  ],
  [null, { ...NEW, name: 'template', projects: ['x', 'shop'] }, 'there already is a segmentation template'],
  [null, { ...NEW, name: 'template' }, 'there already is a segmentation template'],
])('place %j with %j is refused', async (at, next, message) => {
  await expect(changed(YAML, at, next)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

test('a name may be used again for other projects', async () => {
  expect(await changed(YAML, null, { ...NEW, name: 'template', projects: ['x'] })).toContain(
    'projects:\n      - x',
  );
});

test('a file that has changed since is not written, nor one that the check refuses', async () => {
  const folder = await folderWith(YAML);
  const read = () => readFile(join(folder, 'segments.yaml'), 'utf8');
  const stamp = await segmentsStamp(folder);
  const fine = async () => {};
  await expect(changeSegments(folder, { at: null, next: NEW, stamp: 'other' }, fine)).rejects.toThrow(
    'segments.yaml has changed since you opened the page',
  );
  const refuse = async () => {
    throw new Error('no such column');
  };
  await expect(changeSegments(folder, { at: 1, next: null, stamp }, refuse)).rejects.toThrow(
    'no such column',
  );
  expect(await read()).toBe(YAML);
  let checked: unknown;
  await changeSegments(folder, { at: 1, next: null, stamp }, async (segmentations) => {
    checked = segmentations.map(({ name }) => name);
  });
  expect([checked, (await segmentsStamp(folder)) === stamp]).toEqual([['template'], false]);
  expect(await writtenSegmentations(folder)).toEqual([TEMPLATE]);
  expect(await writtenSegmentations(await folderWith(null))).toEqual([]);
  await expect(changed(YAML, null, { name: 'x', segments: [] })).rejects.toMatchObject({
    code: 'bad_segments',
  });
});
