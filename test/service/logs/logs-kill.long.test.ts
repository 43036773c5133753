import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { accessLog } from '../../support/access-log.ts';
import { addLogsIn } from '../../support/add-logs.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const KILLS = ALL_ROUNDS ? 20 : 4;
const FILES = 3;
const LINES = 60_000;
const CHILD = join(import.meta.dirname, '../../support/add-logs.ts');

/** What a folder has of its logs: a digest of all events, and of the pages of each granularity. */
async function found(folder: string): Promise<unknown> {
  await using rows = await ServiceRows.open(folder);
  return rows.use(async (connection) => {
    const views = "SELECT view_name AS name FROM duckdb_views() WHERE starts_with(view_name, 'events_')";
    const tables =
      "SELECT table_name AS name FROM duckdb_tables() WHERE starts_with(table_name, 'log_pages_')";
    const names = await connection.rows(`(${views}) UNION ALL (${tables}) ORDER BY name`);
    const digests = [];
    for (const { name } of names) {
      const sql = `SELECT count(*) AS n, CAST(sum(hash(CAST(found AS VARCHAR))) AS VARCHAR) AS digest FROM (SELECT COLUMNS('^c') FROM ${ServiceRows.table(String(name))}) AS found`;
      digests.push([name, await connection.jsonRows(sql)]);
    }
    return digests;
  });
}

test(`logs added by a killed process are the same, and read once (seed ${roundSeed()})`, async () => {
  const logs = await temporaryFolder();
  const paths = [];
  for (let file = 0; file < FILES; file++) {
    const path = join(logs, `access.log.${file}.gz`);
    await pipeline(
      Readable.from(accessLog({ lines: LINES, days: 3, seed: file })),
      createGzip(),
      createWriteStream(path),
    );
    paths.push(path);
  }
  const [calm, stormy] = [await temporaryFolder(), await temporaryFolder()];
  const began = performance.now();
  await addLogsIn(calm, paths);
  const whole = performance.now() - began;
  const random = seededRandom(roundSeed());
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [CHILD, stormy, ...paths], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    // The moment of the kill is the subject.
    await sleep(random() * whole);
    child.kill('SIGKILL');
    await ended;
  }
  const files = await addLogsIn(stormy, paths);
  expect(files.every(({ status }) => status === 'added' || status === 'known')).toBe(true);
  expect(await found(stormy)).toEqual(await found(calm));
  expect((await addLogsIn(stormy, paths)).map(({ lines }) => lines)).toEqual([0, 0, 0]);
});
