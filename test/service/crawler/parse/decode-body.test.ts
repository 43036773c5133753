import { expect, test } from 'vitest';
import { decodeBody } from '../../../../src/service/crawler/parse/decode-body.ts';
import { parsed } from '../../../support/fetched-page.ts';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test('a byte order mark outweighs the header, and the header a meta element', () => {
  const withMark = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('<p>é')]);
  expect(decodeBody(withMark, 'iso-8859-1')).toBe('<p>é');
  expect(decodeBody(latin1('<meta charset=utf-8><p>é'), 'iso-8859-1')).toBe('<meta charset=utf-8><p>é');
});

test.each([
  ['windows-1251', '<meta charset="windows-1251"><title>Привет', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]],
  [
    'a meta http-equiv',
    '<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><title>Привет',
    [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4],
  ],
])('a meta element names the encoding: %s', (_, html, bytes) => {
  const body = Buffer.concat([Buffer.from(html.replace('Привет', '')), Buffer.from(bytes)]);
  expect(decodeBody(body, null)).toBe(html);
});

test('UTF-16 is read by its byte order mark', () => {
  const body = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<p>ž日', 'utf16le')]);
  expect(decodeBody(body, null)).toBe('<p>ž日');
});

test('multi-byte encodings are decoded', () => {
  expect(decodeBody(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis')).toBe('日本');
  expect(decodeBody(Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), 'gb2312')).toBe('中文');
});

test('without a declaration, valid UTF-8 is UTF-8 and anything else windows-1252', () => {
  expect(decodeBody(Buffer.from('<p>naïve – 日本'), null)).toBe('<p>naïve – 日本');
  expect(decodeBody(latin1('<p>na\xefve \x96'), null)).toBe('<p>naïve –');
});

test('a wrong declaration holds, as in browsers: what it does not have becomes U+FFFD', () => {
  expect(decodeBody(latin1('<p>caf\xe9'), 'utf-8')).toBe('<p>caf\ufffd');
});

test('an encoding that does not exist is no declaration', () => {
  expect(decodeBody(Buffer.from('<p>é'), 'utf-99')).toBe('<p>é');
});

test('a page in another encoding has its title', () => {
  const { page } = parsed(latin1('<title>Caf\xe9</title>'), {
    headers: [['content-type', 'text/html;charset=ISO-8859-1']],
  });
  expect(page.title).toBe('Café');
  expect(page.title_length).toBe(4);
});
