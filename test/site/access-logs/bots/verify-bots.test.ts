import { expect, test } from 'vitest';
import { type BotCheck, BotList } from '../../../../src/site/access-logs/bots/bot-list.ts';
import {
  type BotVerification,
  DnsCheck,
  type DnsResolver,
} from '../../../../src/site/access-logs/bots/dns-check.ts';
import { verifyBots } from '../../../../src/site/access-logs/bots/verify-bots.ts';
import { bot } from './bots.ts';

const dnsOf = (crawler: string, value: string): BotCheck => ({
  crawler,
  check_method: 'dns',
  check_value: value,
});
const list = new BotList({
  bots: [],
  checks: [
    dnsOf('Googlebot', 'googlebot.com'),
    dnsOf('Baiduspider', 'baidu.com'),
    dnsOf('Baiduspider', 'baidu.jp'),
  ],
  ranges: [
    { range_list: 'Googlebot', prefix: '66.249.64.0/27', source: null, published: null, copied_from: null },
    {
      range_list: 'Googlebot',
      prefix: '2001:4860:4801:10::/64',
      source: null,
      published: null,
      copied_from: null,
    },
    { range_list: 'GPTBot', prefix: '10.0.0.0/28', source: null, published: null, copied_from: null },
  ],
});

const none = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));

/** A resolver that knows some names; of others it says that there are none. */
class NamesResolver implements DnsResolver {
  readonly asked: string[] = [];
  running = 0;
  mostRunning = 0;
  readonly #names: Readonly<Record<string, readonly string[] | string>>;

  /** @param names by address and by name; a text is the code of an error, `never` no answer at all */
  constructor(names: Readonly<Record<string, readonly string[] | string>>) {
    this.#names = names;
  }

  reverse = (address: string): Promise<readonly string[]> => this.#answer(address);
  resolve4 = (name: string): Promise<readonly string[]> => this.#answer(`${name} A`);
  resolve6 = (name: string): Promise<readonly string[]> => this.#answer(`${name} AAAA`);

  async #answer(question: string): Promise<readonly string[]> {
    this.asked.push(question);
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      await Promise.resolve();
      const known = this.#names[question];
      if (known === 'never') return await new Promise(() => undefined);
      return typeof known === 'object' ? known : await none(known ?? 'ENOTFOUND');
    } finally {
      this.running--;
    }
  }
}

async function verify(
  crawler: string,
  address: string,
  dns?: DnsCheck,
): Promise<BotVerification | undefined> {
  const { signal } = new AbortController();
  const [verification] = await verifyBots([{ bot: bot(crawler), address }], { list, dns, signal });
  return verification;
}

test.each<[crawler: string, address: string, expected: BotVerification]>([
  ['Googlebot', '66.249.64.1', 'verified'],
  ['Googlebot', '::ffff:66.249.64.1', 'verified'],
  ['Googlebot', '2001:4860:4801:10:0:0:0:1', 'verified'],
  ['Googlebot', '66.249.64.32', 'refuted'],
  ['Googlebot', '2001:4860:4801:11::1', 'refuted'],
  ['Googlebot', '203.0.113.9', 'refuted'],
  // No visitor's: a proxy's, or one's own.
  ['Googlebot', '127.0.0.1', 'unchecked'],
  ['Googlebot', '10.1.2.3', 'unchecked'],
  ['Googlebot', '::ffff:192.168.0.1', 'unchecked'],
  ['Googlebot', 'fe80::1', 'unchecked'],
  // No address.
  ['Googlebot', '-', 'unchecked'],
  ['Googlebot', '', 'unchecked'],
  ['Googlebot', 'unix:', 'unchecked'],
  ['Googlebot', 'crawl-66-249-64-1.googlebot.com', 'unchecked'],
  ['Googlebot', '66.249.64.1.5', 'unchecked'],
  // A range that a project gives counts, whatever kind it is of.
  ['GPTBot', '10.0.0.7', 'verified'],
  // Its operator publishes no ranges.
  ['Baiduspider', '203.0.113.9', 'unchecked'],
])('by ranges, %s from %s is %s', async (crawler, address, expected) => {
  expect(await verify(crawler, address)).toBe(expected);
});

const REAL = 'crawl-1.googlebot.com';

test.each<
  [name: string, answers: Readonly<Record<string, readonly string[] | string>>, expected: BotVerification]
>([
  ['a name that has the address', { '8.8.8.8': [REAL], [`${REAL} A`]: ['8.8.8.8'] }, 'verified'],
  [
    'a name in capitals with a dot',
    { '8.8.8.8': ['Crawl-1.GoogleBot.com.'], [`${REAL} A`]: ['8.8.8.8'] },
    'verified',
  ],
  ['the second name', { '8.8.8.8': ['a.example', REAL], [`${REAL} A`]: ['1.1.1.1', '8.8.8.8'] }, 'verified'],
  ['a name that lies', { '8.8.8.8': [REAL], [`${REAL} A`]: ['66.249.64.1'] }, 'refuted'],
  ['a name that does not exist', { '8.8.8.8': [REAL] }, 'refuted'],
  [
    'a suffix inside a word',
    { '8.8.8.8': ['evilgooglebot.com'], 'evilgooglebot.com A': ['8.8.8.8'] },
    'refuted',
  ],
  ['a suffix in front', { '8.8.8.8': ['googlebot.com.evil.example'] }, 'refuted'],
  ['no name', {}, 'refuted'],
  ['a name without a record', { '8.8.8.8': 'ENODATA' }, 'refuted'],
])('by DNS, %s decides', async (_name, answers, expected) => {
  expect(await verify('Googlebot', '8.8.8.8', new DnsCheck(new NamesResolver(answers)))).toBe(expected);
  const ofBaidu = Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [
      key.replace('googlebot.com', 'baidu.jp'),
      typeof value === 'string' ? value : value.map((name) => name.replace(/googlebot\.com/i, 'baidu.jp')),
    ]),
  );
  expect(await verify('Baiduspider', '8.8.8.8', new DnsCheck(new NamesResolver(ofBaidu)))).toBe(expected);
});

test.each(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ECONNREFUSED', 'ECANCELLED', 'never'])(
  'an unanswered DNS query (%s) refutes nothing; the ranges decide',
  async (code) => {
    const silent = [
      { '8.8.8.8': code },
      { '8.8.8.8': ['a.baidu.com', REAL], 'a.baidu.com A': code, [`${REAL} A`]: code },
    ];
    for (const answers of silent) {
      const dns = new DnsCheck(new NamesResolver(answers), { timeoutMs: 5 });
      expect(await verify('Baiduspider', '8.8.8.8', dns)).toBe('unchecked');
      expect(await verify('Googlebot', '8.8.8.8', dns)).toBe('refuted');
    }
  },
);

test('the host name of an address is verified by DNS if the log has no address', async () => {
  const dns = new DnsCheck(new NamesResolver({ 'crawl-66-249-66-1.googlebot.com A': ['66.249.66.1'] }));
  expect(await verify('Googlebot', 'crawl-66-249-66-1.googlebot.com', dns)).toBe('verified');
  expect(await verify('Googlebot', 'crawl-66-249-66-2.googlebot.com', dns)).toBe('refuted');
  expect(await verify('Googlebot', 'crawl-66-249-66-1.googlebot.com.evil.example', dns)).toBe('refuted');
  expect(await verify('Googlebot', 'anon-66-249-66-1.ip6.invalid', dns)).toBe('unchecked');
  expect(await verify('Googlebot', 'crawl-66-249-66-1.googlebot.com')).toBe('unchecked');
});

test('DNS is not queried for verified addresses, crawlers without suffixes, and missing addresses', async () => {
  const resolver = new NamesResolver({});
  const dns = new DnsCheck(resolver);
  expect(await verify('Googlebot', '66.249.64.1', dns)).toBe('verified');
  expect(await verify('GPTBot', '8.8.8.8', dns)).toBe('refuted');
  expect(await verify('Baiduspider', 'unix:', dns)).toBe('unchecked');
  expect(await verify('Baiduspider', '192.168.0.1', dns)).toBe('unchecked');
  expect(resolver.asked).toEqual([]);
});

test('IPv6 addresses query their own record, IPv4-mapped ones the IPv4 record', async () => {
  const six = new NamesResolver({
    '2001:db8::1': ['a.baidu.com'],
    'a.baidu.com AAAA': ['2001:0db8:0::0001'],
  });
  expect(await verify('Baiduspider', '2001:db8::1', new DnsCheck(six))).toBe('verified');
  const four = new NamesResolver({ '8.8.8.8': ['a.baidu.com'], 'a.baidu.com A': ['8.8.8.8'] });
  expect(await verify('Baiduspider', '::ffff:808:808', new DnsCheck(four))).toBe('verified');
});

test('each DNS query is sent once, and few at a time', async () => {
  const resolver = new NamesResolver({});
  const dns = new DnsCheck(resolver, { atOnce: 3 });
  const pairs = Array.from({ length: 60 }, (_, index) => ({
    bot: bot('Baiduspider'),
    address: `8.8.8.${index % 20}`,
  }));
  const { signal } = new AbortController();
  const verifications = await verifyBots(pairs, { list, dns, signal });
  expect(new Set(verifications)).toEqual(new Set(['refuted']));
  expect(resolver.asked.length).toBe(20);
  expect(resolver.mostRunning).toBe(3);
});

test('results beyond the cache are queried again', async () => {
  const resolver = new NamesResolver({});
  const dns = new DnsCheck(resolver, { remembered: 2 });
  for (const last of [1, 2, 3, 1, 3]) await verify('Baiduspider', `8.8.8.${last}`, dns);
  expect(resolver.asked).toEqual(['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.1']);
});

test('an abort ends the queries, and a later lookup starts again', async () => {
  const names: Record<string, readonly string[] | string> = { '8.8.8.8': 'never' };
  const dns = new DnsCheck(new NamesResolver(names));
  const abort = new AbortController();
  const asked = verifyBots([{ bot: bot('Baiduspider'), address: '8.8.8.8' }], {
    list,
    dns,
    signal: abort.signal,
  });
  abort.abort(new Error('stop'));
  await expect(asked).rejects.toThrow('stop');
  names['8.8.8.8'] = ['a.baidu.com'];
  names['a.baidu.com A'] = ['8.8.8.8'];
  expect(await verify('Baiduspider', '8.8.8.8', dns)).toBe('verified');
});
