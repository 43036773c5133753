import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ChangedBlocks,
  type DatabaseState,
  FIRST_BLOCK,
  readState,
} from '../../../src/core/duckdb/database-blocks.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { FILE_OPTIONS } from '../../../src/etl/state/catalog/schema.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** A file at one of its checkpoints, and what may have changed in it since. */
interface Moment {
  readonly bytes: Buffer;
  readonly state: DatabaseState;
  readonly changed: ChangedBlocks;
}

/** Blocks that hold other bytes than at an earlier checkpoint, but do not count as changed. */
function missed(before: Moment, now: Buffer, { blocks, blockBytes, free }: DatabaseState): number[] {
  const content = (bytes: Buffer, block: number): Buffer =>
    bytes.subarray(FIRST_BLOCK + block * blockBytes, FIRST_BLOCK + (block + 1) * blockBytes);
  return Array.from({ length: blocks }, (_, block) => block).filter(
    (block) =>
      !free.has(block) &&
      !before.changed.has(block) &&
      !content(before.bytes, block).equals(content(now, block)),
  );
}

test(`every changed block counts as changed, whatever is written (seed ${testSeed()})`, async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'some.duckdb');
  const connection = await temporaryConnection(folder);
  const random = seededRandom(testSeed());
  const some = (count: number): number => Math.floor(random() * count);
  const rows = (count: number): string =>
    `SELECT i, random() AS r, repeat(md5(random()::VARCHAR), ${1 + some(9)}) AS s FROM range(${count}) AS t(i)`;
  const attach = () => connection.run(`ATTACH ${text(path)} AS sample (${FILE_OPTIONS})`);
  await connection.run(`SET GLOBAL checkpoint_threshold = '64KB'`);
  await attach();
  const fd = openSync(path, 'r');
  onTestFinished(() => closeSync(fd));
  for (const name of [0, 1, 2])
    await connection.run(`CREATE TABLE sample.t${name} (i BIGINT, r DOUBLE, s VARCHAR)`);
  await connection.run(`CREATE TABLE sample.kept AS ${rows(20_000)}`);
  await connection.run('CHECKPOINT sample');
  const moments: Moment[] = [];
  let [checkpoints, unchanged, isAttached] = [0n, 0, true];
  const steps = [
    () => connection.run(`INSERT INTO sample.t${some(3)} (i, r, s) ${rows(some(20_000))}`),
    () => connection.run(`DELETE FROM sample.t${some(3)} WHERE i % ${2 + some(4)} = 0`),
    () => connection.run(`UPDATE sample.t${some(3)} SET r = random() WHERE i < ${some(3000)}`),
    () => connection.run(`CREATE OR REPLACE TABLE sample.t${some(3)} AS ${rows(some(30_000))}`),
    () => connection.run('CREATE OR REPLACE TABLE sample.t2 (i BIGINT, r DOUBLE, s VARCHAR)'),
    () => connection.run(`ALTER TABLE sample.t0 ADD COLUMN IF NOT EXISTS c${some(5)} VARCHAR`),
    async () => {
      await connection.run('BEGIN');
      await connection.run(`INSERT INTO sample.t1 (i, r, s) ${rows(20_000)}`);
      await connection.run('ROLLBACK');
    },
    () => connection.run('CHECKPOINT sample'),
    async () => {
      await connection.run('DETACH sample');
      isAttached = false;
    },
  ];
  for (let round = 0; round < 150; round++) {
    if (!isAttached) await attach();
    isAttached = true;
    await steps[some(steps.length)]?.();
    const state = readState(fd, path);
    if (state.iteration === checkpoints) continue;
    for (const moment of moments) moment.changed.add(state);
    checkpoints = state.iteration;
    const bytes = readFileSync(path);
    for (const moment of moments) {
      expect([round, missed(moment, bytes, state)]).toEqual([round, []]);
      for (let block = 0; block < state.blocks; block++) if (!moment.changed.has(block)) unchanged++;
    }
    // From where a publication is made: after the file was detached.
    if (!isAttached || round === 0) moments.push({ bytes, state, changed: new ChangedBlocks(state) });
    if (moments.length > 4) moments.shift();
  }
  expect(checkpoints).toBeGreaterThan(30n);
  expect(moments.length).toBeGreaterThan(2);
  expect(unchanged).toBeGreaterThan(1000);
});
