import type { JsonLog, JsonRecord } from './json-format.ts';

/**
 * Cloudflare Logpush, HTTP requests
 * (https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/).
 */
const cloudflare: JsonLog = {
  map: {
    time: ['EdgeStartTimestamp', 'EdgeEndTimestamp'],
    address: 'ClientIP',
    scheme: ['ClientRequestScheme', 'ClientSSLProtocol'],
    host: 'ClientRequestHost',
    method: 'ClientRequestMethod',
    url: ['ClientRequestURI', 'ClientRequestPath'],
    status: 'EdgeResponseStatus',
    bytes: 'EdgeResponseBytes',
    referer: 'ClientRequestReferer',
    agent: 'ClientRequestUserAgent',
  },
  // A subrequest of a Worker is a hop.
  isRequest: ({ WorkerSubrequest, ParentRayID }) =>
    String(WorkerSubrequest) !== 'true' && [undefined, null, '', '00'].includes(ParentRayID as string),
};

/** Caddy (https://caddyserver.com/docs/caddyfile/directives/log). */
const caddy: JsonLog = {
  map: {
    time: 'ts',
    address: ['request.client_ip', 'request.remote_ip', 'request.remote_addr'],
    forwarded: ['request.headers.X-Forwarded-For', 'request.headers.Forwarded'],
    host: 'request.host',
    method: 'request.method',
    url: 'request.uri',
    status: 'status',
    bytes: 'size',
    referer: 'request.headers.Referer',
    agent: 'request.headers.User-Agent',
  },
  headers: 'request.headers',
  // An error has its own entry next to that of the request.
  isRequest: ({ request, logger, msg }) => {
    if (request === undefined) return false;
    if (typeof logger === 'string') return logger.startsWith('http.log.access');
    return msg === undefined || msg === 'handled request';
  },
  scheme: ({ request }) => {
    if (!isRecord(request)) return '';
    if (request.tls !== undefined) return 'https';
    const proto = isRecord(request.headers) ? request.headers['X-Forwarded-Proto'] : undefined;
    if (Array.isArray(proto)) return String(proto[0]);
    // Each entry names the protocol of the request, and TLS if it was used.
    return request.proto === undefined ? '' : '-';
  },
};

/** Traefik (https://doc.traefik.io/traefik/observe/logs-and-access-logs/). */
const traefik: JsonLog = {
  map: {
    time: ['StartUTC', 'StartLocal', 'time'],
    address: ['ClientHost', 'ClientAddr'],
    forwarded: ['request_X-Forwarded-For', 'request_Forwarded'],
    scheme: ['request_X-Forwarded-Proto', 'RequestScheme', 'TLSVersion'],
    port: 'RequestPort',
    host: ['RequestHost', 'RequestAddr'],
    method: 'RequestMethod',
    url: 'RequestPath',
    status: 'DownstreamStatus',
    bytes: 'DownstreamContentSize',
    referer: 'request_Referer',
    agent: 'request_User-Agent',
  },
  isRequest: ({ RequestPath, DownstreamStatus }) =>
    RequestPath !== undefined || DownstreamStatus !== undefined,
};

/** Vercel's log drains (https://vercel.com/docs/drains/reference/logs). */
const vercel: JsonLog = {
  map: {
    time: ['proxy.timestamp', 'timestamp'],
    address: 'proxy.clientIp',
    scheme: 'proxy.scheme',
    host: ['proxy.host', 'host'],
    method: 'proxy.method',
    url: 'proxy.path',
    status: ['proxy.statusCode', 'statusCode'],
    bytes: 'proxy.responseByteSize',
    referer: 'proxy.referer',
    agent: 'proxy.userAgent',
  },
  // A request has one entry per message of a function.
  isRequest: ({ proxy }) => isRecord(proxy) && proxy.path !== undefined,
  request: ({ requestId }) => (typeof requestId === 'string' ? requestId : ''),
};

/** Netlify's log drains, traffic (https://docs.netlify.com/manage/monitoring/log-drains/). */
const netlify: JsonLog = {
  map: {
    time: 'timestamp',
    address: ['client_ip', 'ip'],
    host: ['domain', 'host'],
    method: 'method',
    url: ['url', 'path'],
    status: ['status_code', 'status'],
    bytes: ['content_length', 'bytes'],
    referer: ['referrer', 'referer'],
    agent: 'user_agent',
  },
  isRequest: ({ status_code, log_type }) =>
    status_code !== undefined && (log_type === undefined || /traffic/.test(String(log_type))),
};

/** Google's load balancers (https://cloud.google.com/load-balancing/docs/https/https-logging-monitoring). */
const gcp: JsonLog = {
  map: {
    time: 'timestamp',
    address: 'httpRequest.remoteIp',
    method: 'httpRequest.requestMethod',
    url: 'httpRequest.requestUrl',
    status: 'httpRequest.status',
    bytes: 'httpRequest.responseSize',
    referer: 'httpRequest.referer',
    agent: 'httpRequest.userAgent',
  },
  // A load balancer and the service after it log the same request in separate logs.
  request: ({ trace, httpRequest }) =>
    typeof trace === 'string' && trace !== '' && isRecord(httpRequest)
      ? `${trace} ${httpRequest.requestMethod} ${pathOf(httpRequest.requestUrl)}`
      : '',
  server: ({ logName, resource }) => String(logName ?? (isRecord(resource) ? resource.type : '')),
  isRequest: ({ httpRequest }) => httpRequest !== undefined,
};

/**
 * Azure Front Door (https://learn.microsoft.com/azure/frontdoor/monitor-front-door#access-log) and Application Gateway
 * (https://learn.microsoft.com/azure/application-gateway/monitor-application-gateway-reference).
 */
const azure: JsonLog = {
  map: {
    time: ['time', 'timeStamp'],
    address: 'properties.clientIp',
    scheme: 'properties.sslEnabled',
    host: ['properties.hostName', 'properties.originalHost', 'properties.host'],
    method: 'properties.httpMethod',
    url: ['properties.originalRequestUriWithArgs', 'properties.requestUri'],
    status: ['properties.httpStatusCode', 'properties.httpStatus'],
    bytes: ['properties.responseBytes', 'properties.sentBytes'],
    referer: 'properties.referer',
    agent: 'properties.userAgent',
  },
  // Entries of a firewall have a URL too.
  isRequest: ({ properties, category }) =>
    isRecord(properties) &&
    properties.requestUri !== undefined &&
    // Front Door also logs the requests between its own servers.
    String(properties.isReceivedFromClient) !== 'false' &&
    (category === undefined || /access/i.test(String(category))),
};

/** Writers of JSON lines, by the names of their formats. */
export const JSON_LOGS: Readonly<Record<string, JsonLog>> = {
  cloudflare,
  caddy,
  traefik,
  vercel,
  netlify,
  gcp,
  azure,
};

/** Returns a URL without scheme and host, which differ between servers. */
function pathOf(url: unknown): string {
  return String(url).replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}
