import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { clearFaults, crawlhouse, rawProjectFolder, setFaults } from '../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { sharedFolder } from '../support/temporary.ts';
import { type RunningTrino, startTrino } from '../support/trino.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';
import { NOTHING, planRounds, playRound } from '../support/worker-kills.ts';
import { cuttable, GENERATE, RUN, workerScene } from '../support/worker-scene.ts';
import { expectSameOnTrino, onTrino } from '../support/workers-on-trino.ts';

// Servers of its own, because they crash.

/** By night. By day test/integration/worker-kills.test.ts hits workers, and workers.test.ts one whose loads are here. */
const ROUNDS = Number(process.env.ROUNDS ?? (ALL_ROUNDS ? 12 : 0));
const UNITS = 8;
const UNDISTURBED = 'undisturbed_';

describe.runIf(ROUNDS > 0)('kills of Trino and of the processes around it', () => {
  const shared = sharedFolder();
  let postgres: LedgerServer;
  let trino: RunningTrino;
  let client: TrinoClient;
  let sandbox: Sandbox;
  let tally = NOTHING;

  beforeAll(async () => {
    [postgres, trino, sandbox] = await Promise.all([
      startLedgerServer(),
      startTrino(1),
      startSandbox({ generate: GENERATE }),
    ]);
    client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
    const folder = await rawProjectFolder(shared);
    await writeFile(join(folder, 'crawlhouse.yaml'), trinoSettings(trino, UNDISTURBED));
    const ran = await crawlhouse(folder, sandbox, RUN, bucketCredentials(trino));
    expect([ran.status, ran.stderr]).toEqual([0, expect.anything()]);
  });
  afterAll(async () => {
    process.stdout.write(`${JSON.stringify(tally)}\n`);
    await client?.[Symbol.asyncDispose]();
    await sandbox?.close();
    await trino?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const SERVERS = ['the coordinator', 'a node of Trino', 'S3', 'PostgreSQL', 'the catalog of Iceberg'];
  const rounds = planRounds(ROUNDS, SERVERS, seededRandom(testSeed()));
  test.for(rounds)('round $round: $title', { timeout: 900_000 }, async (one) => {
    const project = `kills${one.round}_`;
    const scene = await workerScene(postgres, sandbox, project, onTrino(trino, project));
    const lines = [await cuttable(postgres.port), await cuttable(postgres.port)];
    const behind = ({ port }: { port: number }): string =>
      postgres.url(project).replace(`:${postgres.port}/`, `:${port}/`);
    await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'slow', bytes_per_second: one.rate }]);
    const workers = await Promise.all(lines.map((line) => scene.worker(behind(line))));
    const { coordinator, nodes, s3, catalog } = trino.servers;
    const servers = {
      'the coordinator': coordinator,
      ...(nodes[0] ? { 'a node of Trino': nodes[0] } : {}),
      S3: s3,
      PostgreSQL: postgres,
      'the catalog of Iceberg': catalog,
    };
    tally = await playRound({ scene, workers, lines, servers, args: [], units: UNITS }, one, tally);
    await clearFaults(sandbox);
    await trino.whole();
    const last = scene.run();
    expect([await last.ended, last.said.text]).toEqual([0, expect.anything()]);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSameOnTrino(client, project, UNDISTURBED);
  });
});
