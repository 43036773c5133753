import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testSeed } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';
import { AGENT, caddy, line, linesOf, TIME } from './lines-of.ts';

const PLAIN = line('66.249.66.1').trimEnd();
const COMMON = PLAIN.slice(0, PLAIN.indexOf(' "-"'));
/** A line of each kind that may follow another in one file, by what is made of it alone. */
const LINES: Readonly<Record<string, string>> = {
  common: COMMON,
  combined: PLAIN,
  combined_escaped: PLAIN.replace('/a', '/a\\x22b'),
  host_combined: `www.example.com ${PLAIN}`,
  host_common: `www.example.com ${COMMON}`,
  vhost_combined: `www.example.com:443 ${PLAIN}`,
  nginx_forwarded: `${PLAIN} "66.249.66.1"`,
  combined_more: `${PLAIN} "0.123"`,
  name: PLAIN.replace('66.249.66.1', 'crawl-66-249-66-1.googlebot.com'),
  envoy: `[2026-11-10T12:00:00.1Z] "GET /a HTTP/2" 200 - 0 9 5 4 "66.249.66.1" "${AGENT}" "c2" "www.example.com" "10.0.0.1:80"`,
  haproxy:
    '66.249.66.1:33317 [10/Nov/2026:12:00:00.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"',
  caddy: caddy({}).trimEnd(),
  w3c: `#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n2026-11-10 12:00:00 66.249.66.1 GET /a 200 ${AGENT.replaceAll(' ', '+')}`,
};
const KINDS = Object.keys(LINES);

test('each line of a file with changing formats is read as it would be alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 3 }),
      async (kinds, junk) => {
        const alone = [];
        for (const kind of kinds) alone.push(...(await linesOf(`${LINES[kind]}\n`)).events);
        const broken = Array.from({ length: Math.min(junk, kinds.length >> 2) }, () => 'GET me');
        const text = [...kinds.map((kind) => LINES[kind]), ...broken].map((one) => `${one}\n`).join('');
        const { events, rejects } = await linesOf(text);
        expect([events, rejects]).toEqual([alone, broken.map(() => 'not_the_format')]);
      },
    ),
    { seed: testSeed(), numRuns: runs(150), endOnFailure: true },
  );
});

test('agents and hosts are read from the line on at which they appear', async () => {
  const common = `${COMMON}\n`.repeat(40);
  const { events, rejects } = await linesOf(
    `${common}${PLAIN}\n${common}www.example.com ${PLAIN}\n${PLAIN}\n`,
  );
  expect([events.length, events.filter(({ verdict }) => verdict === 'verified').length, rejects]).toEqual([
    83,
    3,
    [],
  ]);
});

test('lines of other hosts are excluded from the point at which lines name a host', async () => {
  const { events, otherHosts } = await linesOf(`${PLAIN}\n`.repeat(9) + `other.example ${PLAIN}\n`.repeat(3));
  expect([events.length, otherHosts]).toEqual([9, 3]);
});

test('a file with many unreadable lines is still read', async () => {
  const junk = `${TIME} something else\n`.repeat(5000);
  const { events, rejects } = await linesOf(
    `${PLAIN}\n`.repeat(900) + junk + `www.example.com ${PLAIN}\n`.repeat(300),
  );
  expect(rejects.length).toBe(5000);
  expect(events.length).toBe(1200);
});
