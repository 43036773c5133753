import { expect, test } from 'vitest';
import { parsed } from '../../../support/fetched-page.ts';

const imagesOf = (html: string) => parsed(html).page.images;

test('images keep their addresses and attributes as written', () => {
  const html = `<base href="/pictures/"><img src="a.png#x" alt=" A lamp " width="100%" height=20 loading=LAZY>
    <img src="https://cdn.example/b.png?size=2" alt=""><picture><source srcset="c.avif"><img src=c.png></picture>`;
  expect(imagesOf(html)).toEqual([
    {
      url: 'https://site.example/pictures/a.png',
      alt: ' A lamp ',
      width: '100%',
      height: '20',
      loading: 'lazy',
      size: null,
    },
    {
      url: 'https://cdn.example/b.png?size=2',
      alt: '',
      width: null,
      height: null,
      loading: null,
      size: null,
    },
    {
      url: 'https://site.example/pictures/c.png',
      alt: null,
      width: null,
      height: null,
      loading: null,
      size: null,
    },
  ]);
});

test.each(['', ' ', 'data:image/png;base64,AAAA', 'blob:x', 'http://', `/${'a'.repeat(2_000)}`])(
  'an image of the address %j has no URL',
  (src) => {
    expect(imagesOf(`<img src="${src}">`)).toMatchObject([{ url: null }]);
  },
);

test('a page without images lists none, a non-HTML page has no value, and only the first 200 are kept', () => {
  expect(imagesOf('<p>x')).toEqual([]);
  expect(parsed('x', { headers: [['content-type', 'text/plain']] }).page.images).toBeNull();
  const { page } = parsed('<img src=/a.png alt=a>'.repeat(300));
  expect([page.images?.length, page.num_img]).toEqual([200, 300]);
});
