import { expect, test } from 'vitest';
import { AGENT, linesOf, TIME } from '../lines-of.ts';

const URL = 'https://www.example.com/a?b=1';
const HEAD = `[${TIME}] "GET /a?b=1 HTTP/1.1" 200 36`;
const SEEN = { url: URL, status: '200', verdict: 'verified', referer: '\\N' };
const BLIND = { ...SEEN, verdict: '' };

/** By what writes it: the name of the format, a line in the form of its documentation, and what it says. */
test.for([
  // Gandi: the host, and a duration before the request.
  [
    'common_more',
    `www.example.com 66.249.66.1 - - [${TIME}] (12 ms) "GET /a?b=1 HTTP/1.1" 200 36 "-" "${AGENT}" - -`,
    SEEN,
  ],
  // IONOS: the host behind the size, and the chain at the end.
  ['common_more', `66.249.66.1 - - ${HEAD} www.example.com "-" "${AGENT}" "-"`, SEEN],
  // All-Inkl: the same in quotation marks.
  ['common_more', `66.249.66.1 - - ${HEAD} "www.example.com" "-" "${AGENT}" "-"`, SEEN],
  [
    'common_more',
    `66.249.66.1 - - ${HEAD} "www.example.com" "https://g.example/" "${AGENT}" "-"`,
    { ...SEEN, referer: 'https://g.example/' },
  ],
  // Rack::CommonLogger: a duration, and no user agent.
  ['common_more', `66.249.66.1 - - ${HEAD} 0.0123`, BLIND],
  // Jetty's NCSARequestLog: two spaces, and a latency.
  ['combined_more', `66.249.66.1 -  -  ${HEAD} "-" "${AGENT}" 12`, SEEN],
  ['common_more', `66.249.66.1 -  -  ${HEAD} 12`, BLIND],
  // GlassFish: quotation marks around what is no number.
  ['common_more', `"66.249.66.1" "NULL-AUTH-USER" "${TIME}" "GET /a?b=1 HTTP/1.1" 200 36`, BLIND],
  // Traefik: no quotation marks around nothing.
  ['common_more', `66.249.66.1 - - ${HEAD} - "${AGENT}" 13 "web@docker" "http://172.19.0.6:80" 247ms`, SEEN],
  // Fields that are left out, or in another place.
  ['common_more', `66.249.66.1 - ${HEAD} "-" "${AGENT}"`, SEEN],
  ['common_more', `66.249.66.1 ${HEAD} "${AGENT}"`, SEEN],
  [
    'common_more',
    `[${TIME}] www.example.com 66.249.66.1 0.012 "GET /a?b=1 HTTP/1.1" 200 36 "-" "${AGENT}"`,
    SEEN,
  ],
  // Acquia: keys behind combined.
  [
    'combined_more',
    `66.249.66.1 - - ${HEAD} "-" "${AGENT}" vhost=alpha.prod.example.net host=www.example.com hosting_site=alpha pid=267 request_time=101 forwarded_for="66.249.66.1, 10.0.0.1" request_id="v-0" location="http://x.example.org/"`,
    SEEN,
  ],
  // Nginx Proxy Manager.
  [
    'npm',
    `[${TIME}] - 200 200 - GET https www.example.com "/a?b=1" [Client 66.249.66.1] [Length 36] [Gzip -] [Sent-to 10.0.0.5] "${AGENT}" "-"`,
    SEEN,
  ],
  [
    'npm_standard',
    `[${TIME}] 200 - GET https www.example.com "/a?b=1" [Client 66.249.66.1] [Length 36] [Gzip 2.1] "${AGENT}" "-"`,
    SEEN,
  ],
  // Amazon S3, with its older lines.
  [
    's3',
    `0f1e www.example.com [${TIME}] 66.249.66.1 - 3E57 WEBSITE.GET.OBJECT a "GET /a?b=1 HTTP/1.1" 200 - 36 36 7 6 "-" "${AGENT}" - s9lz= - - - www.example.com -`,
    SEEN,
  ],
  [
    's3_more',
    `0f1e www.example.com [${TIME}] 66.249.66.1 - 3E57 WEBSITE.GET.OBJECT a "GET /a?b=1 HTTP/1.1" 200 - 36 36 7 6 "-" "${AGENT}" -`,
    SEEN,
  ],
  // HAProxy with the host of a captured header as a field of its own.
  [
    'haproxy_host',
    `66.249.66.1:5000 [${TIME.slice(0, 20)}.123] in~ app/s1 www.example.com 0/0/1/2/3 200 36 - - ---- 1/1/1/1/0 0/0 "GET /a?b=1 HTTP/1.1"`,
    BLIND,
  ],
  // Whole lines as a cell of CSV.
  ['csv:combined', `"${`66.249.66.1 - - ${HEAD} "-" "${AGENT}"`.replaceAll('"', '""')}"`, SEEN],
  // Heroku's router, in its own log and in that of a drain: the time stands before it.
  [
    'syslog:logfmt',
    `2026-11-10T12:00:00.123456+00:00 heroku[router]: at=info method=GET path="/a?b=1" host=www.example.com request_id=8601 fwd="66.249.66.1" dyno=web.1 connect=1ms service=18ms status=200 bytes=36 protocol=https`,
    BLIND,
  ],
  [
    'syslog:logfmt',
    '<158>1 2026-11-10T12:00:00.1+00:00 host heroku router - at=error code=H12 desc="Request timeout" method=GET path="/a?b=1" host=www.example.com fwd="66.249.66.1" dyno=web.1 status=200 bytes=36 protocol=https',
    BLIND,
  ],
] as const)('%s is read: %s', async ([format, text, event]) => {
  const { name, events, rejects } = await linesOf(`${text}\n${text}\n`);
  expect({ name, events, rejects }).toEqual({ name: format, events: [event, event], rejects: [] });
});

const COMMON_KEYS = { remote_addr: '66.249.66.1', status: '200', http_user_agent: AGENT };
test.for([
  // nginx with `escape=json`, by the names of its variables.
  {
    ...COMMON_KEYS,
    time_iso8601: '2026-11-10T12:00:00+00:00',
    request_method: 'GET',
    request_uri: '/a?b=1',
    http_referer: '',
    host: 'www.example.com',
    upstream_status: '502',
    request_time: '0.01',
  },
  {
    ...COMMON_KEYS,
    time_local: TIME,
    request: 'GET /a?b=1 HTTP/1.1',
    http_host: 'www.example.com',
    hostname: 'web-1',
    server_name: '_',
  },
  // As Matomo documents it.
  {
    ip: '66.249.66.1',
    host: 'www.example.com',
    path: '/a?b=1',
    status: '200',
    referrer: '-',
    user_agent: AGENT,
    length: 36,
    generation_time_milli: 8,
    date: '2026-11-10T12:00:00+00:00',
  },
  // Elastic Common Schema.
  {
    '@timestamp': '2026-11-10T12:00:00Z',
    http: { request: { method: 'GET' }, response: { status_code: 200, body: { bytes: 36 } } },
    url: { original: '/a?b=1', domain: 'www.example.com' },
    user_agent: { original: AGENT },
    source: { ip: '66.249.66.1' },
    host: { name: 'web-1' },
  },
  // Pino.
  {
    level: 30,
    time: 1794312000123,
    pid: 1,
    hostname: 'web-1',
    req: {
      id: 7,
      method: 'GET',
      url: '/a?b=1',
      headers: { host: 'www.example.com', 'user-agent': AGENT },
      remoteAddress: '::ffff:66.249.66.1',
    },
    res: { statusCode: 200, headers: { 'content-length': '36' } },
    responseTime: 5,
  },
  // Envoy.
  {
    ':authority': 'www.example.com',
    start_time: '2026-11-10T12:00:00.7Z',
    method: 'GET',
    'x-envoy-original-path': '/a?b=1',
    response_code: 200,
    bytes_sent: 36,
    'user-agent': AGENT,
    downstream_remote_address: '66.249.66.1:43000',
    protocol: 'HTTP/2',
  },
  // Amazon's API Gateway.
  {
    requestId: 'x',
    ip: '66.249.66.1',
    requestTime: TIME,
    httpMethod: 'GET',
    path: '/a?b=1',
    status: '200',
    protocol: 'HTTP/1.1',
    responseLength: '36',
    userAgent: AGENT,
  },
  // Akamai DataStream 2.
  {
    reqTimeSec: '1794312000.123',
    cliIP: '66.249.66.1',
    reqHost: 'www.example.com',
    reqMethod: 'GET',
    reqPath: 'a',
    queryStr: 'b=1',
    statusCode: '200',
    UA: AGENT.replaceAll(' ', '%20'),
    referer: '-',
    proto: 'HTTP/2',
  },
  // A level, a number and a machine have the same names.
  {
    status: 'info',
    response_status: 200,
    request: 17,
    host: 'web-1',
    request_host: 'www.example.com',
    url: '/a?b=1',
    client_ip: '66.249.66.1',
    timestamp: '2026-11-10T12:00:00Z',
    user_agent: AGENT,
  },
])('a JSON record is read by its key names, %#', async (record) => {
  const text = JSON.stringify(record);
  const { name, events, rejects } = await linesOf(`${text}\n${text}\n`);
  expect({ name, events, rejects }).toEqual({ name: 'json', events: [SEEN, SEEN], rejects: [] });
});

test('upstream responses and records of network monitors are not requests of the site', async () => {
  const asked = {
    time: 1794312000,
    url: '/a?b=1',
    host: 'www.example.com',
    client_ip: '66.249.66.1',
    user_agent: AGENT,
  };
  const proxied = { ...asked, upstream: { status: 502, host: 'other.example' }, status: 200 };
  expect((await linesOf(`${JSON.stringify(proxied)}\n`)).events).toEqual([SEEN]);
  const alert = {
    timestamp: '2026-11-10T12:00:00+0000',
    src_ip: '1.2.3.4',
    http: { hostname: 'other.net', url: '/', status: 200 },
  };
  expect(await linesOf(`${JSON.stringify(alert)}\n`)).toMatchObject({ events: [], otherHosts: 1 });
});

test('records other than requests are skipped, and records of another format are read in that format', async () => {
  const record = JSON.stringify({ time: 1794312000, url: '/a', status: 200 });
  const other = JSON.stringify({ time: 1794312000, level: 'info', message: 'started' });
  const { events, skipped } = await linesOf(`${other}\n${record}\n${other}\n${record}\n`);
  expect([events.length, skipped]).toEqual([2, 2]);
});

test('a truncated line is a reject, not a request without a user agent', async () => {
  const whole = `66.249.66.1 - - ${HEAD} "-" "${AGENT}"\n`;
  const { events, rejects } = await linesOf(`${whole}${whole.slice(0, -20)}\n${whole}`);
  expect([events.length, rejects]).toEqual([2, ['not_the_format']]);
});
