import { expect, test } from 'vitest';
import { accessLog } from '../../scripts/demo-site/access-log.ts';
import { serveDemoSite } from '../../scripts/demo-site/serve-site.ts';

const LINE = /^(\S+) - - \[(\S+) \+0000\] "GET (\S+) HTTP\/1\.1" (\d{3}) \d+ "-" "(.*)"$/;
const lines = accessLog(new Date('2026-11-25T00:00:01Z')).trimEnd().split('\n');
const requests = lines.flatMap((line) => {
  const [, address = '', time = '', path = '', status = '', agent = ''] = LINE.exec(line) ?? [];
  return path === '' ? [] : [{ address, time, path, status: Number(status), agent }];
});

test('the demo access log covers the previous day in time order, and its last line is truncated', () => {
  expect(requests).toHaveLength(lines.length - 1);
  expect(lines.at(-1)).toMatch(/^66\.249\.66\.1 - - \[24\/Nov\/2026$/);
  const times = requests.map(({ time }) => time);
  expect(times).toEqual(times.toSorted());
  expect(times.filter((time) => !time.startsWith('24/Nov/2026:'))).toEqual([]);
});

test('each status in the demo access log is what the site returned before its change', async () => {
  await using site = await serveDemoSite();
  for (const { path, status } of new Map(requests.map((one) => [one.path, one])).values()) {
    const answer = await fetch(site.origin + path, { redirect: 'manual' });
    expect([path, answer.status]).toEqual([path, status]);
    await answer.arrayBuffer();
  }
});
