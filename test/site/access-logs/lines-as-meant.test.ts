import { expect, test } from 'vitest';
import { formatOfName } from '../../../src/site/access-logs/formats/known-formats.ts';
import { LogTime } from '../../../src/site/access-logs/log-time.ts';
import { AGENT, caddy, line, linesOf, TIME } from './lines-of.ts';

const forwarded = (...chain: string[]): string =>
  caddy({}, { remote_ip: '10.0.0.2', headers: { 'User-Agent': [AGENT], 'X-Forwarded-For': chain } });

test.for([
  ['verified', line('66.249.66.1'), false],
  ['refuted', line('66.249.66.1, 45.9.9.9'), false],
  ['refuted', line('66.249.66.1, 45.9.9.9, 10.0.0.1'), false],
  ['verified', line('66.249.66.1, ::ffff:10.0.0.5'), false],
  ['refuted', line('66.249.66.1, ::ffff:45.9.9.9'), false],
  ['verified', line('66.249.66.1,10.0.0.5, 192.168.1.1, 100.64.3.2, fe80::1%eth0, fd00::1'), false],
  ['verified', line('66.249.66.1:33453,+172.16.0.1:49770'), false],
  ['verified', line('[::ffff:66.249.66.1]:443'), false],
  ['unchecked', line('66.249.66.1, unknown'), false],
  ['unchecked', line('66.249.66.1, _hidden'), false],
  ...[
    '66.249.66.xxx',
    '66.249.x.x',
    'x.x.x.x',
    '2001:4860:4801:xxxx',
    '66.249.66.*',
    'anonymous',
    'a1b2c3d4e5f60718',
  ].map((hidden) => ['unchecked', line(hidden), false] as const),
  ['unchecked', line('anon-66-249-66-12.ip6.invalid'), false],
  ['refuted', line('66.249.66.1 or so'.replaceAll(' ', '_')), false],
  ['refuted', line('66.249.066.1'), false],
  ['refuted', line('66.249.66.1%20'), false],
  ['unchecked', line('-'), false],
  ['unchecked', line('10.0.0.9'), false],
  ['unchecked', line('crawl-66-249-66-1.googlebot.com'), false],
  ['verified', line('10.0.0.9', ' "unknown, 66.249.66.1"'), true],
  ['refuted', line('10.0.0.9', ' "66.249.66.1, 45.9.9.9, ::ffff:10.0.0.5"'), true],
  ['unchecked', line('10.0.0.9', ' "66.249.66.1, unknown"'), true],
  ['refuted', line('10.0.0.9', ' "66.249.66.1, 45.9.9.9" "66.249.66.1"'), true],
  ['verified', line('10.0.0.9', ' "66.249.66.1" "0.123"'), true],
  ['unchecked', line('10.0.0.9', ' "-" "0.123"'), true],
  ['refuted', forwarded('66.249.66.1', '45.9.9.9'), true],
  ['refuted', forwarded('66.249.66.1, 45.9.9.9', '10.0.0.1'), true],
  ['verified', forwarded('45.9.9.9', '66.249.66.1'), true],
] as const)('the client is the last public hop: %s, %s', async ([verdict, log, isForwarded]) => {
  const format = { format: log.startsWith('{') ? 'caddy' : isForwarded ? 'nginx_forwarded' : 'combined' };
  const { events, rejects } = await linesOf(log, { isForwarded, ...format });
  expect([events.map((one) => one.verdict), rejects]).toEqual([[verdict], []]);
});

const PLAIN = line('66.249.66.1').trimEnd();
test.for([
  ['syslog:combined', `Nov 10 12:11:55 h nginx: ${PLAIN}`],
  ['syslog:combined', `<190>Nov  1 12:11:55 h nginx[12]: ${PLAIN}`],
  ['syslog:combined', `2026-11-10T12:11:55.123+01:00 web-1 nginx: ${PLAIN}`],
  ['syslog:combined', `<165>1 2026-11-10T12:00:00Z web-1 nginx 12 access [a@1 b="c\\]"] ${PLAIN}`],
  ['docker:combined', JSON.stringify({ log: `${PLAIN}\n`, stream: 'stdout', time: '2026-11-10T12:00:00Z' })],
  ['docker:caddy', JSON.stringify({ log: caddy({}), stream: 'stdout', time: '2026-11-10T12:00:00Z' })],
  ['cri:combined', `2026-11-10T12:00:00.123456789Z stdout F ${PLAIN}`],
  ['journald:combined', JSON.stringify({ MESSAGE: PLAIN, SYSLOG_IDENTIFIER: 'nginx' })],
  ['compose:combined', `web-1  | ${PLAIN}`],
  ['timestamp:combined', `2026-11-10T12:00:00.123456789Z ${PLAIN}`],
  ['host_combined', `www.example.com ${PLAIN}`],
  ['host_combined', `www.example.com ${PLAIN} "172.18.0.2:80"`],
  ['host_common', `www.example.com ${PLAIN.slice(0, PLAIN.indexOf(' "-"'))}`],
  ['vhost_combined', `www.example.com:443 ${PLAIN}`],
  ['vhost_more', `www.example.com:443 ${PLAIN} 0.001`],
  ['nginx_forwarded', `${PLAIN} "66.249.66.1"`],
  ['combined_more', `${PLAIN} "0.123"`],
  ['combined', PLAIN],
] as const)('%s is recognized by field positions', async ([format, log]) => {
  const { name, events, rejects } = await linesOf(`${log}\n`);
  expect({ name, rejects, verdicts: events.map(({ verdict }) => verdict) }).toEqual({
    name: format,
    rejects: [],
    verdicts: [format === 'host_common' ? '' : 'verified'],
  });
});

test('a multi-part line is read completely, and lines of other programs are skipped', async () => {
  const half = PLAIN.length >> 1;
  const cri = (mark: string, text: string, stream = 'stdout'): string =>
    `2026-11-10T12:00:00.1Z ${stream} ${mark} ${text}\n`;
  const log = [
    cri('P', PLAIN.slice(0, half)),
    cri('F', '2026/11/10 12:00:00 [error] 1#1: no such file', 'stderr'),
    cri('F', PLAIN.slice(half)),
  ];
  expect(await linesOf(log.join(''))).toMatchObject({ events: [{ status: '200' }], rejects: [], skipped: 2 });
  const syslog = `Nov 10 12:11:55 h nginx: ${PLAIN}\nNov 10 12:11:56 h sshd[3]: Accepted\nNov 10 12:11:57 h nginx: broken\n`;
  expect(await linesOf(syslog)).toMatchObject({ events: [{}], rejects: ['not_the_format'], skipped: 1 });
});

test.for([
  ['https', '%h %t "%r" %>s %p', `66.249.66.1 [${TIME}] "GET /a HTTP/1.1" 200 443`],
  ['http', '%h %t "%r" %>s %p', `66.249.66.1 [${TIME}] "GET /a HTTP/1.1" 200 80`],
  ['https', '%h %t "%r" %>s %p', `66.249.66.1 [${TIME}] "GET /a HTTP/1.1" 200 8080`],
  ['http', '$time_local|$request|$status|$server_port', `${TIME}|GET /a HTTP/1.1|200|80`],
  ['http', '$time_local|$request|$status|$scheme|$server_port', `${TIME}|GET /a HTTP/1.1|200|http|443`],
  ['https', '$time_local|$request|$status|$ssl_protocol', `${TIME}|GET /a HTTP/1.1|200|TLSv1.3`],
  ['http', '$time_local|$request|$status|$ssl_protocol', `${TIME}|GET /a HTTP/1.1|200|-`],
  ['http', '$time_local|$request|$status|$https', `${TIME}|GET /a HTTP/1.1|200|`],
  ['https', 'caddy', caddy({})],
  ['http', 'caddy', caddy({}, { tls: undefined })],
  ['http', 'w3c', '#Fields: date time s-port cs-uri-stem sc-status\n2026-11-10 12:00:00 80 /a 200'],
  ['https', 'w3c', '#Fields: date time cs-protocol cs-uri-stem sc-status\n2026-11-10 12:00:00 https /a 200'],
] as const)('a URL has the scheme in the line: %s of %s', async ([scheme, format, log]) => {
  const { events } = await linesOf(log, { format });
  expect(events.map(({ url }) => url)).toEqual([`${scheme}://www.example.com/a`]);
});

const NEXT = `[${TIME}] "GET /asked?a=1 HTTP/1.1"`;
test.for([
  ['/asked?a=1', '$remote_addr [$time_local] "$request" "$uri" $status', `1.2.3.4 ${NEXT} "/index.php" 200`],
  ['/a%20b?c', '[$time_local] $request_uri "$uri" $status', `[${TIME}] /a%20b?c "/a b" 200`],
  ['/a%20b', '[$time_local] "$uri" $request_uri $status', `[${TIME}] "/index.php" /a%20b 200`],
  ['/a', '[$time_local] "$uri" $request_uri $status', `[${TIME}] "/a" - 200`],
  ['/a%20b%25?c=%20', '[$time_local] "$uri$is_args$args" $status', `[${TIME}] "/a b%?c=%20" 200`],
  ['/a?b=1', '%t %m %U%q %H %>s', `[${TIME}] GET /a?b=1 HTTP/1.1 200`],
  ['/a', '%t %m %U%q %H %>s', `[${TIME}] GET /a HTTP/1.1 200`],
  ['/a?b', '[$time_local] $scheme://$host$request_uri $status', `[${TIME}] https://www.example.com/a?b 200`],
] as const)('the requested URL counts: %s of %s', async ([path, format, log]) => {
  const { events, rejects } = await linesOf(log, { format });
  expect([events.map(({ url }) => url), rejects]).toEqual([[`https://www.example.com${path}`], []]);
});

test.for([
  ['%h %{c}a %t "%r" %>s %<s "%{User-Agent}i"', `66.249.66.1 10.0.0.1 [${TIME}] "GET /a" 404 200 "${AGENT}"`],
  ['%{c}a %a %t "%r" %<s %>s "%{User-Agent}i"', `10.0.0.1 66.249.66.1 [${TIME}] "GET /a" 200 404 "${AGENT}"`],
  ['%a %h %t "%r" %s "%{User-Agent}i"', `66.249.66.1 - [${TIME}] "GET /a" 404 "${AGENT}"`],
  [
    '$remote_addr $host $server_name [$time_local] "$request" $status "$http_user_agent"',
    `66.249.66.1 www.example.com _ [${TIME}] "GET /a" 404 "${AGENT}"`,
  ],
  [
    '$remote_addr $server_name $http_host [$time_local] "$request" $status "$http_user_agent"',
    `66.249.66.1 other.example www.example.com [${TIME}] "GET /a" 404 "${AGENT}"`,
  ],
  ['%{%s}t %h "%r" %>s "%{User-Agent}i"', `1794312000 66.249.66.1 "GET /a" 404 "${AGENT}"`],
  [
    '%h [%{%d/%b/%Y %T}t.%{msec_frac}t %{%z}t] "%r" %>s "%{User-Agent}i"',
    `66.249.66.1 [10/Nov/2026 12:00:00.123 +0000] "GET /a" 404 "${AGENT}"`,
  ],
  [
    `log_format main escape=json '$remote_addr [$time_local] '\n  '"$request" $status "$http_user_agent"';`,
    `66.249.66.1 [${TIME}] "GET /a" 404 "${AGENT}"`,
  ],
  [
    'LogFormat "%h %t \\"%r\\" %>s \\"%{User-Agent}i\\"" mine',
    `66.249.66.1 [${TIME}] "GET /a" 404 "${AGENT}" "further" 0.1`,
  ],
] as const)('of a duplicate field, the client-side value counts: %s', async ([format, log]) => {
  const { events, rejects } = await linesOf(log, { format });
  expect({ events, rejects }).toEqual({
    events: [{ url: 'https://www.example.com/a', status: '404', verdict: 'verified', referer: '\\N' }],
    rejects: [],
  });
});

test.for([
  ['/caf%C3%A9', '/caf%c3%a9'],
  ['/caf%C3%A9', '/café'],
  ['/~a', '/%7ea'],
  ['/%7Bid%7D?a={b}^|%27', "/{id}?a={b}^|'"],
  ['/a/c', '/a/./b/../c'],
  ['//a', '//a'],
  ['/a%23b', '/a#b'],
  ['/a%5Cx41', '/a%5Cx41'],
  ['/a?', '/a?'],
  ['/a%20b?', '/a b?'],
] as const)('a URL is normalized like in browsers: %s for %s', async ([url, asked]) => {
  const { events } = await linesOf(caddy({}, { uri: asked }));
  expect(events.map((one) => one.url)).toEqual([`https://www.example.com${url}`]);
});

test('escapes are decoded only if the server escapes', async () => {
  const text = await linesOf(line('66.249.66.1', '', '/x\\x41'));
  const json = await linesOf(caddy({}, { uri: '/x\\x41' }));
  expect([text.events[0]?.url, json.events[0]?.url]).toEqual([
    'https://www.example.com/xA',
    'https://www.example.com/x/x41',
  ]);
});

test('the double encoding of CloudFront is decoded, in columns and JSON, and its own host is not the site', async () => {
  const names =
    'time date c-ip cs-method x-host-header cs(Host) cs-uri-stem sc-status cs-uri-query cs-protocol'.split(
      ' ',
    );
  const cells = ['12:00:00', '2026-11-10', '66.249.66.1', 'GET', 'www.example.com', 'd1.cloudfront.net'];
  cells.push('/caf%25C3%25A9', '000', 'q=hello%2520world', 'http');
  const json = (more: object): string =>
    JSON.stringify({ ...Object.fromEntries(names.map((name, index) => [name, cells[index]])), ...more });
  const event = { url: 'http://www.example.com/caf%C3%A9?q=hello%20world' };
  expect((await linesOf(`#Fields: ${names.join(' ')}\n${cells.join('\t')}`)).events).toMatchObject([
    { ...event, status: '\\N' },
  ]);
  const written = await linesOf(
    [
      json({}),
      json({ 'sc-status': 200, 'sc-bytes': '-', 'cs(Referer)': null }),
      json({ date: undefined, time: undefined, 'timestamp(ms)': '1794312000123', 'sc-status': '200' }),
      json({ 'cs-uri-query': {} }),
      json({ 'sc-status': undefined }),
      json({ date: '-' }),
    ].join('\n'),
  );
  expect(written.events).toMatchObject([
    { ...event, status: '\\N' },
    { ...event, status: '200' },
    { ...event, status: '200' },
    { url: 'http://www.example.com/caf%C3%A9' },
  ]);
  expect(written.rejects).toEqual(['no_status', 'no_time']);
});

test('an error entry is not a request, and a status of 0 is a request without a response', async () => {
  const error = caddy({ logger: 'http.log.error', msg: 'dial tcp: refused', status: 502 });
  const log = error + caddy({ status: 502 }) + caddy({ status: 0 }) + error.replace('.error', '.error.log0');
  const { events, rejects, skipped } = await linesOf(log);
  expect([events.map(({ status }) => status), rejects, skipped]).toEqual([['502', '\\N'], [], 2]);
});

test.for([
  ['no_status', caddy({ status: undefined })],
  ['no_url', caddy({}, { uri: undefined })],
  ['no_time', caddy({ ts: null })],
  ['bad_time', caddy({ ts: 'soon' })],
  ['bad_status', caddy({ status: 20 })],
  ['no_url', '#Fields: date time sc-status\n2026-11-10 12:00:00 200'],
  ['no_status', '#Fields: date time cs-uri-stem\n2026-11-10 12:00:00 /a'],
] as const)('an incomplete record is a reject: %s', async ([reason, log]) => {
  const { rejects } = await linesOf(log, { format: log.startsWith('#') ? 'w3c' : 'caddy' });
  expect(rejects).toEqual([reason]);
});

test.for([
  [
    'traefik',
    {
      ClientHost: '66.249.66.1',
      ClientAddr: '66.249.66.1:5',
      RequestHost: 'www.example.com',
      RequestMethod: 'GET',
      RequestPath: '/a?b=1',
      RequestScheme: 'https',
      DownstreamStatus: 200,

      DownstreamContentSize: 5,
      StartUTC: '2026-11-10T12:00:00.123456789Z',
      'request_User-Agent': AGENT,
    },
  ],
  [
    'vercel',
    {
      id: '1',
      source: 'static',
      requestId: 'r1',
      timestamp: 1794312000123,
      host: 'x.vercel.app',
      proxy: {
        timestamp: 1794312000123,
        method: 'GET',
        scheme: 'https',
        host: 'www.example.com',
        path: '/a?b=1',
        userAgent: [AGENT],
        referer: '',
        statusCode: 200,
        clientIp: '66.249.66.1',
      },
    },
  ],
  [
    'netlify',
    {
      log_type: 'traffic',
      timestamp: '2026-11-10T12:00:00.123Z',
      client_ip: '66.249.66.1',
      domain: 'www.example.com',
      method: 'GET',
      status_code: 200,
      user_agent: AGENT,
      url: 'https://www.example.com/a?b=1',
    },
  ],
  [
    'gcp',
    {
      insertId: 'x',
      timestamp: '2026-11-10T12:00:00.123456Z',
      severity: 'INFO',
      httpRequest: {
        requestMethod: 'GET',
        requestUrl: 'https://www.example.com/a?b=1',
        status: 200,
        responseSize: '9',
        userAgent: AGENT,
        remoteIp: '66.249.66.1',
      },
    },
  ],
  [
    'azure',
    {
      time: '2026-11-10T12:00:00.1234567Z',
      category: 'FrontDoorAccessLog',
      properties: {
        httpMethod: 'GET',
        requestUri: 'https://www.example.com:443/a?b=1',
        httpStatusCode: '200',
        responseBytes: '9',
        userAgent: AGENT,
        clientIp: '66.249.66.1',
        referer: '',
      },
    },
  ],
  [
    'azure',
    {
      timeStamp: '2026-11-10T12:00:00+00:00',
      category: 'ApplicationGatewayAccessLog',
      properties: {
        clientIP: '66.249.66.1',
        httpMethod: 'GET',
        requestUri: '/rewritten',
        requestQuery: 'b=1',
        originalRequestUriWithArgs: '/a?b=1',
        httpStatus: 200,
        sentBytes: 9,
        sslEnabled: 'on',
        userAgent: AGENT,
        host: '10.0.0.4',
        originalHost: 'www.example.com',
      },
    },
  ],
] as const)('the JSON lines of %s are recognized', async ([format, record]) => {
  const more = format === 'vercel' ? `${JSON.stringify({ ...record, message: 'again' })}\n` : '';
  const { name, events } = await linesOf(`${JSON.stringify(record)}\n${more}`);
  expect([name, events]).toEqual([
    format,
    [{ url: 'https://www.example.com/a?b=1', status: '200', verdict: 'verified', referer: '\\N' }],
  ]);
});

test.for([
  [{ RequestPath: '/a' }, ['no_status']],
  [{ DownstreamStatus: 200 }, ['no_url']],
  [{ msg: 'a line of the program' }, []],
] as const)('a line of Traefik with %j is a request: %j', async ([more, reasons]) => {
  const record = { ClientHost: '66.249.66.1', StartUTC: '2026-11-10T12:00:00Z', ...more };
  const { events, rejects } = await linesOf(`${JSON.stringify(record)}\n`, { format: 'traefik' });
  expect([events, rejects]).toEqual([[], reasons]);
});

test('keys with dots are found, and keys missing from every record are reported', async () => {
  const record = { 'http.url': '/a', time: { at: 1794312000 }, 'http.status': { code: 200 } };
  const log = `${JSON.stringify(record)}\n`;
  const format = 'json:time=time.at,url=http.url,status=http.status.code';
  expect((await linesOf(log, { format })).events).toMatchObject([{ url: 'https://www.example.com/a' }]);
  const wrong = formatOfName('json:time=time.at,url=http.uri,status=http.status.code', new LogTime('UTC'));
  const { LogLine } = await import('../../../src/site/access-logs/log-line.ts');
  wrong.read(log, 0, log.length, new LogLine());
  expect(wrong.missing?.()).toEqual({
    keys: ['http.uri'],
    known: ['http.url', 'time.at', 'http.status.code'],
  });
});

test('IIS Advanced Logging is read, with its quotation marks and local times', async () => {
  const log = `#Software: IIS Advanced Logging Module
#Fields:  date-local time-local s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs(Referer) sc-status
2026-11-10 12:00:00.363 10.10.28.140 GET /a - 80 "66.249.66.1" "${AGENT}" "http://www.google.com/search?q=x y" 200
`;
  expect(await linesOf(log)).toMatchObject({
    events: [{ url: 'http://www.example.com/a', verdict: 'verified' }],
    rejects: [],
  });
});

test('queries of referrers are removed like those of the site', async () => {
  const log = `1.2.3.4 - - [${TIME}] "GET /a?token=1&id=2 HTTP/1.1" 200 9 "https://x.example/b?token=3&id=4#token=5" "x"\n`;
  expect((await linesOf(log, { queryStrings: 'drop' })).events).toMatchObject([
    { url: 'https://www.example.com/a', referer: 'https://x.example/b' },
  ]);
  expect((await linesOf(log, { queryStrings: ['id'] })).events).toMatchObject([
    { url: 'https://www.example.com/a?id=2', referer: 'https://x.example/b?id=4' },
  ]);
});
