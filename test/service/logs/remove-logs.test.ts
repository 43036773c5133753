import { appendFile, copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { runs, sampleOf } from '../../support/runs.ts';
import '../../support/process-timeout.ts';
import { line, long, openLogs } from './open-logs.ts';

type Logs = Awaited<ReturnType<typeof openLogs>>;

/** What a project has of its logs: events, pages, and the records of files. */
async function stateOf({ events, pages, path, project, resources }: Logs): Promise<unknown> {
  const files = resources
    .list('ingest_files', project.id)
    .map((one) => [String(one.name).replace(path(''), ''), one.valid_lines, one.invalid_lines]);
  const rows =
    resources.dataset(project.id, 'events') === undefined
      ? []
      : await events('url', 'event_date', 'user_agent', 'bytes_sent');
  const days = rows.length === 0 ? [] : [await pages('days'), await pages('weeks'), await pages('months')];
  return { files: files.sort(), events: rows.map(String).sort(), days };
}

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => {
    const minute = String(Math.floor((from + n) / 60)).padStart(2, '0');
    const at = `23/Nov/2026:10:${minute}:${String((from + n) % 60).padStart(2, '0')} +0000`;
    return line({ url: `/${from + n}`, at });
  }).join('');

test('a file that grew, rotated and was compressed is removed completely, through any of its copies', async () => {
  for (const named of sampleOf(['access.log.1', 'access.log.2.gz', 'copy.log'])) {
    const logs = await openLogs();
    const { path, add, remove } = logs;
    await long(path('other.log'), line({ url: '/other', agent: 'another' }));
    await add(['other.log']);
    const before = await stateOf(logs);
    await writeFile(path('access.log'), numbered(0, 5));
    await add(['access.log']);
    await appendFile(path('access.log'), numbered(5, 9));
    await rename(path('access.log'), path('access.log.1'));
    await add(['access.log.1']);
    await writeFile(path('access.log.2.gz'), gzipSync(await readFile(path('access.log.1'))));
    await copyFile(path('access.log.1'), path('copy.log'));
    await add(['.']);
    const whole = await stateOf(logs);
    expect(await remove([named], true)).toMatchObject([{ status: 'removed', events: 9 }]);
    expect(await stateOf(logs)).toEqual(whole);
    // Two of its copies are one file.
    expect(await remove([named, named === 'copy.log' ? 'access.log.1' : 'copy.log'])).toMatchObject([
      { status: 'removed', events: 9, days: 1, shared: [], incomplete: [] },
    ]);
    expect(await stateOf(logs)).toEqual(before);
    await expect(remove([named])).rejects.toThrow('was not added');
    // Nothing of it is known: any copy is read again.
    expect((await add(['access.log.2.gz'])).files).toMatchObject([{ status: 'added', events: 9 }]);
  }
});

test('lines shared with another file then count there, and a missing file is known by its path', async () => {
  const logs = await openLogs();
  const { path, add, remove, events } = logs;
  await long(path('a.log'), numbered(0, 40));
  await long(path('b.log'), numbered(30, 60));
  await long(path('copy.log'), `${numbered(10, 20)}`);
  await add(['a.log', 'b.log', 'copy.log']);
  expect((await events('urlpath')).length).toBe(60);
  await rm(path('a.log'));
  expect(await remove(['a.log'])).toMatchObject([
    {
      status: 'removed',
      events: 40,
      incomplete: [],
      shared: [
        { file: path('b.log'), events: 10 },
        { file: path('copy.log'), events: 10 },
      ],
    },
  ]);
  expect((await events('urlpath')).length).toBe(40);
  expect(await remove(['b.log', 'copy.log'])).toHaveLength(2);
  expect(await stateOf(logs)).toEqual({ files: [], events: [], days: [] });
});

test('a shorter copy of a later file keeps its lines there', async () => {
  const logs = await openLogs();
  const { path, add, remove } = logs;
  await long(path('day.log'), numbered(0, 20));
  await add(['day.log']);
  await long(path('both.log'), numbered(0, 50));
  await add(['both.log']);
  const whole = await stateOf(logs);
  expect(await remove(['day.log'])).toEqual([
    expect.objectContaining({ status: 'kept', events: 0, names: [path('both.log')] }),
  ]);
  expect(await stateOf(logs)).toEqual(whole);
});

test('lines replaced under other address rules are not kept, and the command names their file', async () => {
  const { path, add, remove, rows, project } = await openLogs();
  await long(path('a.log'), numbered(0, 20));
  await add(['a.log'], { addresses: 'hash' });
  await long(path('b.log'), line({ url: '/first' }) + numbered(0, 30));
  await add(['b.log']);
  const hidden = `SELECT count(*) FROM ${ServiceRows.table(`log_hidden_${project.id}`)}`;
  expect(await rows.use((connection) => connection.scalar(hidden))).toBe(0n);
  expect(await remove(['b.log'])).toMatchObject([{ events: 31, incomplete: [path('a.log')] }]);
});

test('removing a file leaves the project as if it was never added, whatever lines files share', async () => {
  const piece = fc.record({ from: fc.nat(60), length: fc.integer({ min: 1, max: 30 }) });
  const step = fc.record({
    file: fc.nat(3),
    pieces: fc.array(piece, { minLength: 1, maxLength: 3 }),
    again: fc.boolean(),
    zone: fc.constantFrom('UTC', 'Europe/Paris'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), fc.nat(3), async (steps, gone) => {
      const [with_, without] = [await openLogs(), await openLogs()];
      for (const { file, pieces, again, zone } of steps)
        for (const logs of file === gone ? [with_] : [with_, without]) {
          const path = logs.path(`${file}.log`);
          const isNew = await readFile(path).then(
            () => false,
            () => true,
          );
          // No file begins with the text of another one.
          const text = pieces.map(({ from, length }) => numbered(from, from + length)).join('');
          await appendFile(path, isNew ? line({ url: `/file-${file}` }) + text : text);
          await logs.add([`${file}.log`], { again, time_zone: zone });
        }
      if (!steps.some(({ file }) => file === gone)) return;
      await with_.remove([`${gone}.log`]);
      expect(await stateOf(with_)).toEqual(await stateOf(without));
    }),
    { numRuns: runs(5), endOnFailure: true },
  );
});
