import { expect, test } from 'vitest';
import { formatOfName } from '../../../src/site/access-logs/formats/known-formats.ts';
import { LogLine } from '../../../src/site/access-logs/log-line.ts';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { ownHosts } from '../../../src/site/access-logs/request-parts.ts';
import { AGENT, caddy, line, linesOf, TIME } from './lines-of.ts';

const PLAIN = line('66.249.66.1').trimEnd();
const IPV6 = line('2001:4860:4801:10::1').trimEnd();

test.for([
  ['syslog:combined', `<190>Nov 10 12:11:55 nginx: ${PLAIN}`],
  ['syslog:combined', `Tue 2026-11-10 12:11:55 UTC web1 nginx[1]: ${PLAIN}`],
  ['syslog:combined', `1794312715.123456 web1 nginx[1]: ${PLAIN}`],
  ['syslog:combined', `2026-11-10T12:00:00.123456+00:00 app[web.1]: ${PLAIN}`],
  ['syslog:combined', `Nov 10 12:11:55 10.0.0.5 httpd: ${IPV6}`],
  ['syslog:host_combined', `Nov 10 12:11:55 web1 nginx: www.example.com ${IPV6}`],
  ['compose:combined', `\x1b[36mweb_1  |\x1b[0m ${PLAIN}`],
  ['compose:combined', `web-1  | 2026-11-10T12:00:00.123456789Z ${IPV6}`],
  ['kubectl:combined', `[pod/web-5d7/nginx] ${PLAIN}`],
  ['docker:combined', JSON.stringify({ log: PLAIN, container_id: 'a', source: 'stdout' })],
  ['journald:combined', JSON.stringify({ MESSAGE: [...Buffer.from(PLAIN)], SYSLOG_IDENTIFIER: 'nginx' })],
  ['message:combined', JSON.stringify({ '@timestamp': '2026-11-10T12:00:00Z', message: PLAIN })],
  ['message:combined', JSON.stringify({ textPayload: PLAIN, timestamp: '2026-11-10T12:00:00Z' })],
  ['message:combined', JSON.stringify({ line: PLAIN, timestamp: '1794312000123456789' })],
  ['docker:combined', JSON.stringify({ date: 1794312000.1, log: PLAIN })],
  ['timestamp:combined', `2026/11/10 12:00:00 ${PLAIN}`],
  ['timestamp:combined', `2026-11-10T12:00:00Z ${IPV6}`],
  ['timestamp:host_combined', `2026-11-10T12:00:00Z www.example.com ${IPV6}`],
  ['lighttpd', PLAIN.replace('- -', 'www.example.com -')],
  ['combined', PLAIN.replace('- -', '- John Smith')],
  ['combined', `${PLAIN} `],
  ['combined_more', `${PLAIN} rt=0.1 ua="10.0.0.1:80" `],
  [
    'elb',
    `2026-11-10T12:00:00.1Z lb 66.249.66.1:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 9 "GET https://www.example.com:443/a HTTP/1.1" "${AGENT}" ECDHE TLSv1.2`,
  ],
  [
    'envoy',
    `[2026-11-10T12:00:00.1Z] "GET /a HTTP/2" 200 - 0 9 5 4 "66.249.66.1,10.0.0.1" "${AGENT}" "c2" "www.example.com" "10.0.0.1:80"`,
  ],
  [
    'istio',
    `[2026-11-10T12:00:00.1Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 9 5 4 "66.249.66.1" "${AGENT}" "c2" "www.example.com" "10.0.0.1:80" inbound|80|| 10.0.0.2:1 - default`,
  ],
] as const)('%s is recognized, with each of its lines: %j', async ([format, log]) => {
  const { name, events, rejects } = await linesOf(`${log}\n${log}`);
  expect({ name, rejects, events: events.map(({ url, verdict }) => `${verdict} ${url}`) }).toEqual({
    name: format,
    rejects: [],
    events: Array(2).fill('verified https://www.example.com/a'),
  });
});

test("journalctl's own lines are skipped, and lighttpd's lines about other hosts keep their host", async () => {
  const journal = `-- Boot 5f --\nNov 10 12:11:55 web1 nginx[12]: ${PLAIN}\n`;
  expect(await linesOf(journal)).toMatchObject({ events: [{}], rejects: [], skipped: 1 });
  expect(await linesOf(`${PLAIN.replace('- -', 'shop.other.net -')}\n`)).toMatchObject({
    events: [],
    otherHosts: 1,
  });
});

test('a URL with a host and no scheme belongs to that host, as in Incapsula logs', async () => {
  const log = `#Fields: date time c-ip cs(User-Agent) cs-uri cs(Referrer) s-port cs-method sc-status
"2026-11-10" "12:00:00" "66.249.66.1" "${AGENT}" "shop.example.com/a" "-" "443" "GET" "200"
`;
  expect((await linesOf(log)).events).toMatchObject([
    { url: 'https://shop.example.com/a', verdict: 'verified' },
  ]);
});

test('a byte order mark before any line is ignored, as in concatenated files', async () => {
  const { events, rejects } = await linesOf(`\ufeff${PLAIN}\n\ufeff${PLAIN}\n`, { format: 'combined' });
  expect([events.map(({ verdict }) => verdict), rejects]).toEqual([['verified', 'verified'], []]);
});

const HEAD = `[${TIME}] "GET /a HTTP/1.1" 200`;
test.for([
  ['%{X-Forwarded-For}i %l %u %t "%r" %>s "%{User-Agent}i"', `66.249.66.1, 10.0.0.1 - - ${HEAD} "${AGENT}"`],
  [
    '$remote_addr $http_x_forwarded_for [$time_local] "$request" $status "$http_user_agent"',
    `10.0.0.1 45.9.9.9, 66.249.66.1 ${HEAD} "${AGENT}"`,
  ],
  [
    '$http_cf_connecting_ip [$time_local] "$request" $status "$http_user_agent"',
    `66.249.66.1 ${HEAD} "${AGENT}"`,
  ],
  ['%{X-Real-IP}i %t "%r" %>s "%{User-Agent}i"', `66.249.66.1 ${HEAD} "${AGENT}"`],
  [
    '$http_x_real_ip [$time_local] "$request" $status $upstream_addr $upstream_status "$http_user_agent"',
    `66.249.66.1 ${HEAD} 10.0.0.1:80, 10.0.0.2:80 502, 200 "${AGENT}"`,
  ],
] as const)('chains without quotation marks end after their last part: %s', async ([format, log]) => {
  const { events, rejects } = await linesOf(log, { format, isForwarded: true });
  expect([events.map(({ verdict, status }) => `${verdict} ${status}`), rejects]).toEqual([
    ['verified 200'],
    [],
  ]);
});

test('HAProxy logs are recognized with and without captured headers', async () => {
  const haproxy = (captured: string): string =>
    `Nov 10 12:00:00 lb haproxy[9]: 66.249.66.1:5000 [${TIME.slice(0, 20)}.123] in~ static/s1 10/0/30/69/109 404 9 - - ---- 1/1/1/1/0 0/0${captured} "GET /a HTTP/1.1"\n`;
  const early = haproxy('').replace('109 404 9', '+109 404 +9');
  const { name, events } = await linesOf(haproxy('') + haproxy(' {www.example.com|a b} {}') + early);
  const one = { url: 'https://www.example.com/a', status: '404', verdict: '', referer: '\\N' };
  expect([name, events]).toEqual(['syslog:haproxy', [one, one, one]]);
});

test.for([
  ['https://www.example.com/a', 'GET /a http/1.1'],
  ['https://www.example.com/a', 'GET /a ICY/1.0'],
  ['https://www.example.com/', 'OPTIONS / RTSP/1.0'],
  ['', 'OPTIONS sip:nm SIP/2.0'],
  ['https://www.example.com/a%20B/1.0', 'GET /a B/1.0'],
  ['https://www.example.com/a', 'GET http://u:p@www.example.com/a HTTP/1.1'],
  ['https://www.example.com/a@b', 'GET http://www.example.com/a@b HTTP/1.1'],
  ['http://www.example.com/a', 'GET http://www.example.com:80/a HTTP/1.1'],
  ['https://www.example.com/a', 'GET https://www.example.com/a HTTP/1.1'],
] as const)('%s is the URL requested by %s', async ([url, request]) => {
  const { events } = await linesOf(PLAIN.replace('GET /a HTTP/1.1', request), { format: 'combined' });
  expect(events.map((one) => one.url)).toEqual([url]);
});

test('blank lines, and file names printed by tail, are not rejects', async () => {
  const log = `==> /var/log/access.log <==\n${PLAIN}\n   \n\t\n==> b.log <==\n${PLAIN}\n`;
  expect(await linesOf(log)).toMatchObject({ events: [{}, {}], rejects: [], skipped: 4 });
});

test('IIS writes + for a space in agents and chains, but not in referrers', async () => {
  const log = `#Fields: date time c-ip cs-method cs-uri-stem cs(User-Agent) cs(Referer) X-Forwarded-For sc-status \n2026-11-10 12:00:00 10.0.0.1 GET /a A/1+(x;++http://b) https://g.example/?q=a+b 45.9.9.9,+66.249.66.1 200 \n`;
  const { events, rejects } = await linesOf(log.replace('A/1', 'Googlebot/2.1'), { isForwarded: true });
  expect([events, rejects]).toMatchObject([
    [{ verdict: 'verified', referer: 'https://g.example/?q=a+b' }],
    [],
  ]);
  const format = formatOfName('w3c', new LogTime('UTC'));
  const [fields = '', text = ''] = log.split('\n');
  const read = new LogLine();
  format.read(fields, 0, fields.length, read);
  format.read(text, 0, text.length, read);
  expect(read.agent).toBe('A/1 (x; +http://b)');
});

test('a CloudFront chain has encoded spaces', async () => {
  const cells = ['2026-11-10', '12:00:00', '10.0.0.9', 'GET', '/a', '200', AGENT.replaceAll(' ', '%20')];
  const log = `#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) x-forwarded-for\n${[...cells, '66.249.66.1,%2010.0.0.2'].join('\t')}\n`;
  expect(await linesOf(log, { isForwarded: true })).toMatchObject({ events: [{ verdict: 'verified' }] });
});

test('Cloudflare shows the scheme through the TLS version, if it has no other key', async () => {
  const record = { ClientIP: '1.2.3.4', EdgeResponseStatus: 200, EdgeEndTimestamp: 1794312000 };
  const lines = ['none', 'TLSv1.3'].map((ClientSSLProtocol) =>
    JSON.stringify({ ...record, ClientRequestPath: '/a', ClientSSLProtocol }),
  );
  const { events } = await linesOf(lines.join('\n'));
  expect(events.map(({ url }) => url)).toEqual(['http://www.example.com/a', 'https://www.example.com/a']);
});

test.for([
  ['A/1 (b; +c)', 'A/1%20(b;%20+c)'],
  ['A/1 (b; c)', 'A%2F1+%28b%3B+c%29'],
  ['My%20App/1 CFNetwork/1', 'My%20App/1 CFNetwork/1'],
] as const)('the agent %s is read from %s', ([agent, written]) => {
  const text = JSON.stringify({ t: 1794312000, u: '/a', s: 200, a: written });
  const read = new LogLine();
  formatOfName('json:time=t,url=u,status=s,agent=a', new LogTime('UTC')).read(text, 0, text.length, read);
  expect(read.agent).toBe(agent);
});

test('a URL that ends with a comma is not a chain', async () => {
  const format = '[$time_local] $request_method $request_uri $status "$http_user_agent"';
  const { events } = await linesOf(`[${TIME}] GET /a?b=, 200 "${AGENT}"`, { format });
  expect(events).toMatchObject([{ url: 'https://www.example.com/a?b=,', status: '200' }]);
});

test.for([
  ['2026/11/10 12:00:00.123', '2026-11-10T12:00:00Z'],
  ['2026-11-10T12:00:00+01', '2026-11-10T11:00:00Z'],
  ['2026-11-10t12:00:00.5z', '2026-11-10T12:00:00Z'],
  ['2026-11-10 12:00:00.123 +0530 IST', '2026-11-10T06:30:00Z'],
  ['2026-11-10T12:00:00-03:30', '2026-11-10T15:30:00Z'],
  ['1/Nov/2026:12:00:00 +0000', '2026-11-01T12:00:00Z'],
] as const)('%s is %s', ([text, time]) => {
  expect(new LogTime('UTC').any(text)).toBe(Date.parse(time) / 1000);
  expect(new LogTime('UTC').clf(text)).toBe(Date.parse(time) / 1000);
});

test('bytes escaped by nginx within JSON are decoded, and other escapes stay', async () => {
  const log = caddy({}, { uri: '/caf<c3><a9>/<22>"\\' }).replaceAll(/<(..)>/g, '\\x$1');
  const { events } = await linesOf(log);
  expect(events.map(({ url }) => url)).toEqual(['https://www.example.com/caf%C3%A9/%22%22/']);
});

const WWW = { host: 'www.example.com' };
test.for([
  ['https://www.example.com/a/b?c=d', { ...WWW, url: 'a/b?c=d' }],
  ['https://www.example.com/?c=d', { ...WWW, url: '?c=d' }],
  ['https://www.example.com/sitemap.xml', { url: 'sitemap.xml' }],
  ['https://www.example.com/.well-known/x', { url: '.well-known/x' }],
  ['https://www.example.com/v1.2/a', { url: 'v1.2/a' }],
  ['https://www.example.com/index.php/a', { ...WWW, url: 'index.php/a' }],
  ['https://www.example.com/a', { url: 'www.example.com:443/a' }],
  ['https://www.example.com/?b', { url: 'www.example.com?b' }],
  ['https://www.example.com/', { url: 'www.example.com' }],
  ['https://www.example.com/a', { url: 'wss://www.example.com/a' }],
  ['other host', { url: 'other.example/a' }],
  ['', { ...WWW, url: '*', method: 'OPTIONS' }],
  ['', { ...WWW, url: 'www.example.com:443', method: 'CONNECT' }],
  ['', { ...WWW, url: 'other.example:443', method: 'CONNECT' }],
  ['', { ...WWW, url: 'ftp://other.example/a' }],
] as const)('%s is the URL of a record with %j', async ([url, record]) => {
  const format = 'json:time=time,host=host,method=method,url=url,status=status';
  const { events, otherHosts } = await linesOf(JSON.stringify({ time: 1794312000, status: 200, ...record }), {
    format,
  });
  expect(otherHosts === 1 ? ['other host'] : events.map((one) => one.url)).toEqual([url]);
});

test('the placeholder of a load balancer for a missing request names no host', async () => {
  const log = `1.2.3.4 - - [${TIME}] "- http://www.example.com:80- -" 400 0 "-" "-"\n`;
  expect(await linesOf(log)).toMatchObject({ events: [{ url: '', status: '400' }], otherHosts: 0 });
});

test.for([
  ['shop.example.net', 'https://shop.example.net/'],
  ['shop.example.net', 'SHOP.example.net:443'],
  ['xn--bcher-kva.example', 'bücher.example'],
] as const)('%s is the host given as %s', ([host, given]) => {
  const isOwn = ownHosts('https://www.example.com', [given]);
  expect([isOwn(host), isOwn('www.example.com'), isOwn('other.net')]).toEqual([true, true, false]);
});

const HAPROXY = (path: string): string =>
  `66.249.66.1:33317 [10/Nov/2026:12:00:00.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET ${path} HTTP/1.1"\n`;
const ENVOY = (path: string): string =>
  `[2026-11-10T12:00:00.1Z] "GET ${path} HTTP/2" 200 - 0 9 5 4 "66.249.66.1" "Firefox" "c2" "www.example.com" "10.0.0.1:80"\n`;
const ALB = (path: string): string =>
  `http 2026-11-10T12:00:00.1Z app/lb/50 66.249.66.1:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 9 "GET https://www.example.com:443${path} HTTP/1.1" "Firefox" - - arn\n`;
const LOOSE = (path: string): string => `66.249.66.1 [${TIME}] (2 ms) "GET ${path} HTTP/1.1" 200 9\n`;
const NGINX = '[$time_local] "$request" $status';
const APACHE = '%t "%r" %>s';
const ASKED = (path: string): string => `[${TIME}] "GET ${path} HTTP/1.1" 200\n`;
test.for([
  ['haproxy', HAPROXY('/caf#C3#A9.html'), '/caf%C3%A9.html'],
  ['haproxy', HAPROXY('/a#22b'), '/a%22b'],
  ['haproxy', HAPROXY('/a\\think'), '/a/think'],
  ['envoy', ENVOY('/a\\think'), '/a/think'],
  ['envoy', ENVOY('/a\\x41'), '/a/x41'],
  ['alb', ALB('/a\\x22b'), '/a%22b'],
  ['alb', ALB('/a\\think'), '/a/think'],
  ['common_more', LOOSE('/a\\x22b'), '/a%22b'],
  ['common_more', LOOSE('/a\\think'), '/a/think'],
  [NGINX, ASKED('/a\\x22b'), '/a%22b'],
  [NGINX, ASKED('/a\\think'), '/a/think'],
  [APACHE, ASKED('/a\\tb'), '/a%09b'],
  [APACHE, ASKED('/caf\\xc3\\xa9'), '/caf%C3%A9'],
] as const)('escapes are decoded as their program writes them: %s, %s', async ([format, log, path]) => {
  const { events, rejects } = await linesOf(log, { format });
  expect([events.map(({ url }) => url), rejects]).toEqual([[`https://www.example.com${path}`], []]);
});
