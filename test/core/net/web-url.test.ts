import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ownUrl,
  requestPath,
  spellOctets,
  spellUrl,
  webUrl,
  whyNoUrl,
} from '../../../src/core/net/web-url.ts';
import { testSeed } from '../../support/random.ts';

const BASE = 'https://site.example/folder/robots.txt';

test.each([
  ['/sitemap.xml', 'https://site.example/sitemap.xml'],
  ['www.site.example/s.xml', 'https://site.example/folder/www.site.example/s.xml'],
  ['  HTTP://SITE.example:80/a b ', 'http://site.example/a%20b'],
  ['', BASE],
  ['http://', null],
  ['http://[::1', null],
  ['mailto:a@site.example', null],
  ['javascript:alert(1)', null],
])('untrusted text %j is parsed as the URL %j', (text, href) => {
  expect(webUrl(text, BASE)?.href ?? null).toBe(href);
});

test.each([
  ['', 'is empty'],
  ['a b', 'is not a URL'],
  ['mailto:a@b', 'has the scheme mailto, not http or https'],
  ['mailto: a', 'has a space, which a URL writes as %20'],
  [' mailto:a ', 'has the scheme mailto, not http or https'],
])('%j is not a web URL, with the reason', (text, why) => {
  expect(whyNoUrl(text)).toBe(why);
});

test('a URL that this program wrote is valid', () => {
  expect(ownUrl('https://a.example/b').href).toBe('https://a.example/b');
  expect(() => ownUrl('a b')).toThrow('a b is not a URL');
});

test.each([
  ['https://a.example/b?', '/b?'],
  ['https://a.example/b', '/b'],
  ['https://a.example/b?c=1#d?', '/b?c=1'],
  ['https://a.example/b?c?', '/b?c?'],
  ['https://a.example/b#c?', '/b'],
])('%s has the path and query %s', (url, path) => {
  expect(requestPath(new URL(url))).toBe(path);
});

/** Equivalent URLs (RFC 3986 §6.2.2), and the one that stands for them. */
test.each([
  ['https://site.example/c/%c3%a9', '/c/%C3%A9'],
  ['https://site.example/c/é', '/c/%C3%A9'],
  ['https://site.example/%7Eann/%2D%2e%5F', '/~ann/-._'],
  ['https://site.example/%41%5a%61%7A%30%39', '/AZaz09'],
  ['https://site.example/a%2fb%3fc%23d%25e', '/a%2Fb%3Fc%23d%25e'],
  ['https://site.example/?q=%c3%a9&r=%7e', '/?q=%C3%A9&r=~'],
  ['https://site.example/a/%2e%2E/b', '/b'],
  ['https://site.example/%2541', '/%2541'],
  ['https://site.example/100%', '/100%'],
  ['https://site.example/%%34%31', '/%%341'],
  ['https://user:word@SITE.example:443/a#b', '/a'],
  ['https://site.example/a?#', '/a?'],
])('%s is spelled %s', (text, path) => {
  expect(spellUrl(ownUrl(text))).toBe(`https://site.example${path}`);
});

const piece = fc.oneof(
  fc.constantFrom(
    '%',
    '%%',
    '/',
    '?',
    '&',
    '=',
    '.',
    '..',
    ';',
    '~',
    ' ',
    '"',
    '{',
    '|',
    '*',
    '$',
    'é',
    '\u{1F600}',
  ),
  fc.integer({ min: 0, max: 255 }).map((octet) => `%${octet.toString(16).padStart(2, '0')}`),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const foreign = fc.array(piece, { maxLength: 12 }).map((pieces) => `https://site.example/${pieces.join('')}`);
/** The octets that a URL means. */
const meant = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)));

test('a normalized URL is stable, and means the same octets', () => {
  fc.assert(
    fc.property(foreign, (text) => {
      const url = ownUrl(text);
      const spelled = spellUrl(url);
      expect(spellUrl(ownUrl(spelled))).toBe(spelled);
      expect(meant(spelled)).toBe(meant(url.href.replace(/#.*$/s, '')));
    }),
    { seed: testSeed(), numRuns: 2_000 },
  );
});

test('URLs that differ only in case or need of percent-encodings are normalized alike', () => {
  const parts = fc.constantFrom(...'aZ09-._~/', '%2F', '%C3%A9', '%20', '%25');
  fc.assert(
    fc.property(fc.array(fc.tuple(parts, fc.boolean()), { maxLength: 12 }), (pieces) => {
      const text = pieces.map(([one]) => one).join('');
      const other = pieces.map(([one, isOther]) => (isOther ? otherwise(one) : one)).join('');
      expect(spellOctets(other)).toBe(text);
    }),
    { seed: testSeed(), numRuns: 1_000 },
  );
});

/** Another spelling of a piece of a path. */
function otherwise(piece: string): string {
  if (piece.startsWith('%')) return piece.toLowerCase();
  return piece === '/' ? piece : `%${piece.charCodeAt(0).toString(16)}`;
}
