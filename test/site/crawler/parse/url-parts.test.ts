import { expect, test } from 'vitest';
import { urlParts } from '../../../../src/site/crawler/parse/parse-page.ts';

test.each([
  ['https://a.example/', '/', '/', null, null, null],
  ['https://a.example/page', '/page', '/', null, null, null],
  ['https://a.example/shop/Shoes.HTML', '/shop/Shoes.HTML', '/shop/', 'html', null, null],
  ['https://a.example/a/b/c.tar.gz?x=1&y', '/a/b/c.tar.gz', '/a/', 'gz', 'x&y', 'x=1&y'],
  ['https://a.example/v1.2/', '/v1.2/', '/v1.2/', null, null, null],
  ['https://a.example/?', '/', '/', null, null, null],
  ['https://a.example//x', '//x', '//', null, null, null],
])('%s', (url, urlpath, firstPath, ext, key, keyvalue) => {
  expect(urlParts(url)).toEqual({
    url,
    url_host: 'a.example',
    urlpath,
    url_first_path: firstPath,
    url_ext: ext,
    url_has_params: keyvalue !== null,
    querystring_key: key,
    querystring_keyvalue: keyvalue,
  });
});

test('a port is part of the host, credentials are not', () => {
  expect(urlParts('http://user:pass@a.example:8080/x').url_host).toBe('a.example:8080');
});
