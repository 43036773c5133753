import type { Request } from './log-requests.ts';

/** What writes a log, and how other readers are told of its format. */
export interface LogWriter {
  /** What our reader takes the format for, or is told. */
  readonly format: string;
  /** Whether it has to be told. */
  readonly isTold?: boolean;
  /** Of goaccess; absent where it can't read the format. */
  readonly goaccess?: readonly string[];
  readonly write: (requests: readonly Request[]) => string;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (number: number): string => String(number).padStart(2, '0');

/** `10/Oct/2000:13:55:36 +0000`, or the same moment with another offset. */
function clf(time: Date, hours = 0): string {
  const local = new Date(Number(time) + hours * 3_600_000);
  const date = `${two(local.getUTCDate())}/${MONTHS[local.getUTCMonth()]}/${local.getUTCFullYear()}`;
  return `${date}:${local.toISOString().slice(11, 19)} ${hours < 0 ? '-' : '+'}${two(Math.abs(hours))}00`;
}

const iso = (time: Date): string => time.toISOString().replace('.000Z', '+00:00');
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** Apache's `ap_escape_logitem`. */
function apache(text: string): string {
  return bytesOf(text).replaceAll(/["\\]|[^\x20-\x7e]/g, (one) =>
    /["\\]/.test(one) ? `\\${one}` : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** nginx's escape=default. */
function nginx(text: string): string {
  return bytesOf(text).replaceAll(
    /["\\]|[^\x20-\x7e]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** What CloudFront encodes in a field (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html). */
function cloudFront(text: string): string {
  return bytesOf(text).replaceAll(
    /[^\x21-\x7e]|["<>#%{}|\\^[\]`]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

const pathOf = ({ target }: Request): string => target.split('?', 1)[0] ?? '';
const queryOf = ({ target }: Request): string => target.slice(pathOf({ target } as Request).length + 1);
const orDash = (text: string): string => (text === '' ? '-' : text);
const lines = (line: (request: Request, index: number) => string) => (requests: readonly Request[]) =>
  requests.map((one, index) => `${line(one, index)}\n`).join('');
const json = (record: (request: Request, index: number) => object) =>
  lines((one, index) => bytesOf(JSON.stringify(record(one, index))));
const port = ({ scheme }: Request): number => (scheme === 'https' ? 443 : 80);

function common(one: Request, written = nginx, hours = 0): string {
  return `${one.address} - - [${clf(one.at, hours)}] "${one.method} ${written(one.target)} HTTP/1.1" ${one.status} ${one.bytes}`;
}

function combined(one: Request, written = nginx, hours = 0): string {
  return `${common(one, written, hours)} "${orDash(written(one.referer))}" "${orDash(written(one.agent))}"`;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html */
function alb(one: Request): string {
  const time = one.at.toISOString().replace('Z', '421Z');
  const request = `${one.method} ${one.scheme}://${one.host}:${port(one)}${nginx(one.target)} HTTP/1.1`;
  return [
    `${one.scheme} ${time} app/lb/50dc6c495c0c9188 ${one.address}:2817 10.0.0.1:80 0.000 0.001 0.000`,
    `${one.status} ${one.status} 34 ${one.bytes} "${request}" "${nginx(one.agent)}" - -`,
    `arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/73e2 "Root=1-58337262-36d228ad" "-" "-" 0`,
    `${time} "forward" "-" "-" "10.0.0.1:80" "${one.status}" "-" "-"`,
  ].join(' ');
}

const IIS =
  '#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-10-30 00:00:00\n';
const iis = (requests: readonly Request[]): string =>
  `${IIS}#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes time-taken\n${lines(
    (one) =>
      `${one.at.toISOString().slice(0, 19).replace('T', ' ')} 10.0.0.4 ${one.method} ${bytesOf(pathOf(one))} ${orDash(bytesOf(queryOf(one)))} ${port(one)} - ${one.address} ${one.agent.replaceAll(' ', '+')} ${orDash(one.referer.replaceAll(' ', '+'))} ${one.host} ${one.status} 0 0 ${one.bytes} 15`,
  )(requests)}`;
const advanced = (requests: readonly Request[]): string =>
  `${IIS}#Fields: c-ip BeginRequest-UTC cs-method cs-uri-stem cs-uri-query sc-status sc-bytes cs(Referer) cs(User-Agent) cs(Host) s-port\n${lines(
    (one) =>
      `${one.address} ${one.at.toISOString().slice(0, 23).replace('T', ' ')} ${one.method} ${bytesOf(pathOf(one))} ${orDash(bytesOf(queryOf(one)))} ${one.status} ${one.bytes} "${one.referer}" "${one.agent}" "${one.host}" ${port(one)}`,
  )(requests).replaceAll(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})/g, '"$1"')}`;
const CLOUDFRONT =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken';
const cloudfront = (requests: readonly Request[]): string =>
  `#Version: 1.0\n#Fields: ${CLOUDFRONT}\n${lines((one, index) =>
    [
      one.at.toISOString().slice(0, 10),
      one.at.toISOString().slice(11, 19),
      'FRA2-C1',
      one.bytes,
      one.address,
      one.method,
      'd111111abcdef8.cloudfront.net',
      cloudFront(pathOf(one)),
      one.status,
      orDash(cloudFront(one.referer)),
      orDash(cloudFront(one.agent)),
      orDash(cloudFront(queryOf(one))),
      '-',
      'Hit',
      `id${index}`,
      one.host,
      one.scheme,
      23,
      '0.001',
    ].join('\t'),
  )(requests)}`;

const cloudflareRecord = (one: Request): object => ({
  ClientIP: one.address,
  ClientRequestHost: one.host,
  ClientRequestMethod: one.method,
  ClientRequestURI: one.target,
  ClientRequestScheme: one.scheme,
  EdgeResponseStatus: one.status,
  EdgeResponseBytes: one.bytes,
  EdgeStartTimestamp: one.at.toISOString().replace('.000', ''),
  ClientRequestReferer: one.referer,
  ClientRequestUserAgent: one.agent,
  RayID: '4df',
});
const caddyRecord = (one: Request): object => ({
  level: 'info',
  ts: Number(one.at) / 1000 + 0.25,
  logger: 'http.log.access.log0',
  msg: 'handled request',
  request: {
    remote_ip: one.address,
    remote_port: '4711',
    client_ip: one.address,
    proto: 'HTTP/2.0',
    method: one.method,
    host: one.host,
    uri: one.target,
    headers: { 'User-Agent': [one.agent], ...(one.referer === '' ? {} : { Referer: [one.referer] }) },
    ...(one.scheme === 'https' ? { tls: { resumed: false, version: 772, proto: 'h2' } } : {}),
  },
  bytes_read: 0,
  duration: 0.001,
  size: one.bytes,
  status: one.status,
  resp_headers: {},
});
const traefikRecord = (one: Request): object => ({
  ClientAddr: `${one.address}:4711`,
  ClientHost: one.address,
  ClientPort: '4711',
  ClientUsername: '-',
  DownstreamContentSize: one.bytes,
  DownstreamStatus: one.status,
  Duration: 1_000_000,
  RequestAddr: one.host,
  RequestHost: one.host,
  RequestMethod: one.method,
  RequestPath: one.target,

  RequestPort: '-',
  RequestProtocol: 'HTTP/2.0',
  RequestScheme: one.scheme,
  StartUTC: one.at.toISOString(),

  level: 'info',
  msg: '',
  time: iso(one.at),
  'request_User-Agent': one.agent,
  request_Referer: one.referer,
});
const vercelRecord = (one: Request, index: number): object => ({
  id: `e${index}`,
  message: 'START',
  timestamp: Number(one.at) + 900,
  type: 'response',
  source: 'lambda',
  host: 'shop-git.vercel.app',
  requestId: `r${index}`,
  statusCode: one.status,
  path: pathOf(one),
  proxy: {
    timestamp: Number(one.at),
    method: one.method,
    scheme: one.scheme,
    host: one.host,
    path: one.target,
    userAgent: [one.agent],
    referer: one.referer,
    statusCode: one.status,
    clientIp: one.address,
  },
});
const netlifyRecord = (one: Request, index: number): object => ({
  log_type: 'traffic',
  client_ip: one.address,
  content_type: 'text/html',
  domain: one.host,
  duration: 3,
  method: one.method,
  referrer: one.referer,
  request_id: `r${index}`,
  status_code: one.status,

  timestamp: one.at.toISOString(),
  url: `${one.scheme}://${one.host}${one.target}`,
  user_agent: one.agent,
});
const fastlyRecord = (one: Request): object => ({
  time: iso(one.at),
  'http.host': one.host,
  http: { url: one.target, status_code: String(one.status) },
});

const syslogTime = (time: Date): string =>
  `${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)} ${time.toISOString().slice(11, 19)}`;
const GOACCESS_TIME = ['--date-format=%d/%b/%Y', '--time-format=%H:%M:%S'];
const COMBINED = '%h %^[%d:%t %^] "%r" %s %b "%R" "%u"';
const custom = (format: string): readonly string[] => [`--log-format=${format}`, ...GOACCESS_TIME];
const CUSTOM_TEXT = '$remote_addr [$time_iso8601] "$request" $status $body_bytes_sent "$http_user_agent"';
const PIPES = '$msec|$host|$request_method|$request_uri|$status';
const STRFTIME = '%a "%{%Y-%m-%d %H:%M:%S}t" "%r" %>s %B';
const PARTS = '%v:%p %{%d/%b/%Y:%T}t.%{msec_frac}t %m "%U%q" %>s "%{User-Agent}i"';

/** A writer of each format that our reader knows, and of formats that people write. */
export const LOG_WRITERS: Readonly<Record<string, LogWriter>> = {
  'combined of nginx': {
    format: 'combined',
    goaccess: ['--log-format=COMBINED'],
    write: lines((one) => combined(one)),
  },
  'combined of Apache': {
    format: 'combined',
    goaccess: ['--log-format=COMBINED'],
    write: lines((one) => combined(one, apache)),
  },
  'combined with offsets': {
    format: 'combined',
    write: lines((one, index) => combined(one, apache, (index % 24) - 11)),
  },
  common: { format: 'common', goaccess: ['--log-format=COMMON'], write: lines((one) => common(one, apache)) },
  vhost_combined: {
    format: 'vhost_combined',
    goaccess: ['--log-format=VCOMBINED'],
    write: lines((one) => `${one.host}:${port(one)} ${combined(one, apache)}`),
  },
  vhost_more: {
    format: 'vhost_more',
    goaccess: custom(`%v:%^ ${COMBINED} %^`),
    write: lines((one) => `${one.host}:${port(one)} ${combined(one, apache)} 0.012`),
  },
  host_combined: {
    format: 'host_combined',
    goaccess: custom(`%v ${COMBINED} %^`),
    write: lines((one) => `${one.host} ${combined(one)} "172.18.0.2:80"`),
  },
  host_common: {
    format: 'host_common',
    goaccess: custom('%v %h %^[%d:%t %^] "%r" %s %b'),
    write: lines((one) => `${one.host} ${common(one)}`),
  },
  nginx_forwarded: {
    format: 'nginx_forwarded',
    goaccess: custom(`${COMBINED} %^`),
    write: lines((one) => `${combined(one)} "-"`),
  },
  'common of Traefik': {
    format: 'combined_more',
    goaccess: custom(`${COMBINED} %^`),
    write: lines((one, index) => `${combined(one)} ${index} "web@docker" "http://10.0.0.3:80" 12ms`),
  },
  alb: {
    format: 'alb',
    goaccess: [
      '--log-format=%^ %dT%t.%^ %^ %h:%^ %^ %T %^ %^ %s %^ %^ %b "%r" "%u" %^',
      '--date-format=%Y-%m-%d',
      '--time-format=%H:%M:%S',
    ],
    write: lines(alb),
  },
  'W3C of IIS': {
    format: 'w3c',
    goaccess: [
      '--log-format=%d %t %^ %m %U %q %^ %^ %h %u %R %v %s %^ %^ %b %L',
      '--date-format=%Y-%m-%d',
      '--time-format=%H:%M:%S',
    ],
    write: iis,
  },
  'Advanced Logging of IIS': { format: 'w3c', write: advanced },
  CloudFront: {
    format: 'w3c',
    goaccess: [
      '--double-decode',
      '--log-format=%d\\t%t\\t%^\\t%b\\t%h\\t%m\\t%^\\t%U\\t%s\\t%R\\t%u\\t%q\\t%^',
      '--date-format=%Y-%m-%d',
      '--time-format=%H:%M:%S',
    ],
    write: cloudfront,
  },
  cloudflare: {
    format: 'cloudflare',
    goaccess: [
      '--log-format={"ClientIP":"%h","ClientRequestHost":"%v","ClientRequestMethod":"%m","ClientRequestURI":"%U","EdgeResponseStatus":"%s","EdgeResponseBytes":"%b","EdgeStartTimestamp":"%dT%tZ","ClientRequestReferer":"%R","ClientRequestUserAgent":"%u"}',
      '--date-format=%Y-%m-%d',
      '--time-format=%H:%M:%S',
    ],
    write: json(cloudflareRecord),
  },
  'cloudflare as an array': {
    format: 'cloudflare',
    write: (all) => bytesOf(JSON.stringify(all.map(cloudflareRecord), null, 2)),
  },
  caddy: { format: 'caddy', goaccess: ['--log-format=CADDY'], write: json(caddyRecord) },
  traefik: { format: 'traefik', write: json(traefikRecord) },
  vercel: { format: 'vercel', write: json(vercelRecord) },
  netlify: { format: 'netlify', write: json(netlifyRecord) },
  'json by a map': {
    format: 'json:time=time,host=http.host,url=http.url,status=http.status_code',
    isTold: true,
    write: json(fastlyRecord),
  },
  'syslog of RFC 3164': {
    format: 'syslog:combined',
    goaccess: custom(`%^: ${COMBINED}`.replace('%^:', '%^nginx:')),
    write: lines((one) => `${syslogTime(one.at)} web-1 nginx: ${combined(one)}`),
  },
  'syslog of RFC 5424': {
    format: 'syslog:combined',
    goaccess: custom(`%^ %^ %^ %^ %^ %^ %^ ${COMBINED}`),
    write: lines((one) => `<190>1 ${one.at.toISOString()} web-1 nginx 41 - - ${combined(one)}`),
  },
  docker: {
    format: 'docker:combined',
    write: json((one) => ({
      log: `${combined(one, nginx)}\n`,
      stream: 'stdout',
      time: one.at.toISOString(),
    })),
  },
  'cri in parts': {
    format: 'cri:combined',
    write: lines((one, index) => {
      const [line, prefix] = [combined(one), `${one.at.toISOString()} stdout`];
      return index % 5 === 0
        ? `${prefix} P ${line.slice(0, 40)}\n${prefix} F ${line.slice(40)}`
        : `${prefix} F ${line}`;
    }),
  },
  journald: {
    format: 'journald:combined',
    write: json((one) => ({
      __REALTIME_TIMESTAMP: `${Number(one.at)}000`,
      SYSLOG_IDENTIFIER: 'nginx',
      PRIORITY: '6',
      MESSAGE: combined(one, nginx),
    })),
  },
  compose: {
    format: 'compose:combined',
    goaccess: custom(`%^| ${COMBINED}`),
    write: lines((one) => `web-1  | ${combined(one)}`),
  },
  timestamp: {
    format: 'timestamp:combined',
    goaccess: custom(`%^ ${COMBINED}`),
    write: lines((one) => `${one.at.toISOString()} ${combined(one)}`),
  },
  'nginx with a time of ISO 8601': {
    format: CUSTOM_TEXT,
    isTold: true,
    goaccess: [
      '--log-format=%h [%dT%t+00:00] "%r" %s %b "%u"',
      '--date-format=%Y-%m-%d',
      '--time-format=%H:%M:%S',
    ],
    write: lines(
      (one) =>
        `${one.address} [${iso(one.at)}] "${one.method} ${nginx(one.target)} HTTP/1.1" ${one.status} ${one.bytes} "${nginx(one.agent)}"`,
    ),
  },
  'nginx with bars': {
    format: PIPES,
    isTold: true,
    write: lines(
      (one) =>
        `${Number(one.at) / 1000}.000|${one.host}|${one.method}|${nginx(one.target).replaceAll('|', '%7C')}|${one.status}`,
    ),
  },
  'Apache with strftime': {
    format: STRFTIME,
    isTold: true,
    goaccess: ['--log-format=%h "%d %t" "%r" %s %b', '--date-format=%Y-%m-%d', '--time-format=%H:%M:%S'],
    write: lines(
      (one) =>
        `${one.address} "${one.at.toISOString().slice(0, 19).replace('T', ' ')}" "${one.method} ${apache(one.target)} HTTP/1.1" ${one.status} ${one.bytes}`,
    ),
  },
  'Apache in parts': {
    format: PARTS,
    isTold: true,
    write: lines(
      (one) =>
        `${one.host}:${port(one)} ${clf(one.at).slice(0, 20)}.250 ${one.method} "${apache(decodedPath(one))}${apache(one.target.slice(pathOf(one).length))}" ${one.status} "${apache(one.agent)}"`,
    ),
  },
};

/** The path of `%U`, which Apache has decoded; octets that are none stay. */
function decodedPath(one: Request): string {
  const bytes = bytesOf(pathOf(one)).replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
