import { expect, test } from 'vitest';
import type { UrlStory } from '../../../src/answers/explore/read-url.ts';
import { drawUrl } from '../../../src/people/console/pages/draw-url.ts';

const drawn = (url: string): string => {
  const crawl = { crawl_id: 'c1', project_id: 'p1', project: 'Shop', crawl_number: 1, ended_at: null };
  return drawUrl({ url, crawl, is_known: false, near: [] } as unknown as UrlStory).text;
};

test('a URL leads to the web where it is of the web, and else nowhere', () => {
  expect(drawn('HTTPS://shop.example/a?b="#%25')).toContain('href="HTTPS://shop.example/a?b=&quot;#%25"');
  for (const url of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '//evil.example'])
    expect(drawn(url)).not.toContain(`href="${url}`);
});

test('the command of a page is of its crawl', () => {
  expect(drawn('https://shop.example/')).toContain(" 'https://shop.example/' --project p1 --crawl c1</code>");
});
