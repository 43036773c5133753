import { expect, test } from 'vitest';
import { line, linesOf } from './lines-of.ts';

const REQUEST = {
  requestMethod: 'GET',
  requestUrl: 'https://www.example.com/a',
  status: 200,
  remoteIp: '66.249.66.1',
  userAgent: 'Firefox',
  responseSize: '9',
};
const gcp = (logName: string, more: object = {}, request: object = {}): string =>
  `${JSON.stringify({ timestamp: '2026-11-10T12:00:00Z', logName, httpRequest: { ...REQUEST, ...request }, trace: 't/1', ...more })}\n`;
const cloudflare = (more: object): string =>
  `${JSON.stringify({
    EdgeStartTimestamp: '2026-11-10T12:00:00Z',
    ClientIP: '66.249.66.1',
    ClientRequestMethod: 'GET',
    ClientRequestHost: 'www.example.com',
    ClientRequestURI: '/a',
    EdgeResponseStatus: 200,
    ClientRequestUserAgent: 'Firefox',
    ...more,
  })}\n`;
const frontDoor = (more: object): string =>
  `${JSON.stringify({
    time: '2026-11-10T12:00:00Z',
    category: 'FrontDoorAccessLog',
    properties: {
      clientIp: '66.249.66.1',
      requestUri: 'https://www.example.com:443/a',
      httpStatusCode: '200',
      httpMethod: 'GET',
      userAgent: 'Firefox',
      ...more,
    },
  })}\n`;
const asked = (method: string): string => line('10.0.0.1').replace('GET', method);
const iis = (method: string): string =>
  `#Fields: date time cs-method cs-uri-stem sc-status\n2026-11-10 12:00:00 ${method} /a 200\n`;

test.for([
  ['a load balancer and its backend', 1, gcp('requests') + gcp('run.googleapis.com%2Frequests')],
  [
    'its backend by another address',
    1,
    gcp('requests') + gcp('run', {}, { requestUrl: 'http://www.example.com/a' }),
  ],
  ['two requests of one server in one trace', 2, gcp('requests') + gcp('requests')],
  ['two URLs of one trace', 2, gcp('requests') + gcp('run', {}, { requestUrl: 'https://www.example.com/b' })],
  ['two traces', 2, gcp('requests') + gcp('run', { trace: 't/2' })],
  ['no traces', 2, gcp('requests', { trace: '' }) + gcp('run', { trace: '' })],
  [
    'Front Door asks its origin',
    1,
    frontDoor({ isReceivedFromClient: true }) + frontDoor({ isReceivedFromClient: false }),
  ],
  [
    'Front Door in texts',
    1,
    frontDoor({ isReceivedFromClient: 'true' }) + frontDoor({ isReceivedFromClient: 'false' }),
  ],
  ['a Worker asks', 1, cloudflare({ WorkerSubrequest: false }) + cloudflare({ WorkerSubrequest: true })],
  ['a parent ray', 1, cloudflare({ ParentRayID: '00' }) + cloudflare({ ParentRayID: '8a1b' })],
  ...['PURGE', 'BAN', 'REFRESH', 'SOFTPURGE', 'FASTLYPURGE', 'PURGEALL'].flatMap(
    (method) =>
      [
        [`${method} of combined`, 1, asked('GET') + asked(method)],
        [`${method} of Cloudflare`, 1, cloudflare({}) + cloudflare({ ClientRequestMethod: method })],
        [`${method} of IIS`, 1, iis('GET') + iis(method)],
      ] as const,
  ),
  ...['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT'].map(
    (method) => [method, 2, asked('GET') + asked(method)] as const,
  ),
] as const)('an event is one request of one client: %s, %i', async ([, count, log]) => {
  const { events, rejects, skipped } = await linesOf(log);
  expect([events.length, rejects]).toEqual([count, []]);
  expect(skipped).toBe(log.split('\n').length - 1 - count);
});

const arr = (query: string): string =>
  `#Fields: date time cs-method cs-uri-stem cs-uri-query sc-status\n2026-11-10 12:00:00 GET /a ${query} 200\n`;
test.for([
  ['', 'X-ARR-LOG-ID=5f2c8b8e-1c4f-4f4f-9a9a-1b2c3d4e5f60'],
  ['?b=c', 'b=c&X-ARR-CACHE-HIT=0&X-ARR-LOG-ID=5f2c8b8e&SERVER-STATUS=200'],
  ['?b=c&d=e', 'X-ARR-LOG-ID=5f2c&b=c&X-ARR-SSL=2048|256|C=US,+O=Let|CN=www.example.com&d=e'],
  ['', "|277|800a000d|Type_mismatch:_'x'"],
  ['?id=1', 'id=1|-|0|404_Not_Found'],
  ['?id=1', 'id=1&X-ARR-LOG-ID=5f2c|12|80004005|Error'],
  ['?a=x|y', 'a=x|y'],
  ['?x-arr-log-id=1', 'x-arr-log-id=1'],
] as const)(
  'text that IIS adds to a logged query is not part of the URL: %j of %s',
  async ([query, written]) => {
    const { events, rejects } = await linesOf(arr(written));
    expect([events.map(({ url }) => url), rejects]).toEqual([[`https://www.example.com/a${query}`], []]);
  },
);
