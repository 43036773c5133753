import { expect, test } from 'vitest';
import { plausibleTime } from '../../../src/core/time/plausible-days.ts';
import type { Bot } from '../../../src/site/access-logs/bots/bot-list.ts';
import { EventRows } from '../../../src/site/access-logs/event-rows.ts';
import { formatOfName } from '../../../src/site/access-logs/formats/known-formats.ts';
import type { LogFormat } from '../../../src/site/access-logs/log-line.ts';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { PlainLines } from '../../../src/site/access-logs/plain-lines.ts';
import { readAccessLog } from '../../../src/site/access-logs/read-access-log.ts';
import { ownHosts } from '../../../src/site/access-logs/request-parts.ts';
import { putNumber } from '../../../src/site/access-logs/row-bytes.ts';
import { lineMarks, TextDigest } from '../../../src/site/access-logs/text-digest.ts';
import { roundSeed, seededRandom } from '../../support/random.ts';

const ORIGIN = 'https://www.example.com';
const LINES = 3000;
const BOT: Bot = {
  token: 'Googlebot',
  crawler: 'Googlebot',
  bot_class: 'search',
  engine: 'google',
  purpose: 'pages',
  reference: null,
  found_in: null,
  read_on: null,
};
/** What a stranger may write into a line, and what servers make of it. */
const HOSTILE = [
  '"',
  '\\',
  '\\"',
  '\\x22',
  '\t',
  '\r',
  '\0',
  '\x7f',
  '\xff',
  '\xc3\xa9',
  ' ',
  '  ',
  '',
  '-',
  '"-"',
  "'",

  '/',
  '//',
  '/./',
  '/../',
  '/.',
  '%2e',
  '%2E/',
  '%zz',
  '%41',
  '%',
  '?',
  '#',
  '&',
  ';',
  ',',
  ':',
  '[',
  ']',
  '{',
  '}',
  '^',
  '`',
  '|',
  '<',
  '>',
  '~',
  '@',
  '*',
  '$',
  '=',
  '+',
  '1',
  '99999999999999999999',
  'A',
  '_',
  'http://www.example.com/',
  'https://other.example/',
  '] "',
  '" ',
  ' "',
  ' HTTP/1.1',
  'HTTP/',
  '- - [',
];
const POOLS = {
  address: [
    '203.0.113.7',
    '66.249.66.1',
    '2001:db8::1',
    '::ffff:10.0.0.5',
    '-',
    'host.example',
    'a-b.example',
    '1.2.3.4, 5.6.7.8',
    '1.2.3.4:80',
    'fe80::1%a:b',
  ],
  user: ['-', '-', '-', 'frank', 'a b', '"x"', ''],
  time: [
    '10/Oct/2026:13:55:36 +0000',
    '10/Oct/2026:13:55:59 +0000',
    '10/Oct/2026:13:55:60 +0000',
    '10/Oct/2026:13:55:36 -0730',

    '10/Oct/2026:13:56:00 +0000',
    '10/Oct/2026:13:56',
    '10/Oct/2026:13:56:00',
    '10/Oct/2026:13:55:36.12345',
    '10/Oct/2026:13:55:36.12345 +0000',
    '31/Feb/2026:00:00:00 +0000',

    '10/oct/2026:13:55:36 +0000',
    '10/Oct/2026:13:55:3x +0000',
    '10/Oct/2026:13:55 36 +0000',
    '01/Jan/1969:00:00:00 +0000',
    '-',
  ],
  method: [
    'GET',
    'POST',
    'HEAD',
    'M-SEARCH',
    'get',
    'G',
    'ABCDEFGHIJKLMNOPQRST',
    'ABCDEFGHIJKLMNOPQRSTU',
    '-',
    '',
  ],
  path: [
    '/',
    '/a',
    '/a/b.html?c=d',
    '/a?b#c',
    '/?',
    '//a',
    '/a//b',
    '/.well-known/x',
    '/a/../b',
    '/a/.',
    '/%7Ea',
    '/%c3%a9',
    '*',
    'http://www.example.com/a',
    'https://other.example/',
    '/a b',
    '/{x}',
    '/\xc3\xa9',
    '/a/%2e%2e/b',
    "/it's",
  ],
  version: [' HTTP/1.1', ' HTTP/2.0', ' HTTP/1.0', '', ' HTTP/', ' http/1.1', ' HTTP/1.1 '],
  status: ['200', '404', '301', '000', '099', '0', '-', '99', '1000', '-1', '20x'],
  bytes: ['0', '12', '00012', '-', '123456789012345678', '1234567890123456789', '1.5', '-5', ''],
  referer: [
    '-',
    '',
    'https://www.example.com/a',
    'https://www.google.com/',
    'https://www.google.com/search?q=a#b',
    'HTTPS://WWW.GOOGLE.COM',
    'https://www.google.company/',
    'android-app://com.google.android.googlequicksearchbox/',
    'https://a@www.google.com/',
    'http://www.example.com/',
    'https://www.example.com',
    '_',
    '%41',
    'a^b',
    'a}b',
    '/relative?x',
  ],
  agent: [
    '-',
    '',
    'Mozilla/5.0 (X11; Linux x86_64)',
    'Mozilla/5.0 (compatible; Googlebot/2.1)',
    'a',
    'ab',
    'abc\xe9',
    'curl/8.0\t',
    'x" "y',
    'x\\"y',
    'x\\',
    '_',
  ],
  more: ['', '', '', '', ' "-"', ' 0.001', ' x"', '"', ' '],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface Rules {
  readonly name: 'combined' | 'common';
  readonly queryStrings: 'keep' | 'drop' | readonly string[];
  readonly isForwarded: boolean;
  readonly hasClients: boolean;
}

/** Lines that are usual in most of their parts. */
function linesOf(name: Rules['name'], random: () => number): string {
  const any = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const one = (pool: keyof typeof POOLS): string =>
    random() < 0.9 ? POOLS[pool][0] : any<string>(POOLS[pool]);
  const usual = (pool: keyof typeof POOLS): string =>
    random() < 0.5 ? POOLS[pool][0] : any<string>(POOLS[pool]);
  let text = '';
  for (let count = 0; count < LINES; count++) {
    const request = `${one('method')} ${usual('path')}${one('version')}`;
    let line = `${one('address')} - ${one('user')} [${one('time')}] "${request}" ${one('status')} ${one('bytes')}`;
    if (name === 'combined') line += ` "${usual('referer')}" "${usual('agent')}"`;
    line += one('more');
    for (let changes = random() < 0.3 ? 1 + Math.floor(random() * 3) : 0; changes > 0; changes--) {
      const at = Math.floor(random() * line.length);
      line = line.slice(0, at) + any(HOSTILE) + line.slice(at + Math.floor(random() * 3));
    }
    text += line + (random() < 0.1 ? '\r\n' : '\n');
  }
  return text + (random() < 0.5 ? '203.0.113.7 - - [10/Oct/2026' : '');
}

const PLAUSIBLE = plausibleTime(Date.UTC(2026, 10, 28));

/** All that is made of a log, which comes in pieces of a size. */
async function read(log: string, rules: Rules, isShort: boolean, size: number) {
  const time = new LogTime('Europe/Paris');
  const { plain, ...careful } = formatOfName(rules.name, time);
  expect(plain).toBeDefined();
  const format: LogFormat = isShort && plain !== undefined ? { ...careful, plain } : careful;
  const agents: string[] = [];
  const origins: string[] = [];
  const rows = new EventRows({
    origin: ORIGIN,
    isOwnHost: ownHosts(ORIGIN, []),
    plausible: PLAUSIBLE,
    ...rules,
    agentOf: (told) => {
      const agent = told ?? 'unknown';
      if (!agents.includes(agent)) agents.push(agent);
      const known = agent.includes('Googlebot') ? BOT : null;
      const isBot = told === null ? null : known !== null || agent === '';
      return { id: agents.indexOf(agent), isBot, known };
    },
    originOf: (origin) => origins.push(origin) - 1,
    clientOf: rules.hasClients
      ? (address, second) => `${address}/${second % 7}`.replace(/[^\w./:]/g, '')
      : null,
  });
  const rejects: string[] = [];
  const taken: unknown[] = [];
  const bytes = Buffer.from(log, 'latin1');
  const tally = await readAccessLog(
    (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
    {
      format,
      rows,
      isFinal: log.length % 2 === 0,
      digest: TextDigest.keyed('k'),
      from: 41,
      markOf: lineMarks('k'),
      onReject: ({ line, reason }) => rejects.push(`${line} ${reason}`),
      onRows: async () => {
        const { rows: text, ...more } = rows.take();
        taken.push({ ...more, rows: text.toString('latin1').split('\n') });
      },
    },
    new AbortController().signal,
  );
  const { first, last, days, assumedHost, otherHosts } = rows;
  const { assumedZone } = time;
  return { tally, taken, rejects, agents, origins, first, last, days, assumedHost, assumedZone, otherHosts };
}

const ALL: readonly Rules[] = (['combined', 'common'] as const).flatMap((name) =>
  (['keep', 'drop', ['c']] as const).flatMap((queryStrings) =>
    [false, true].map((isOdd) => ({ name, queryStrings, isForwarded: isOdd, hasClients: isOdd })),
  ),
);

test.for(ALL)('the fast reader gives the same rows as the general reader: %o', async (rules) => {
  const random = seededRandom(roundSeed() + ALL.indexOf(rules));
  const log = linesOf(rules.name, random);
  for (const size of [1 << 20, 1 + Math.floor(random() * 4000)]) {
    expect(await read(log, rules, true, size)).toEqual(await read(log, rules, false, size));
  }
});

test('most lines of a usual log use the fast reader', () => {
  const line =
    '203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] "GET /a/b.html?c=d HTTP/1.1" 200 12 "https://www.example.com/?a#b" "Mozilla/5.0 (X11; Linux x86_64)"\n';
  const rows = new EventRows({
    origin: ORIGIN,
    isOwnHost: () => true,
    queryStrings: 'keep',
    isForwarded: false,
    clientOf: null,
    agentOf: () => ({ id: 1, isBot: false, known: null }),
    originOf: () => 1,
    plausible: PLAUSIBLE,
  });
  const plain = new PlainLines(rows, { hasAgent: true, time: new LogTime('UTC') }, () => 12_345_678_901);
  const bytes = Buffer.from(line, 'latin1');
  plain.begin(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  expect(plain.read(0, bytes.length - 1, 7)).toBe(true);
  expect(rows.take().rows.toString('latin1')).toBe(
    '0\t7\t1791640536\tGET\t/a/b.html?c=d\t200\t12\thttps://www.example.com/?a#b\t1\t0\t1\t\\N\t12345678901\n',
  );
});

test('numbers are written with all digits', () => {
  const random = seededRandom(roundSeed());
  const values = [0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 4_294_967_295, Number.MAX_SAFE_INTEGER];
  for (let count = 0; count < 500; count++) values.push(Math.floor(2 ** (random() * 53)));
  const out = Buffer.alloc(20);
  for (const value of values) expect(out.toString('latin1', 0, putNumber(out, 0, value))).toBe(String(value));
});
