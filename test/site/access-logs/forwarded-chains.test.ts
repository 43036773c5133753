import { expect, test } from 'vitest';
import { AGENT, caddy, line, linesOf, TIME } from './lines-of.ts';

const PROXY = '10.0.0.9';
const BEHIND = (more: string): string => line(PROXY, ` ${more}`);

test.for([
  ['verified', 'for=66.249.66.1'],
  ['verified', 'For="66.249.66.1";proto=https;by=203.0.113.43'],
  ['verified', 'for=66.249.66.1, for="[::ffff:10.0.0.5]:4711"'],
  ['verified', 'for="[2001:4860:4801:10::1]:4711"'],
  ['refuted', 'for=66.249.66.1, for=45.9.9.9;by=10.0.0.1'],
  ['refuted', 'for="[2001:db8:1::1]"'],
  ['unchecked', 'for=66.249.66.1, for=unknown'],
  ['unchecked', 'for=66.249.66.1, for=_hidden'],
  ['unchecked', 'for="_gazonk"'],
] as const)('a Forwarded header of RFC 7239 identifies the client: %s, %s', async ([verdict, header]) => {
  const apache = header.replaceAll('"', '\\"');
  const nginx = header.replaceAll('"', '\\x22');
  const formats = [
    [`%h %t \\"%r\\" %>s \\"%{Forwarded}i\\" \\"%{User-Agent}i\\"`, apache],
    ['$remote_addr [$time_local] "$request" $status "$http_forwarded" "$http_user_agent"', nginx],
  ] as const;
  for (const [format, text] of formats) {
    const log = `${PROXY} [${TIME}] "GET /a HTTP/1.1" 200 "${text}" "${AGENT}"\n`;
    const { events, rejects } = await linesOf(log, { format, isForwarded: true });
    expect([rejects, events.map((one) => one.verdict)]).toEqual([[], [verdict]]);
  }
  const json = caddy({}, { remote_ip: PROXY, headers: { 'User-Agent': [AGENT], Forwarded: [header] } });
  for (const log of [json, BEHIND(`"${apache}"`), BEHIND(`0.12 "${nginx}"`)])
    expect((await linesOf(log, { isForwarded: true })).events.map((one) => one.verdict)).toEqual([verdict]);
});

test.for([
  ['verified', '0.150 "66.249.66.1, 10.0.0.3"'],
  ['verified', 'rt=0.1 ua="172.18.0.2:80" "66.249.66.1, ::ffff:10.0.0.3"'],
  ['unchecked', 'rt=0.1 "66.249.66.1, unknown"'],
  ['verified', '"10.0.0.5:8080" 66.249.66.1'],
  ['verified', 'forwarded_for="66.249.66.1, 10.0.0.3" request_id="v-0a1b2c3d-d2d4-11e6-9bed-0aeea9eaf9af"'],
  ['verified', 'a1b2c3d4e5f60718a1b2c3d4e5f60718 203.0.113.5:443 2001:4860:4801:10::1'],
  ['refuted', '0.1 "66.249.66.1, 45.9.9.9" 66.249.66.1'],
] as const)('a chain after other fields identifies the client: %s, %s', async ([verdict, more]) => {
  const logs = [BEHIND(more), `www.example.com ${BEHIND(more)}`, `www.example.com:443 ${BEHIND(more)}`];
  for (const log of logs) {
    const { events, rejects } = await linesOf(log, { isForwarded: true });
    expect([rejects, events.map((one) => one.verdict)]).toEqual([[], [verdict]]);
    // Without --forwarded the address is the proxy's.
    expect((await linesOf(log)).events.map((one) => one.verdict)).toEqual(['unchecked']);
  }
});

test.for([
  [
    'https://www.example.com/a',
    'vhost=alpha.prod.example.net host=www.example.com pid=1 location="http://x.example.org/"',
  ],
  ['https://www.example.com/a', 'http_host=www.example.com affinity="-"  upstream_addr="171.0.0.1:80"'],
  ['https://shop.example.com/a', 'vhost=shop.example.com request_time=12'],
  ['https://www.example.com/a', 'host=web-1 request_time=12'],
] as const)('a host after other fields is the host of the line: %s, %s', async ([url, more]) => {
  const { events } = await linesOf(line('66.249.66.1', ` ${more}`));
  expect(events.map((one) => one.url)).toEqual([url]);
});

test('a line with many hops takes as long as others of its length', async () => {
  const cost = async (more: string): Promise<number> => {
    const begin = process.cpuUsage();
    await linesOf(BEHIND(more).repeat(2), { isForwarded: true });
    return process.cpuUsage(begin).user;
  };
  const hops = '66.249.66.1, '.repeat(40_000);
  const words = await cost('abcdefghijklm'.repeat(40_000));
  expect(await cost(`${hops}x`)).toBeLessThan(20 * words + 1e6);
});
