import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSegmentations } from '../../src/etl/project/settings/segments.ts';
import { temporaryFolder } from '../support/temporary.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');
const section = page.split(/^## /m).find((text) => text.startsWith('Segments\n')) ?? '';
const blocks = [...section.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

test('each segments file of the page is valid, and together they show every kind of condition', async () => {
  expect(blocks.length).toBeGreaterThan(2);
  const kinds = [];
  for (const block of blocks) {
    const folder = await temporaryFolder();
    // A part of a file is of a segmentation.
    const yaml = block.startsWith('segments:')
      ? `segmentations:\n- name: a\n${block.replaceAll(/^/gm, '  ')}`
      : block;
    await writeFile(join(folder, 'segments.yaml'), yaml);
    for (const { segments } of await loadSegmentations(folder))
      kinds.push(...segments.map(({ condition }) => condition.kind));
  }
  expect([...new Set(kinds)].sort()).toEqual(['oql', 'sql', 'url']);
});
