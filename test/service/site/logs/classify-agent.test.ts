import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BotList } from '../../../../src/service/site/logs/bots/bot-list.ts';
import { classifyAgent, isProgram } from '../../../../src/service/site/logs/classify-agent.ts';

/** A list that stands beside the module of a package. */
function listBeside<T>(module: string, name: string): T {
  return JSON.parse(readFileSync(fileURLToPath(new URL(name, module)), 'utf8')) as T;
}

test('of known agents of programs and of people, ninety-nine in a hundred are told apart', () => {
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
])('a person has the agent %s', (agent) => {
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
])('a program has the agent %s', ([agent = '', name]) => {
  const { is_bot, bot } = classifyAgent(agent, new BotList({ bots: [], checks: [], ranges: [] }));
  expect([is_bot, bot]).toEqual([true, name]);
});
