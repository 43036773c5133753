import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { DataExportDesk } from '../support/data-exports.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { clearFaults, crawlhouse, rawProjectFolder, setFaults } from '../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { createBucket, type RealS3, startVersitygw } from '../support/servers.ts';
import { NOTHING, planRounds, playRound } from '../support/worker-kills.ts';
import { cuttable, expectSame, GENERATE, RUN, workerScene } from '../support/worker-scene.ts';

/** One of each kind; a night takes more. */
const ROUNDS = Number(process.env.ROUNDS ?? (ALL_ROUNDS ? 24 : 4));
const UNITS = 8;
const BUCKET = 'packages';

describe.skipIf(!hasPostgres())('kills of a shared ledger (apt-get install postgresql)', () => {
  let postgres: LedgerServer;
  let s3: RealS3;
  let sandbox: Sandbox;
  let folder: string;
  let undisturbed: string;
  let tally = NOTHING;
  beforeAll(async () => {
    [postgres, s3, sandbox] = await Promise.all([
      startLedgerServer(),
      startVersitygw(),
      startSandbox({ generate: GENERATE }),
    ]);
    await createBucket(s3, BUCKET);
    folder = await mkdtemp(join(tmpdir(), 'crawlhouse-undisturbed-'));
    undisturbed = await rawProjectFolder(folder);
    expect((await crawlhouse(undisturbed, sandbox, RUN)).status).toBe(0);
  });
  afterAll(async () => {
    process.stdout.write(`${JSON.stringify(tally)}\n`);
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
    await s3?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const environment = (): Record<string, string> => ({
    CRAWLHOUSE_STORE_B_BUCKET: BUCKET,
    CRAWLHOUSE_STORE_B_ENDPOINT: s3.endpoint,
    CRAWLHOUSE_STORE_B_REGION: s3.region,
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
  });

  const rounds = planRounds(ROUNDS, ['PostgreSQL', 'S3'], seededRandom(testSeed()));
  test.for(rounds)('round $round: $title', async (one) => {
    const project = `kills-${one.round}`;
    // A prefix of its own: it would find the data exports of another round otherwise.
    const yaml = `shipped_models: none\nstore_a: { prefix: ${project} }\n`;
    const scene = await workerScene(postgres, sandbox, project, { yaml, environment: environment() });
    const lines = [await cuttable(postgres.port), await cuttable(postgres.port)];
    const behind = ({ port }: { port: number }): string =>
      postgres.url(project).replace(`:${postgres.port}/`, `:${port}/`);
    const isExport = one.round % 2 === 1;
    const match = { path: 'export=true' };
    await setFaults(sandbox, [{ match, kind: 'slow', bytes_per_second: one.rate }]);
    const desk = new DataExportDesk(sandbox);
    const before = await desk.asked();
    const workers = await Promise.all(lines.map((line) => scene.worker(behind(line))));
    const args = isExport ? ['--route', 'export', '--store', 'store_a'] : [];
    const servers = { PostgreSQL: postgres, S3: s3 };
    tally = await playRound({ scene, workers, lines, servers, args, units: UNITS }, one, tally);
    await clearFaults(sandbox);
    // What a lost process has uploaded is removed by the next run.
    const last = scene.run(...args);
    expect([await last.ended, last.said.text]).toEqual([0, expect.anything()]);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSame(undisturbed, scene.warehouse);
    if (isExport) expect((await desk.asked()) - before).toBe(UNITS);
  });
});
