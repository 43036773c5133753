import { expect, test } from 'vitest';
import type { Block } from '../../../../src/app/answers/presentation/blocks.ts';
import { drawBlocks } from '../../../../src/app/console/layout/addresses.ts';
import { BLOCKS } from '../../../support/blocks-of-each-kind.ts';

/** The names of the elements in a piece of HTML. */
function elementsOf(html: string): string[] {
  return [...html.matchAll(/<([a-z]\w*)/g)].map(([, name]) => String(name));
}

test('each kind of block is drawn, and no value adds HTML', () => {
  for (const block of Object.values<Block>(BLOCKS)) {
    const { text } = drawBlocks([block]);
    expect(text, block.is).not.toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a browser hides
    expect(text, block.is).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    // A chart names its lines in bold.
    for (const foreign of ['script', 'img', 'i', ...(block.is === 'chart' ? [] : ['b'])])
      expect(elementsOf(text), block.is).not.toContain(foreign);
  }
});

test('values are formatted by kind and link to their pages; unknown is a dash, and empty text stays empty', () => {
  const { text } = drawBlocks([BLOCKS.table]);
  for (const shown of [
    '9,007,199,254,740,993',
    '49.0 MB',
    '61 s',
    '3 days',
    '<time datetime="2026-11-21T06:00:00.000Z">2026-11-21 06:00</time>',
    '<td data-name="none">–</td><td data-name="empty"></td>',
    'href="/units/crawl_pages/%22%3Cc1%3E"',
    'href="/runs/%22%3E%3Cb%3E"',
    'href="/projects/..%2Fa%3Fb%23c"',
    '<a href="/crawls/c&#39;1" title="c&#39;1">Crawl c&#39;1</a>',
  ])
    expect(text).toContain(shown);
});

test('a problem shows its start, each detail and what to do', () => {
  expect(drawBlocks([BLOCKS.problems]).text).toMatch(
    /since an unknown time[\s\S]*<li>b<\/li><li>c<\/li><\/ul>\s*<p><strong>To do:<\/strong>/,
  );
});
