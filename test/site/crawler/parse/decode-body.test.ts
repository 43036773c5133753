import { expect, test } from 'vitest';
import { decodeBody, withQueryOf } from '../../../../src/site/crawler/parse/decode-body.ts';
import { parsed } from '../../../support/fetched-page.ts';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test('a byte order mark overrides the header, and the header a meta element', () => {
  const withMark = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('<p>é')]);
  expect(decodeBody(withMark, 'iso-8859-1').text).toBe('<p>é');
  expect(decodeBody(latin1('<meta charset=utf-8><p>é'), 'iso-8859-1').text).toBe('<meta charset=utf-8><p>é');
});

test.each([
  ['windows-1251', '<meta charset="windows-1251"><title>Привет', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]],
  [
    'a meta http-equiv',
    '<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><title>Привет',
    [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4],
  ],
])('a meta element sets the encoding: %s', (_, html, bytes) => {
  const body = Buffer.concat([Buffer.from(html.replace('Привет', '')), Buffer.from(bytes)]);
  expect(decodeBody(body, null).text).toBe(html);
});

test('UTF-16 needs its byte order mark', () => {
  const body = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<p>ž日', 'utf16le')]);
  expect(decodeBody(body, null).text).toBe('<p>ž日');
});

test('multi-byte encodings are decoded', () => {
  expect(decodeBody(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis').text).toBe('日本');
  expect(decodeBody(Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), 'gb2312').text).toBe('中文');
});

test('Korean and Hong Kong pages follow the encoding standard, unlike Node 24', () => {
  // The first pair of the index, and one that only Windows has.
  expect(decodeBody(Buffer.from([0x81, 0x41, 0xc6, 0x52]), 'euc-kr').text).toBe('갂힣');
  expect(decodeBody(Buffer.from([0x87, 0x40, 0xfa, 0x40]), 'big5-hkscs').text).toBe('䏰𠕇');
  expect(decodeBody(latin1('<p>It\x92s \x80 5'), null).text).toBe('<p>It’s € 5');
});

test('without a declaration, valid UTF-8 is UTF-8 and anything else windows-1252', () => {
  expect(decodeBody(Buffer.from('<p>naïve – 日本'), null).text).toBe('<p>naïve – 日本');
  expect(decodeBody(latin1('<p>na\xefve \x96'), null).text).toBe('<p>naïve –');
});

test('a wrong declaration applies, as in browsers, and invalid bytes become U+FFFD', () => {
  expect(decodeBody(latin1('<p>caf\xe9'), 'utf-8').text).toBe('<p>caf\ufffd');
});

test('an unknown encoding is ignored', () => {
  expect(decodeBody(Buffer.from('<p>é'), 'utf-99').text).toBe('<p>é');
});

test('a page in another encoding has its title', () => {
  const { page } = parsed(latin1('<title>Caf\xe9</title>'), {
    headers: [['content-type', 'text/html;charset=ISO-8859-1']],
  });
  expect(page.title).toBe('Café');
  expect(page.title_length).toBe(4);
});

test.each([
  ['<script></script><meta charset=windows-1251><title>@', 'windows-1251', 'П'],
  [
    '<title>@</title><body><p><meta http-equiv=content-type content="x; charset = \'koi8-r\'">',
    'KOI8-R',
    'о',
  ],
  ['<title>@</title><body><meta charset=utf-16><meta charset=koi8-r>', 'UTF-8', '\ufffd'],
  ['<title>@</title><meta charset=none><meta charset=windows-1251>', 'windows-1251', 'П'],
  ['<script>"<meta charset=windows-1251>"</script><title>@', 'windows-1252', 'Ï'],
  ['<!-- <meta charset=windows-1251> --><title>@', 'windows-1252', 'Ï'],
  ['<title>@</title><meta content="text/html; charset=windows-1251">', 'windows-1252', 'Ï'],
])('a meta element after the first 1,024 bytes changes the encoding: %s', (html, encoding, title) => {
  const body = latin1(`<!--${' '.repeat(2_000)}-->${html.replace('@', '\xcf')}`);
  const { page } = parsed(body, { headers: [['content-type', 'text/html']] });
  expect(page).toMatchObject({ encoding, title });
  const { page: declared } = parsed(body, { headers: [['content-type', 'text/html; charset=koi8-r']] });
  expect(declared).toMatchObject({ encoding: 'KOI8-R', title: 'о' });
});

test.each([
  ['windows-1252', '/x?q=café#é', '/x?q=caf%E9#é'],
  ['windows-1252', '/é?q=日', '/é?q=%26%2326085%3B'],
  ['windows-1251', '?q=Привет&a=b', '?q=%CF%F0%E8%E2%E5%F2&a=b'],
  ['Shift_JIS', '?q=日本', '?q=%93%FA%96{'],
  ['gb18030', '?q=中', '?q=%D6%D0'],
  ['UTF-8', '?q=é', '?q=é'],
  ['UTF-16LE', '?q=é', '?q=é'],
  ['windows-1252', '/é#?é', '/é#?é'],
])('in a document in %s the address %s is %s', (encoding, href, written) => {
  expect(withQueryOf(encoding, href)).toBe(written);
});

test('a link has its query in the encoding of the page', () => {
  const { links } = parsed(latin1('<a href="/x?q=caf\xe9">x</a>'), {
    headers: [['content-type', 'text/html;charset=windows-1252']],
  });
  expect(links[0]?.target).toBe('https://site.example/x?q=caf%E9');
});
