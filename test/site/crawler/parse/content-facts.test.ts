import { expect, test } from 'vitest';
import { parsed } from '../../../support/fetched-page.ts';

const body = (html: string, lang = 'en') =>
  parsed(`<!doctype html><html lang="${lang}"><title>t</title><body>${html}`);

test('declared shadow trees count as content and links of a page', () => {
  const { page, links } = body(
    '<my-card><template shadowrootmode="open"><h1>Card</h1><a href="/in">Inside</a></template></my-card>',
  );
  expect(page).toMatchObject({ h1: 'Card', word_count: 2 });
  expect(links.map(({ target }) => target)).toEqual(['https://site.example/in']);
});

test.each([
  '<ul><template shadowrootmode="open"><a href="/in">x</a></template></ul>',
  '<my-card><template shadowrootmode="none"><a href="/in">x</a></template></my-card>',
  '<my-card><template shadowrootmode="open"></template><template shadowrootmode="open"><a href="/in">x</a></template></my-card>',
  '<div><template><a href="/in">x</a></template></div>',
])('a template without a shadow tree is not content: %s', (html) => {
  expect(body(html).links).toEqual([]);
});

test.each([
  ['<img src=a>', 1],
  ['<img src=a alt>', 0],
  ['<img src=a role=presentation>', 0],
  ['<img src=a role=none>', 0],
  ['<img src=a aria-hidden=true>', 0],
  ['<p aria-hidden=true><b><img src=a></b></p>', 0],
  ['<p aria-hidden=false><img src=a></p>', 1],
  ['<img src=a aria-label="A shoe">', 0],
  ['<img src=a title="A shoe">', 0],
])('%s lacks %i texts', (html, missing) => {
  expect(body(html).page.num_missing_alt).toBe(missing);
});

test.each([
  ['<img src=a width=1 height=1>', 0],
  ['<img src=a width=1>', 1],
  ['<img src=a style="width:10px;height:50%">', 0],
  ['<img src=a width=1 style="height: 2em">', 0],
  ['<img src=a style="max-width:10px;height:5px">', 1],
  ['<img src=a style="width:10px;height:auto">', 1],
  ['<img src=a style="width:100%;aspect-ratio:16/9">', 0],
  ['<img src=a style="position:absolute;inset:0">', 0],
  ['<img src=a style="inline-size:1px;block-size:1px">', 0],
  ['<style>img{width:1px;height:1px}</style><img src=a>', 0],
  ['<style>.a,.b{width:9em} .a{aspect-ratio:1}</style><img src=a class="x a"><img src=a class=b>', 1],
  ['<style>#i{width:1px;HEIGHT:1px}</style><img src=a id=i><img src=a id=j>', 1],
  ['<style>img.a{width:1px;height:1px}</style><img src=a class=a><img src=a>', 1],
  ['<style>.a.b{width:1px;height:1px}</style><img src=a class="b c a"><img src=a class=a>', 1],
  ['<style>/* img{ */ .a{content:"}";width:1px;height:1px}</style><img src=a class=a>', 0],
  ['<style>@layer x{img{width:1px;height:1px}}</style><img src=a>', 0],
  ['<style>@media print{img{width:1px;height:1px}}</style><img src=a>', 1],
  ['<style media=print>img{width:1px;height:1px}</style><img src=a>', 1],
  ['<style>img{max-width:100%;height:auto}</style><img src=a>', 1],
  ['<style>img{max-width:100%;height:auto}</style><img src=a width=1 height=1>', 0],
  ['<style>div img, p{width:1px;height:1px}</style><img src=a>', 1],
  ['<img src=a class=a><style>.a{width:1px;height:1px}</style>', 0],
])('%s lacks %i sizes', (html, missing) => {
  expect(body(html).page.num_img_without_size).toBe(missing);
});

test.each([
  ['<h1>One</h1><h1></h1>', 1],
  ['<h1><img src=a alt="One"></h1><h1> </h1><h1>Two</h1>', 2],
  ['<h1></h1><h1></h1>', 1],
  ['', 0],
])('%s has %i H1s', (html, count) => {
  expect(body(html).page.num_h1).toBe(count);
});

test.each([
  ['en', 'Here', 1],
  ['en', 'Hier', 0],
  ['fr', 'Hier', 0],
  ['de', 'Hier', 1],
  ['fr', 'Qui', 0],
  ['it', 'Qui', 1],
  ['pl', 'Read more »', 1],
  ['pl', 'Czytaj więcej…', 1],
  ['pt-BR', 'Saiba mais', 1],
  ['ja', '詳しくはこちら＞', 1],
  ['ja', '会社概要', 0],
  ['zh-Hant', '更多 »', 1],
  ['ko', '더 보기', 1],
  ['ru', 'Подробнее →', 1],
  ['pl', 'More', 0],
  ['', 'Hier', 1],
])('on a page in "%s", "%s" is generic: %i', (lang, text, count) => {
  expect(body(`<a href="/a">${text}</a>`, lang).page.num_links_generic_text).toBe(count);
});

test('a link without text to a position on the page itself does not count', () => {
  const { page } = body('<h2 id=a>One <a href="#a"></a></h2><a href="#"></a><a href="/other"></a>');
  expect(page.num_links_without_text).toBe(1);
});

test('a feed is not a language version', () => {
  const { page } = parsed(
    `<link rel=alternate hreflang=en type="application/rss+xml" href=/feed><link rel=alternate hreflang=de type=text/html href=/de>`,
  );
  expect(page.hreflang_langs).toEqual(['de']);
});
