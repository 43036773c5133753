import { expect, test } from 'vitest';
import type { UrlStory } from '../../../src/answers/explore/url/read-url.ts';
import { drawUrl } from '../../../src/people/console/pages/draw-url.ts';
import { drawUrlTraffic } from '../../../src/people/console/pages/draw-url-traffic.ts';

const drawn = (url: string, project_id = 'p1'): string => {
  const crawl = { crawl_id: 'c1', project_id, project: 'Shop', crawl_number: 1, ended_at: null };
  return drawUrl({ url, crawl, is_known: false, near: [] } as unknown as UrlStory).text;
};

test('a URL leads to the web where it is of the web, and else nowhere', () => {
  expect(drawn('HTTPS://shop.example/a?b="#%25')).toContain('href="HTTPS://shop.example/a?b=&quot;#%25"');
  for (const url of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '//evil.example'])
    expect(drawn(url)).not.toContain(`href="${url}`);
});

test('the command of a page is of its crawl', () => {
  expect(drawn('https://shop.example/')).toContain(' https://shop.example/ --project p1 --crawl c1</code>');
  expect(drawn("https://shop.example/it's?a b", 'p 1; rm')).toContain(
    'url &#39;https://shop.example/it&#39;\\&#39;&#39;s?a b&#39; --project &#39;p 1; rm&#39; --crawl c1</code>',
  );
});

test('a day without log files has no figure, and says so', () => {
  const day = { hits: 2, search_bot_hits: 2, ai_bot_hits: null, visits: 0, has_logs: true };
  const days = [
    { ...day, day: '2026-03-08' },
    {
      day: '2026-03-09',
      hits: null,
      search_bot_hits: null,
      ai_bot_hits: null,
      visits: null,
      has_logs: false,
    },
    { ...day, day: '2026-03-10' },
  ];
  const hits = { from: '2026-03-08', to: '2026-03-10', days, bots: [] };
  const { text } = drawUrlTraffic({
    url: 'https://shop.example/',
    hits,
    demand: null,
    empty: {},
  } as unknown as UrlStory);
  expect(text).toContain('2 days with log files, 1 without.');
  expect(text).toMatch(/2026-03-09<\/th><td class="number" data-name="all">no logs<\/td><td[^>]*>–</);
});
