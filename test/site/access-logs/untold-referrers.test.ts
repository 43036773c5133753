import { expect, test } from 'vitest';
import { caddy, linesOf, TIME } from './lines-of.ts';

const UNKNOWN = String.raw`\N`;
const GOOGLE = 'https://www.google.com/';
const combined = (referer: string, agent = 'Firefox'): string =>
  `9.9.9.9 - - [${TIME}] "GET /a HTTP/1.1" 200 9 "${referer}" "${agent}"\n`;
const json = (more: object): string =>
  `${JSON.stringify({ time: '2026-11-10T12:00:00Z', url: '/a', status: 200, user_agent: 'Firefox', ...more })}\n`;
const logfmt = (referer: string): string =>
  `time=2026-11-10T12:00:00Z url=/a status=200 user_agent=Firefox ${referer}\n`;
/** Formats of which one line says that its client sent no referrer. */
const NOTHING: Readonly<Record<string, readonly string[]>> = {
  json: ['', '-', null].map((http_referer) => json({ http_referer })),
  'json:time=time,url=url,status=status,agent=user_agent,referer=http_referer': ['', '-', null].map(
    (http_referer) => json({ http_referer }),
  ),
  logfmt: ['""', '', '"-"', '-', 'null'].map((value) => logfmt(`http_referer=${value}`)),
};
const headers = (more: object): string => caddy({}, { headers: { 'User-Agent': ['Firefox'], ...more } });

test.for<[name: string, log: string, format: string | undefined, visits: readonly string[]]>([
  ['an empty referrer', combined('-') + combined(GOOGLE), undefined, ['0', '1']],
  ['a bot', combined('-', 'Googlebot/2.1'), undefined, ['0']],
  [
    'a text without referrers',
    `9.9.9.9 [${TIME}] "GET /a HTTP/1.1" 200 "Firefox"\n9.9.9.9 [${TIME}] "GET /a HTTP/1.1" 200 "Googlebot/2.1"\n`,
    '%h %t "%r" %>s "%{User-agent}i"',
    [UNKNOWN, '0'],
  ],
  [
    'columns without referrers',
    '#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n2026-11-10 12:00:00 9.9.9.9 GET /a 200 Firefox\n',
    undefined,
    [UNKNOWN],
  ],
  ['records without referrers', json({}) + json({}), undefined, [UNKNOWN, UNKNOWN]],
  ['records of which one has a referrer', json({ referer: GOOGLE }) + json({}), undefined, ['1', '0']],
  ['an object called referrer', json({ referrer: { id: 7 } }), undefined, [UNKNOWN]],
  [
    'a log shipper called agent',
    json({ user_agent: undefined, agent: { type: 'filebeat' }, referer: '-' }),
    undefined,
    [UNKNOWN],
  ],
  ...Object.entries(NOTHING).flatMap(([format, lines]) =>
    lines.map(
      (line) =>
        [`${format}, ${line.trim()}`, line, format, ['0']] as [string, string, string, readonly string[]],
    ),
  ),
  ['headers without a referrer', headers({}) + headers({ Referer: [GOOGLE] }), undefined, ['0', '1']],
])(
  'whether people came from search results is known only with a referrer field: %s',
  async ([, log, format, visits]) => {
    const { searchVisits } = await linesOf(log, format === undefined ? {} : { format });
    expect(searchVisits).toEqual(visits);
  },
);
