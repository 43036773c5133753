import { expect, test } from 'vitest';
import { parsed } from '../../../support/fetched-page.ts';

const XMLNS = 'http://www.w3.org/1999/xhtml';

function xhtml(html: string, type = 'application/xhtml+xml') {
  return parsed(html, { headers: [['content-type', type]] });
}

test('XHTML is parsed as XML', () => {
  const { page, links } = xhtml(`<?xml version="1.0"?>
    <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
    <html xmlns="${XMLNS}" xml:lang="de"><head><script src="/a.js"/><style/><title>Sch&ouml;ne&nbsp;Schuhe</title>
      <link rel="canonical" href="/shoes"/><meta name="description" content="All &amp; more"/></head>
    <body><div/><h1>Schuhe</h1><p>Eins<![CDATA[ & zwei]]></p><a href="/more">Mehr davon</a>
      <noscript><a href="/no">x</a></noscript><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="/svg"><text>Bild</text></a></svg>
    </body></html>`);
  expect(page).toMatchObject({
    title: 'Schöne Schuhe',
    h1: 'Schuhe',
    language: 'de',
    meta_description: 'All & more',
    rel_canonical: 'https://site.example/shoes',
    word_count: 5,
  });
  expect(links.map(({ target }) => target)).toEqual([
    'https://site.example/more',
    'https://site.example/svg',
  ]);
});

test('element names are case-sensitive in XML: uppercase is not XHTML', () => {
  const { page } = xhtml(
    `<html xmlns="${XMLNS}"><head><TITLE>x</TITLE><title>y</title></head><body/></html>`,
  );
  expect(page).toMatchObject({ title: 'y', num_titles: 1 });
});

test.each([
  ['is not well formed', `<html xmlns="${XMLNS}"><head><title>x</title><body><p>one<br>two</body></html>`],
  ['has no namespace', '<html><head><title>x</title></head><body/></html>'],
  [
    'has an entity that nobody knows',
    `<html xmlns="${XMLNS}"><head><title>x</title></head><body>&none;</body></html>`,
  ],
])('a document that %s is read as HTML', (_name, html) => {
  expect(xhtml(html).page).toMatchObject({ title: 'x', parsed_html: true });
});

test('HTML with the syntax of XHTML is HTML', () => {
  const html = `<html xmlns="${XMLNS}"><head><script src="/a.js"/><title>x</title></head><body/></html>`;
  expect(xhtml(html).page.title).toBe('x');
  expect(xhtml(html, 'text/html').page.title).toBeNull();
});
