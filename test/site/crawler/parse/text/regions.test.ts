import { expect, test } from 'vitest';
import { parsed } from '../../../../support/fetched-page.ts';

const LINK = '<a href=/x>x</a>';

test.each([
  [LINK, 'Content'],
  [`<nav>${LINK}</nav>`, 'Navigation'],
  [`<header>${LINK}</header>`, 'Header'],
  [`<footer>${LINK}</footer>`, 'Footer'],
  [`<aside>${LINK}</aside>`, 'Aside'],
  [`<div role="banner">${LINK}</div>`, 'Header'],
  [`<div role=" NAVIGATION ">${LINK}</div>`, 'Navigation'],
  [`<nav role="presentation">${LINK}</nav>`, 'Content'],
  // In a section, a header or a footer is no landmark, and the enclosing landmark counts.
  [`<article><header>${LINK}</header></article>`, 'Content'],
  [`<section><footer>${LINK}</footer></section>`, 'Content'],
  [`<aside><header>${LINK}</header></aside>`, 'Aside'],
  [`<section></section><footer>${LINK}</footer>`, 'Footer'],
  [`<section><div role="contentinfo">${LINK}</div></section>`, 'Footer'],
  // The nearest landmark counts, and the outer one again after its end.
  [`<header><nav>${LINK}</nav></header>`, 'Navigation'],
  [`<header><nav></nav>${LINK}</header>`, 'Header'],
  [`<nav></nav>${LINK}`, 'Content'],
])('the position of the link in %s', (html, position) => {
  expect(parsed(html).links.map((link) => link.link_position)).toEqual([position]);
});
