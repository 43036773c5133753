import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isSpread, type LogFileReport } from '../../../src/site/access-logs/log-report.ts';
import '../../support/process-timeout.ts';
import { line, long, openLogs } from './open-logs.ts';

test('a file with rejects is refused completely, or added without them', async () => {
  const { path, add, events, resources, project } = await openLogs();
  const dirty = `${line({ url: '/1', agent: 'first' })}\u0016\u0003\u0001 garbage\n${line({ url: '/2', status: 'ok' })}\n${line({ url: '/3' })}`;
  await long(path('dirty.log'), dirty);
  const { files } = await add(['dirty.log'], {}, 'fail');
  const counts = { lines: 5, rejected: 2, skipped: 1, other_hosts: 0 };
  const places = { not_the_format: [2], bad_status: [3] };
  expect(files).toMatchObject([{ status: 'refused', ...counts, places }]);
  await long(path('clean.log'), line({ url: '/0' }));
  await add(['clean.log']);
  expect((await events('urlpath', 'user_agent')).length).toBe(1);
  expect((await add(['dirty.log'], {}, 'quarantine')).files).toMatchObject([
    { status: 'added', events: 2, ...counts },
  ]);
  expect(await events('urlpath', 'user_agent')).toEqual([
    ['/0', 'Mozilla/5.0 Firefox/140.0'],
    ['/1', 'first'],
    ['/3', 'Mozilla/5.0 Firefox/140.0'],
  ]);
  expect(
    resources.list('ingest_files', project.id).find(({ name }) => name === path('dirty.log')),
  ).toMatchObject({
    status: 'PROCESSED',
    valid_lines: 2,
    invalid_lines: 2,
    detailed_invalid_lines: { not_the_format: 1, bad_status: 1 },
    lines_errors_messages: { bad_status: ['line 3: the status is not three digits'] },
    size: Buffer.byteLength(dirty),
  });
});

test('a file whose requests all name other hosts is refused with the hosts, like a file without the given keys', async () => {
  const { path, add } = await openLogs();
  await long(path('other.log'), `other.example:443 ${line()}`);
  await long(path('keys.log'), '{"at":1794312000,"url":"/a","code":200}\n');
  expect((await add(['other.log'])).files).toMatchObject([
    { status: 'refused', events: 0, error: { message: expect.stringContaining('other.example') } },
  ]);
  expect((await add(['keys.log'], { format: 'json:time=at,url=url,status=cod' })).files).toMatchObject([
    { status: 'failed', error: { message: expect.stringContaining('no line has the key cod') } },
  ]);
  expect((await add(['keys.log'], { format: 'json:time=at,url=url,status=code' })).files).toMatchObject([
    { status: 'added', events: 1 },
  ]);
});

test('a file with distant days is added after a yes, and the question is asked once', async () => {
  const { path, add, events } = await openLogs();
  await long(path('a.log'), line({ at: '23/Nov/2025:10:00:00 +0000' }) + line());
  await long(path('b.log'), line({ at: '20/Nov/2026:10:00:00 +0000', url: '/b' }));
  const asked: string[] = [];
  const confirm = (answer: boolean) => async (report: LogFileReport) => {
    if (!isSpread(report)) return true;
    asked.push(`${report.days} ${answer}`);
    return answer;
  };
  expect((await add(['a.log', 'b.log'], { confirm: confirm(false) })).files).toMatchObject([
    { status: 'refused', error: { message: expect.stringContaining('2 days that are far apart') } },
    { status: 'added' },
  ]);
  expect(await events('url')).toHaveLength(1);
  expect((await add(['a.log'], { confirm: confirm(true) })).files).toMatchObject([{ status: 'added' }]);
  await appendFile(path('a.log'), line({ url: '/more' }));
  expect((await add(['a.log'], { confirm: confirm(false) })).files).toMatchObject([{ status: 'added' }]);
  expect([asked, (await events('url')).length]).toEqual([['2 false', '2 true'], 4]);
});
