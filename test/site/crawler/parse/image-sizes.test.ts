import { parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { UnsizedImages } from '../../../../src/site/crawler/parse/image-sizes.ts';
import { isElement } from '../../../../src/site/crawler/parse/tree.ts';

/** The images of a page without a known size. */
function unsized(html: string): number {
  const images = new UnsizedImages();
  for (const node of parseFragment(html).childNodes)
    if (isElement(node) && node.tagName === 'style') images.addStyle(node);
    else if (isElement(node)) images.add(node);
  return images.count();
}

test.each([
  ['<img>', 1],
  ['<img width=1>', 1],
  ['<img height=1>', 1],
  ['<img width=1 height=1><img>', 1],
  ['<img width=1 height>', 0],
  ['<img width=1 style="height: 2px">', 0],
  ['<img style="width:1px;height:2px">', 0],
  ['<img style="inline-size: 1px; block-size: 2px">', 0],
  ['<img style="max-width: 1px; line-height: 2px">', 1],
  ['<img style="width: auto; height: 2px">', 1],
  ['<img style="height: auto; width: 2px">', 1],
  ['<img width=1 style="aspect-ratio: 2 / 3">', 0],
  ['<img height=1 style="aspect-ratio: auto 2 / 3">', 0],
  ['<img width=1 style="aspect-ratio: auto">', 1],
  ['<img style="aspect-ratio: 2">', 1],
  ['<img style="position: absolute">', 0],
  ['<img style="position:fixed">', 0],
  ['<img style="position: relative">', 1],
])('%s: %d', (html, count) => {
  expect(unsized(html)).toBe(count);
});

const SIZE = '{ width: 1px; height: 2px }';

test.each([
  [`img ${SIZE}`, '<img>', 0],
  [`* ${SIZE}`, '<img>', 0],
  [`IMG.a ${SIZE}`, '<img class="b a">', 0],
  [`.a ${SIZE}`, '<img class="b">', 1],
  [`#logo ${SIZE}`, '<img id=logo><img id=other>', 1],
  [`p, .a ,#b ${SIZE}`, '<img class=a><img id=b><img>', 1],
  [`p ${SIZE}`, '<img>', 1],
  [`div img ${SIZE}`, '<img>', 1],
  [`${SIZE}`, '<img>', 1],
  [`.a.b ${SIZE}`, '<img class="a b"><img class=a>', 1],
  [`.a.b { width: 1px }`, '<img class="a b" height=1>', 0],
  ['img { width: 1px } .a { height: 1px }', '<img class=a><img>', 1],
  ['.a { width: 1px } .a { height: 1px }', '<img class=a>', 0],
  ['img { color: red }', '<img>', 1],
  [`@media print { img ${SIZE} }`, '<img>', 1],
  [`@layer base { img ${SIZE} }`, '<img>', 0],
  [`@layer base { @supports (x: y) { img ${SIZE} } }`, '<img>', 1],
  [`@import "a.css"; img ${SIZE}`, '<img>', 0],
  [`@font-face { src: url("}") } img ${SIZE}`, '<img>', 0],
  [`p::after { content: '{' } img ${SIZE}`, '<img>', 0],
  [`/* img ${SIZE} */ p { color: red }`, '<img>', 1],
  [`/* { */ img ${SIZE} /* not closed`, '<img>', 0],
  [`} img ${SIZE}`, '<img>', 0],
  [`${'a { '.repeat(16)}img ${SIZE}${' }'.repeat(16)} img ${SIZE}`, '<img>', 1],
  [`${'a { '.repeat(15)}${'}'.repeat(15)} img ${SIZE}`, '<img>', 0],
])('with the style %j, %s has %d', (css, html, count) => {
  expect(unsized(`${html}<style>${css}</style>`)).toBe(count);
});

test.each([
  ['', 0],
  [' media=all', 0],
  [' media=" SCREEN "', 0],
  [' media=print', 1],
  [' media="screen and (min-width: 1px)"', 1],
])('a style element%s counts for screens only', (media, count) => {
  expect(unsized(`<style${media}>img ${SIZE}</style><img>`)).toBe(count);
});

test('several style elements count, up to a million characters and a hundred selectors of several parts', () => {
  expect(unsized('<style>img { width: 1px }</style><img><style>img { height: 1px }</style>')).toBe(0);
  const long = (length: number) => `<style>/*${' '.repeat(length)}*/img ${SIZE}</style><img>`;
  expect([unsized(long(900_000)), unsized(long(1_000_000))]).toEqual([0, 1]);
  const many = (count: number) =>
    `<style>${`.x.y ${SIZE}`.repeat(count)}.a.b ${SIZE}</style><img class="a b">`;
  expect([unsized(many(99)), unsized(many(100))]).toEqual([0, 1]);
});
