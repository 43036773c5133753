import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBotList } from '../../../../src/app/cli/local/read-bot-list.ts';
import { loadSeed } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { prefixInterval } from '../../../../src/site/access-logs/bots/address-ranges.ts';
import { verifyBots } from '../../../../src/site/access-logs/bots/verify-bots.ts';

const projectDir = join(import.meta.dirname, '../../../..');
const folders = sqlFolders({ projectDir, shipped_models: 'all' });
const list = await readBotList({ projectDir });

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', '66.249.66.1', 'verified'],
  [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    '2001:4860:4801:10::1',
    'verified',
  ],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', '35.221.245.4', 'refuted'],
  ['Googlebot-Image/1.0', '66.249.79.200', 'verified'],
  ['AdsBot-Google (+http://www.google.com/adsbot.html)', '66.249.90.77', 'verified'],
  ['AdsBot-Google (+http://www.google.com/adsbot.html)', '66.249.66.1', 'refuted'],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', '157.55.39.1', 'verified'],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', '8.8.8.8', 'refuted'],
  ['Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', '132.196.86.1', 'verified'],
  [
    'Mozilla/5.0 (compatible; CCBot/2.0; +https://commoncrawl.org/ccbot)',
    '2600:1f28:365:80b0::1',
    'verified',
  ],
  // Yandex does not disclose its addresses.
  ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', '8.8.8.8', 'unchecked'],
  ['ELB-HealthChecker/2.0', '8.8.8.8', 'unchecked'],
])('the shipped ranges report that %s from %s is %s', async (userAgent, address, expected) => {
  const bot = list.recognise(userAgent);
  if (bot === undefined) throw new Error(`no bot: ${userAgent}`);
  const { signal } = new AbortController();
  expect(await verifyBots([{ bot, address }], { list, signal })).toEqual([expected]);
});

test('each shipped prefix is valid, with its source, its day and its copy', async () => {
  const ranges = await loadSeed(folders, 'bot_ranges');
  expect(ranges.length).toBeGreaterThan(800);
  expect(ranges.filter(({ prefix }) => prefixInterval(prefix ?? '') === null)).toEqual([]);
  const untold = ranges.filter(
    ({ source, published, copied_from }) =>
      !/^https:/.test(source ?? '') || !/^202\d-\d\d-\d\d$/.test(published ?? '') || !copied_from,
  );
  expect(untold).toEqual([]);
});

test('each shipped verification belongs to a known crawler, and names an existing list or a suffix', async () => {
  const checks = await loadSeed(folders, 'bot_checks');
  const lists = new Set((await loadSeed(folders, 'bot_ranges')).map(({ range_list }) => range_list));
  const crawlers = new Set(list.bots.map(({ crawler }) => crawler));
  expect(checks.filter(({ crawler }) => !crawlers.has(crawler ?? ''))).toEqual([]);
  const wrong = checks.filter(({ check_method, check_value }) =>
    check_method === 'ranges' ? !lists.has(check_value) : !/^([a-z0-9-]+\.)+[a-z]+$/.test(check_value ?? ''),
  );
  expect(wrong).toEqual([]);
});

test('each shipped bot is recognized next to the address of its page', () => {
  const others = list.bots.flatMap(({ token, reference, found_in }) => {
    if (found_in === 'robots_txt') return [];
    const found = list.recognise(`Mozilla/5.0 (compatible; ${token}/1.0; +${reference ?? ''})`)?.token;
    return found === token ? [] : [`${token}: ${found}`];
  });
  expect(others).toEqual([]);
});

test("no shipped token matches a browser's user agent", () => {
  const browsers = [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/450.0]',
  ];
  expect(browsers.filter((browser) => list.recognise(browser) !== undefined)).toEqual([]);
});

test.each([
  ['Mozilla/5.0 (compatible; Google-Agent; +https://a.example)', 'Google-Agent', 'ai', 'user request'],
  ['Mozilla/5.0 AppleWebKit/537.36; compatible; OAI-AdsBot/1.0', 'OAI-AdsBot', 'ads', 'landing pages'],
  ['Mozilla/5.0; compatible; OAI-SearchBot/1.3', 'OAI-SearchBot', 'ai', 'answers'],
  ['Mozilla/5.0; compatible; ChatGPT-User/1.0', 'ChatGPT-User', 'ai', 'user request'],
  ['meta-externalads/1.1', 'Meta-ExternalAds', 'ads', 'advertising'],
  ['meta-webindexer/1.1', 'Meta-WebIndexer', 'ai', 'answers'],
  ['Mozilla/5.0 (compatible; Amzn-User; +https://a.example)', 'Amzn-User', 'ai', 'user request'],
  ['Mozilla/5.0 (compatible; Bytespider)', 'Bytespider', 'ai', 'training'],
  ['Applebot-Extended', 'Applebot', 'search', 'pages'],
])('%s is %s', (userAgent, crawler, bot_class, purpose) => {
  expect(list.recognise(userAgent)).toMatchObject({ crawler, bot_class, purpose });
});

test('tokens of robots.txt are listed, and are in no user agent', () => {
  const tokens = list.bots.filter(({ found_in }) => found_in === 'robots_txt').map(({ token }) => token);
  expect(tokens).toEqual(['Google-Extended', 'Applebot-Extended']);
  expect(list.recognise('Mozilla/5.0 (compatible; Google-Extended/1.0)')).toBeUndefined();
});

test('each shipped AI bot has a purpose, and each row the day on which it was read, if any', () => {
  const purposes = new Set(list.bots.flatMap((bot) => (bot.bot_class === 'ai' ? [bot.purpose] : [])));
  expect([...purposes].sort()).toEqual(['answers', 'training', 'user request']);
  expect(list.bots.filter(({ read_on }) => !/^2026-\d\d-\d\d$/.test(read_on ?? '2026-01-01'))).toEqual([]);
});
