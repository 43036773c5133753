import { parse, serialize } from 'parse5';
import { expect, test } from 'vitest';
import { parseHtml } from '../../../../src/site/crawler/parse/parse-html.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';

const PIECES = [
  '<p>',
  '<b>',
  '</b>',
  '</p>',
  '<table><tr><td>',
  '</table>',
  '<a href="/x?a=b&amp;c">',
  '</a>',
  'word ',
  ' ',
  '\n',

  '<select><option>',
  '</select>',
  '<svg><title>x</title></svg>',
  '<!-- x -->',
  '&eacute;',
  '😀',
  '\r\n',
  '<br/>',

  '<script>if (a < b) "</b>"</script>',
  '<template><td>',
  '</template>',
  '< ',
  '<i x=1 y="2">',
  '</i>',
  '1',
  '<td>',
];

test('a large page parsed in chunks has the same tree', () => {
  const random = seededRandom(testSeed());
  let html = '<!doctype html><title>A page</title>';
  while (html.length < 520_000) html += PIECES[Math.floor(random() * PIECES.length)];
  const { root, characters } = parseHtml(html);
  expect(characters).toBe(html.length);
  expect(serialize(root)).toBe(serialize(parse(html)));
});

test('a page with more elements than memory allows is read up to the same position each time', () => {
  const html = `<title>A page</title>${'<b>x</b>'.repeat(1_000_000)}`;
  const { root, characters } = parseHtml(html);
  expect(characters).toBeGreaterThan(1_000_000);
  expect(characters).toBeLessThan(html.length);
  expect(serialize(root)).toBe(serialize(parse(html.slice(0, characters))));
  expect(parseHtml(html).characters).toBe(characters);
});
