import { expect, test } from 'vitest';
import { readCrawlSettings } from '../../../src/site/crawler/crawl-settings.ts';
import { robotNameOf } from '../../../src/site/crawler/robot-name.ts';

test.each([
  ['crawlhouse', 'crawlhouse'],
  ['My-Bot/2.1 (+info)', 'my-bot'],
  ['MJ12bot/v1.4.8', 'mj12bot'],
  ['360Spider', '360spider'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'googlebot'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    'bingbot',
  ],
  [
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'googlebot',
  ],
  ['Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)', 'slurp'],
  ['Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)', 'petalbot'],
  ['Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)', 'mj12bot'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
    'applebot',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36',
    'storebot-google',
  ],
  [
    'Mozilla/5.0 (compatible) SemanticScholarBot (+https://www.semanticscholar.org/crawler)',
    'semanticscholarbot',
  ],
  ['Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)', 'mozilla'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'mozilla',
  ],
])('for the user agent %s, robots.txt rules of %s apply', (agent, name) => {
  expect(robotNameOf(agent)).toBe(name);
});

test('a complete User-Agent is sent unchanged', () => {
  const agent = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const config = { name: 'x', start_url: 'https://site.example/', max_speed: 1 };
  const settings = readCrawlSettings({ ...config, user_agent: agent });
  expect(settings).toMatchObject({ robotName: 'googlebot', headers: { 'user-agent': agent } });
  expect(readCrawlSettings({ ...config, user_agent: 'crawlhouse' }).headers['user-agent']).toBe(
    'Mozilla/5.0 (compatible; crawlhouse)',
  );
});
