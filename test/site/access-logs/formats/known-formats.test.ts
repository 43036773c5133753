import { expect, test } from 'vitest';
import { formatOfName } from '../../../../src/site/access-logs/formats/known-formats.ts';
import { LogLine } from '../../../../src/site/access-logs/log-line.ts';
import { LogTime } from '../../../../src/site/access-logs/log-time.ts';
import { recogniseFormat } from '../../../../src/site/access-logs/recognise-format.ts';
import { errorOf } from '../../../support/error-of.ts';

const SECOND = Date.UTC(2026, 9, 10, 20, 55, 36) / 1000;

/** What the last line of a log says, and what became of it; without what it does not say. */
function read(format: string, log: string): Partial<LogLine> & { readonly found: string } {
  const parser = formatOfName(format, new LogTime('UTC'));
  let line = new LogLine();
  let found = '';
  for (const text of log.split('\n')) {
    line = new LogLine();
    found = parser.read(text, 0, text.length, line);
  }
  const said = Object.entries(line).filter(
    ([name, value]) =>
      !['escapes', 'mark', 'tellsAgent', 'tellsReferer'].includes(name) &&
      value !== '' &&
      !Number.isNaN(value),
  );
  return { found, ...Object.fromEntries(said) };
}

const AGENT = 'Mozilla/5.0 (X11; Linux) Chrome/131.0';
const COMBINED = `203.0.113.7 - frank [10/Oct/2026:13:55:36 -0700] "GET /a?b=c HTTP/1.1" 200 2326 "https://x.example/" "${AGENT}"`;
const SAID = {
  found: 'event',
  second: SECOND,
  address: '203.0.113.7',
  request: 'GET /a?b=c HTTP/1.1',
  status: '200',
  bytes: '2326',
};
const W3C = `#Version: 1.0
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs(Referer) sc-status
2026-10-10 20:55:36 10.0.0.1 GET /a b=c 443 203.0.113.7 Mozilla/5.0+(X11) - 404`;
const CLOUDFRONT = `#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs-protocol
2026-10-10\t20:55:36\tFRA50\t812\t2001:db8::1\tGET\td1.cloudfront.net\t/a%20b\t200\t-\tMozilla/5.0%2520(X11)\tb=c\thttps`;
const ALB =
  'https 2026-10-10T20:55:36.186641Z app/lb/50d 203.0.113.7:46532 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a HTTP/2.0" "curl/7.46.0" ECDHE TLSv1.2 arn "Root=1-58" "d" "arn" 1 2026-10-10T20:55:36.13Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"';
const CLOUDFLARE = JSON.stringify({
  ClientIP: '203.0.113.7',
  ClientRequestHost: 'www.example.com',
  ClientRequestMethod: 'GET',
  ClientRequestURI: '/a?b=c',
  ClientRequestScheme: 'https',
  EdgeResponseStatus: 200,
  EdgeResponseBytes: 812,
  EdgeStartTimestamp: '2026-10-10T20:55:36Z',
  ClientRequestUserAgent: AGENT,
});
const CADDY = `{"level":"info","ts":1,"msg":"serving"}
{"level":"info","ts":1791665736.25,"request":{"remote_ip":"203.0.113.7","method":"GET","host":"www.example.com","uri":"/a","headers":{"User-Agent":["${AGENT}"],"Referer":["https://x.example/"]},"tls":{"proto":"h2"}},"status":200,"size":812}`;

test.for([
  ['combined', COMBINED, { ...SAID, referer: 'https://x.example/', agent: AGENT }],
  ['common', COMBINED.slice(0, COMBINED.indexOf(' "https')), SAID],
  [
    'vhost_combined',
    `www.example.com:443 ${COMBINED}`,
    { ...SAID, host: 'www.example.com', port: '443', referer: 'https://x.example/', agent: AGENT },
  ],
  [
    'nginx_forwarded',
    `${COMBINED} "198.51.100.1, 10.0.0.1"`,
    { ...SAID, referer: 'https://x.example/', agent: AGENT, forwarded: '198.51.100.1, 10.0.0.1' },
  ],
  [
    'combined_more',
    `${COMBINED} 0.003 "-" upstream`,
    { ...SAID, referer: 'https://x.example/', agent: AGENT },
  ],
  [
    'w3c',
    W3C,
    {
      found: 'event',
      second: SECOND,
      method: 'GET',
      target: '/a',
      query: 'b=c',
      status: '404',
      address: '203.0.113.7',
      agent: 'Mozilla/5.0 (X11)',
      port: '443',
    },
  ],
  [
    'w3c',
    CLOUDFRONT,
    {
      found: 'event',
      second: SECOND,
      method: 'GET',
      target: '/a b',
      query: 'b=c',
      status: '200',
      address: '2001:db8::1',
      agent: 'Mozilla/5.0 (X11)',
      bytes: '812',
      scheme: 'https',
      host: 'd1.cloudfront.net',
    },
  ],
  [
    'alb',
    ALB,
    {
      found: 'event',
      second: SECOND,
      address: '203.0.113.7:46532',
      status: '200',
      bytes: '57',
      request: 'GET https://www.example.com:443/a HTTP/2.0',
      agent: 'curl/7.46.0',
    },
  ],
  [
    'cloudflare',
    CLOUDFLARE,
    {
      found: 'event',
      second: SECOND,
      address: '203.0.113.7',
      status: '200',
      bytes: '812',
      method: 'GET',
      target: '/a?b=c',
      host: 'www.example.com',
      scheme: 'https',
      agent: AGENT,
    },
  ],
  [
    'caddy',
    CADDY,
    {
      found: 'event',
      second: SECOND,
      address: '203.0.113.7',
      status: '200',
      bytes: '812',
      method: 'GET',
      target: '/a',
      host: 'www.example.com',
      scheme: 'https',
      agent: AGENT,
      referer: 'https://x.example/',
    },
  ],
] as const)('%s is recognized from its lines, and read', ([format, log, said]) => {
  expect(recogniseFormat('access.log', log, () => new LogTime('UTC'))).toBe(format);
  expect(read(format, log)).toEqual(said);
});

test.for([
  // Apache's own format with a time of its own, and nginx's with milliseconds.
  [
    '%h %{sec}t "%r" %>s',
    '203.0.113.7 1791665736 "GET / HTTP/1.0" 200',
    { second: SECOND, request: 'GET / HTTP/1.0' },
  ],
  [
    '$remote_addr [$time_iso8601] "$request" $status',
    '::1 [2026-10-10T13:55:36-07:00] "GET /" 304',
    { second: SECOND, request: 'GET /' },
  ],
  [
    '$msec|$host|$request_uri|$status',
    '1791665736.123|a.example|/x|200',
    { second: SECOND, host: 'a.example', target: '/x' },
  ],
  [
    'json:time=t.at,url=u,status=s,agent=H.user-agent',
    '{"t":{"at":1791665736123},"u":"/x","s":200,"H":{"User-Agent":["A"]}}',
    { second: SECOND, target: '/x', agent: 'A' },
  ],
] as const)('the user-defined format %s is read', ([format, log, said]) => {
  expect(read(format, log)).toMatchObject({ found: 'event', ...said });
});

test.for([
  ['a quotation mark with a backslash', COMBINED.replace(AGENT, 'A \\"b\\" c'), { agent: 'A \\"b\\" c' }],
  ['a backslash before the closing mark', COMBINED.replace(AGENT, 'A \\\\'), { agent: 'A \\\\' }],
  ['quotation marks without one, at the end', COMBINED.replace(AGENT, 'A "b" c'), { agent: 'A "b" c' }],
  ['no request', COMBINED.replace('GET /a?b=c HTTP/1.1', '-'), { request: '-' }],
  ['a request of HTTP/0.9', COMBINED.replace('GET /a?b=c HTTP/1.1', 'GET /old'), { request: 'GET /old' }],
  ['an address of IPv6', COMBINED.replace('203.0.113.7', '2001:db8::7'), { address: '2001:db8::7' }],
] as const)('%s is part of a line', ([, line, said]) => {
  expect(read('combined', line)).toMatchObject({ found: 'event', ...said });
});

test.for([
  ['not_the_format', 'kernel: out of memory'],
  ['not_the_format', COMBINED.slice(0, -1)],
  ['not_the_format', `${COMBINED} "more`],
  ['bad_time', COMBINED.replace('/Oct/', '/Abc/')],
  ['bad_time', COMBINED.replace('10/Oct', '31/Jun')],
  ['bad_time', COMBINED.replace(':13:55', ':25:55')],
] as const)('a line is a reject: %s, %s', ([reason, line]) => {
  expect(read('combined', line).found).toBe(reason);
});

test('JSON integers beyond 2^53 are not rounded to the next second', () => {
  const record = '{"ts":1791665736999999999,"request":{"uri":"/a"},"status":200,"size":9007199254740993}';
  expect(read('caddy', record)).toMatchObject({
    second: 1791665736,
    status: '200',
    bytes: '9007199254740993',
  });
  expect(read('caddy', record.replace('6999999999', '6.99999999999'))).toMatchObject({ second: 1791665736 });
});

test.for([
  ['combind', 'there is no log format combind'],
  ['$remote_addr $status "$request"', 'no variable has the time'],
  ['%h %t %>s', 'no variable has the request or its URL'],
  ['$time_iso8601$status $request', 'no text is between $time_iso8601 and $status'],
  ['json:time=t,url=u', 'status is missing'],
  ['json:time=t,url=u,status=s,agnet=a', 'there is no field agnet'],
  ['json:time', 'time is not FIELD=KEY'],
] as const)('the format %s is refused: %s', async ([format, message]) => {
  const error = await errorOf((async () => formatOfName(format, new LogTime('UTC')))());
  expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  expect(error.hint).toBeDefined();
});

test('a log of unknown format is refused with its shape, without visitor data', async () => {
  const error = await errorOf(
    (async () => recogniseFormat('x.log', 'Robert 203.0.113.7 bought shoes\n', () => new LogTime('UTC')))(),
  );
  expect(error.message).toBe('x.log: its format is unknown; it begins: aaa 000.0.000.0 aaa aaa');
});
