import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BotList } from '../../../src/site/access-logs/bots/bot-list.ts';
import { classifyAgent, isProgram } from '../../../src/site/access-logs/classify-agent.ts';

/** A list that stands beside the module of a package. */
function listBeside<T>(module: string, name: string): T {
  return JSON.parse(readFileSync(fileURLToPath(new URL(name, module)), 'utf8')) as T;
}

test('ninety-nine of a hundred known agents are correctly classified as programs or people', () => {
  const crawlers = listBeside<{ instances: string[] }[]>(
    import.meta.resolve('crawler-user-agents'),
    'crawler-user-agents.json',
  );
  const people = listBeside<{ userAgent: string }[]>(import.meta.resolve('user-agents'), 'user-agents.json');
  for (const [kind, agents, isRight] of [
    ['programs', crawlers.flatMap(({ instances }) => instances), isProgram],
    ['people', people.map(({ userAgent }) => userAgent), (one: string) => !isProgram(one)],
  ] as const) {
    const all = [...new Set(agents)];
    const right = all.filter(isRight).length;
    process.stdout.write(`${kind}: ${right} of ${all.length} agents are right\n`);
    expect(all.length).toBeGreaterThan(900);
    expect(right / all.length).toBeGreaterThanOrEqual(0.99);
  }
});

const phone = (model: string): string =>
  `Mozilla/5.0 (Linux; Android 9; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36`;

test.for([
  ...['CUBOT', 'CUBOT_X19 Build/PPR1', 'M BOT 60', 'XBot Junior', 'Ruby Pro', 'Discovery DG500', 'K; wv'].map(
    phone,
  ),
  'Mozilla/5.0 (X11; Linux) Chrome/131.0',
])('the agent %s belongs to a person', (agent) => {
  expect(isProgram(agent)).toBe(false);
});

test.for([
  ['Mozilla/5.0 zgrab/0.x', 'zgrab'],
  ['GuzzleHttp/7', 'GuzzleHttp'],
  ['Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)', 'CensysInspect'],
  [
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'GoogleImageProxy',
  ],
  ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html', 'YahooMailProxy'],
  ['curl/8.1', 'curl'],
  ['', '(no user agent)'],
  [`${phone('K')} (compatible; ExampleBot/1.0)`, 'ExampleBot'],
])('the agent %s belongs to a program', ([agent = '', name]) => {
  const { is_bot, bot } = classifyAgent(agent, new BotList({ bots: [], checks: [], ranges: [] }));
  expect([is_bot, bot]).toEqual([true, name]);
});

const SAFARI = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
test.for([
  ['Mozilla/5.0 (compatible; proximic; +https://www.comscore.com/Web-Crawler)', 'proximic'],
  ['Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)', 'Yahoo! Slurp'],
  [`Mozilla/5.0 ${SAFARI} (compatible; Barkrowler/0.9; +https://babbar.tech/crawler)`, 'Barkrowler'],
  [
    'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
    'archive.org_bot',
  ],
  ['Mozilla/5.0 (compatible; MSIE 7.0; Windows NT 5.1; SomeChecker/2)', 'SomeChecker'],
  [
    `Mozilla/5.0 (Linux; Android 6.0.1) ${SAFARI} ExampleSpider/1.0 (+https://spider.example/bot)`,
    'ExampleSpider',
  ],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'facebookexternalhit'],
  ['Some Link Checker v2.1 (https://checker.example/)', 'Some Link Checker'],
  [`Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0 Safari/537.36`, 'HeadlessChrome'],
  ['Mozilla/5.0 (Macintosh) Safari/605 (Applebot/0.1; +http://www.apple.com/go/applebot)', 'Applebot'],
  ['Mozilla/5.0 (https://bot.example/crawler)', '(no name)'],
  ['Mozilla/5.0', '(no name)'],
  ['https://monitor.example/bot', '(no name)'],
  ['python-requests/2.31.0', 'python-requests'],
] as const)('%s is named %s', ([agent, name]) => {
  const { is_bot, bot } = classifyAgent(agent, new BotList({ bots: [], checks: [], ranges: [] }));
  expect([is_bot, bot]).toEqual([true, name]);
});

test('no program of a public list is named Mozilla, or by a word of its URL', () => {
  const crawlers = listBeside<{ instances: string[] }[]>(
    import.meta.resolve('crawler-user-agents'),
    'crawler-user-agents.json',
  );
  const list = new BotList({ bots: [], checks: [], ranges: [] });
  const wrong = crawlers
    .flatMap(({ instances }) => instances)
    .map((agent) => ({ agent, bot: classifyAgent(agent, list).bot }))
    .filter(({ bot }) => bot !== null && /^mozilla|https?:|^www\.|[()]$(?<!\(no name\))/i.test(bot));
  expect(wrong).toEqual([]);
});

test.for([
  `Mozilla/5.0 (Linux; Android 12; Chromecast Build/STTE.230319.008; wv) ${SAFARI} GoogleTV`,
  'Mozilla/5.0 (Linux; GoogleTV 3.2; NSZ-GS7/GX70 Build/MASTER) AppleWebKit/534.24 (KHTML, like Gecko) Chrome/11.0 Safari/534.24',
  `Mozilla/5.0 (Linux; Android 12; Google TV Build/X) ${SAFARI}`,
  `Mozilla/5.0 (Linux; Android 10; Pixel) ${SAFARI} MicroMessenger/7.0.1 MiniProgramEnv/android https://servicewechat.com/`,
])('the agent %s belongs to a person on a television or in WeChat', (agent) => {
  expect(isProgram(agent)).toBe(false);
});
