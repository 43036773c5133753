import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { clearFaults, crawlhouse, rawProjectFolder, setFaults } from '../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { until } from '../support/until.ts';
import {
  cuttable,
  expectSame,
  GENERATE,
  type Machine,
  RUN,
  type WorkerScene,
  workerScene,
} from '../support/worker-scene.ts';

/** Rounds of faults; a night takes more. */
const ROUNDS = Number(process.env.ROUNDS ?? (ALL_ROUNDS ? 12 : 3));

describe.skipIf(!hasPostgres())('workers, on PostgreSQL (apt-get install postgresql)', () => {
  let postgres: LedgerServer;
  let sandbox: Sandbox;
  let folder: string;
  let undisturbed: string;
  beforeAll(async () => {
    [postgres, sandbox] = await Promise.all([startLedgerServer(), startSandbox({ generate: GENERATE })]);
    folder = await mkdtemp(join(tmpdir(), 'crawlhouse-undisturbed-'));
    undisturbed = await rawProjectFolder(folder);
    expect((await crawlhouse(undisturbed, sandbox, RUN)).status).toBe(0);
  });
  afterAll(async () => {
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
    await postgres?.[Symbol.asyncDispose]();
  });

  /** Each unit takes a second or two. */
  const slow = (rate = 10_000) =>
    setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'slow', bytes_per_second: rate }]);
  const exports = async (): Promise<string[]> => {
    const response = await fetch(`${sandbox.baseUrl}/_sandbox/requests`);
    const requests = (await response.json()) as { path: string }[];
    return requests.map(({ path }) => path).filter((path) => path.includes('export=true'));
  };
  const ended = async (machine: Machine): Promise<Record<string, number>> => {
    machine.child.kill('SIGTERM');
    expect([await machine.ended, machine.said.text]).toEqual([143, expect.anything()]);
    return JSON.parse(await machine.stdout) as Record<string, number>;
  };

  test('the run loads what workers stage, each unit is requested once, and nothing is left behind', async () => {
    const scene = await workerScene(postgres, sandbox, 'together');
    await slow();
    const before = (await exports()).length;
    const workers = [await scene.worker(), await scene.worker()];
    const run = scene.run('--json');
    expect([await run.ended, run.said.text]).toEqual([0, expect.anything()]);
    await clearFaults(sandbox);
    const { units } = JSON.parse(await run.stdout) as { units: { status: string; attempts: number }[] };
    expect(units.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(8).fill('loaded 1'));
    const reports = await Promise.all(workers.map(ended));
    for (const report of reports)
      expect(report).toMatchObject({ staged: expect.any(Number), failed: 0, left: 0 });
    for (const report of reports) expect(report.staged).toBeGreaterThan(1);
    const requested = (await exports()).slice(before);
    expect([requested.length, new Set(requested).size]).toEqual([8, 8]);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSame(undisturbed, scene.warehouse);
  });

  test('without workers, the run stages all offered units itself', async () => {
    const scene = await workerScene(postgres, sandbox, 'alone');
    const run = scene.run();
    expect([await run.ended, run.said.text]).toEqual([0, expect.anything()]);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSame(undisturbed, scene.warehouse);
  });

  test('a data export requested by a worker is recorded for the run, which finishes it', async () => {
    const scene = await workerScene(postgres, sandbox, 'exporting');
    const worker = await scene.worker();
    const run = scene.run('--route', 'export', '--store', 'store_b');
    expect([await run.ended, run.said.text]).toEqual([0, expect.anything()]);
    expect((await ended(worker)).staged).toBeGreaterThan(0);
    const noted = await postgres.admin(
      `SELECT status, count(*)::integer AS units, count(DISTINCT data_export_id)::integer AS exports
       FROM crawlhouse.exports WHERE project = 'exporting' GROUP BY status`,
      'ledgers',
    );
    expect(noted).toEqual([{ status: 'loaded', units: 8, exports: 8 }]);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSame(undisturbed, scene.warehouse);
  });

  test('a unit that fails on a worker is reported by the run as its own failure', async () => {
    const scene = await workerScene(postgres, sandbox, 'failing');
    await setFaults(sandbox, [
      { match: { path: 'pages.export=true' }, kind: 'status', status: 400 },
      { match: { path: 'export=true' }, kind: 'slow', bytes_per_second: 10_000 },
    ]);
    const alone = JSON.parse(
      (await crawlhouse(await rawProjectFolder(), sandbox, [...RUN, '--json'])).stdout,
    ) as { units: { unit: string; status: string; error: unknown }[] };
    const worker = await scene.worker();
    const run = scene.run('--json');
    expect([await run.ended, run.said.text]).toEqual([4, expect.anything()]);
    await clearFaults(sandbox);
    const { units } = JSON.parse(await run.stdout) as typeof alone;
    const shown = (all: typeof units) =>
      all
        .map(({ unit, status, error }) => ({ unit, status, error }))
        .sort((a, b) => (a.unit < b.unit ? -1 : 1));
    expect(shown(units)).toEqual(shown(alone.units));
    expect((await ended(worker)).failed).toBeGreaterThan(0);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
  });

  test('a package that changed in the store is staged again', async () => {
    const scene = await workerScene(postgres, sandbox, 'spoilt');
    await slow();
    const worker = await scene.worker();
    const run = scene.run();
    await worker.heard(/unit claimed/);
    // Shorter than its lease: it finds what is staged meanwhile.
    run.child.kill('SIGSTOP');
    await worker.heard(/unit staged/);
    const part = (await scene.objects()).find((key) => key.endsWith('.parquet'));
    await scene.spoil(part ?? '');
    run.child.kill('SIGCONT');
    expect([await run.ended, run.said.text]).toEqual([
      0,
      expect.stringContaining('broken package, staging again'),
    ]);
    await clearFaults(sandbox);
    await ended(worker);
    expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
    await expectSame(undisturbed, scene.warehouse);
  });

  test('--once ends with the run; a stopped worker returns its unit, and names missing settings', async () => {
    const scene = await workerScene(postgres, sandbox, 'stopped');
    await slow(4_000);
    const run = scene.run();
    const first = await scene.worker();
    await first.heard(/unit claimed/);
    expect(await ended(first)).toMatchObject({ failed: 0, left: 1, error: null });
    expect(await scene.queue()).not.toContainEqual(
      expect.objectContaining({
        worker: expect.stringContaining(`process ${first.child.pid} `),
        status: 'claimed',
      }),
    );
    await clearFaults(sandbox);
    const once = await scene.worker(undefined, '--once');
    expect(await run.ended).toBe(0);
    expect(await once.ended).toBe(0);
    await expectSame(undisturbed, scene.warehouse);
    const other = await rawProjectFolder();
    const without = await crawlhouse(other, sandbox, ['worker']);
    expect([without.status, without.stderr]).toEqual([
      2,
      expect.stringMatching(/a worker needs the setting ledger\nTry: set ledger: postgres/),
    ]);
    const extra = { CRAWLHOUSE_LEDGER: postgres.url('stopped') };
    expect((await crawlhouse(other, sandbox, ['worker'], extra)).stderr).toContain(
      'a worker needs the setting packages.store',
    );
  });

  const random = seededRandom(testSeed());
  const DISTURBANCES = ['kill a worker', 'pause a worker', 'cut a worker off', 'kill the run'] as const;
  const PHASES = ['has claimed a unit', 'uploads a package', 'has staged a unit'] as const;
  // Twelve rounds have each disturbance in each phase.
  const rounds = Array.from({ length: ROUNDS }, (_, round) => ({
    round,
    disturbance: DISTURBANCES[round % DISTURBANCES.length] ?? 'kill the run',
    phase: PHASES[round % PHASES.length] ?? 'has claimed a unit',
    delay: Math.floor(random() * 2_000),
    rate: 4_000 + Math.floor(random() * 10_000),
  }));
  test.for(rounds)(
    'round $round: $disturbance when a worker $phase',
    async ({ round, disturbance, phase, delay, rate }) => {
      const scene = await workerScene(postgres, sandbox, `faults-${round}`);
      const uploads = phase === 'uploads a package';
      await slow(rate);
      if (uploads) {
        const match = { at: 'store_b', method: 'PUT', path: 'manifest.json' };
        await setFaults(sandbox, [{ match, kind: 'stall', times: 1 }]);
      }
      const proxies = [await cuttable(postgres.port), await cuttable(postgres.port)];
      const behind = ({ port }: { port: number }): string =>
        postgres.url(scene.project).replace(`:${postgres.port}/`, `:${port}/`);
      const workers = await Promise.all(proxies.map((proxy) => scene.worker(behind(proxy))));
      let run = scene.run();
      const victim = uploads ? await uploading(scene, workers) : workers[0];
      if (victim === undefined) throw new Error('no worker');
      if (phase === 'has staged a unit') await victim.heard(/unit staged/);
      else if (!uploads) {
        await victim.heard(/unit claimed/);
        await sleep(delay);
      }
      if (disturbance === 'kill a worker') {
        victim.child.kill('SIGKILL');
        await scene.expire(victim);
      } else if (disturbance === 'pause a worker') {
        victim.child.kill('SIGSTOP');
        await scene.expire(victim);
        await until(
          async () => ((await scene.queue()).some((one) => isOf(victim, one)) ? undefined : true),
          60_000,
        );
        victim.child.kill('SIGCONT');
      } else if (disturbance === 'cut a worker off') {
        const proxy = proxies[workers.indexOf(victim)];
        proxy?.cut();
        await scene.expire(victim);
        await sleep(2_000);
        proxy?.mend();
      } else {
        run.child.kill('SIGKILL');
        await run.ended;
        await sleep(delay);
        run = scene.run();
      }
      expect([await run.ended, run.said.text]).toEqual([0, expect.anything()]);
      await clearFaults(sandbox);
      for (const worker of workers)
        if (disturbance !== 'kill a worker' || worker !== victim) await ended(worker);
      // What a lost process has uploaded is removed by the next run.
      const last = scene.run();
      expect([await last.ended, last.said.text]).toEqual([0, expect.anything()]);
      expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
      await expectSame(undisturbed, scene.warehouse);
    },
  );

  /** The worker whose package is in the bucket without its manifest. */
  function uploading(scene: WorkerScene, workers: readonly Machine[]): Promise<Machine> {
    return until(async () => {
      const whole = new Set(
        (await scene.objects()).filter((key) => key.endsWith('manifest.json')).map(claimOf),
      );
      const [part] = (await scene.objects()).map(claimOf).filter((claim) => !whole.has(claim));
      const row = (await scene.queue()).find(({ claim, status }) => claim === part && status === 'claimed');
      return row && workers.find((worker) => isOf(worker, row));
    }, 60_000);
  }

  const claimOf = (key: string): string => key.split('/')[2] ?? '';

  function isOf({ child }: Machine, { worker, status }: Record<string, unknown>): boolean {
    return status === 'claimed' && String(worker).includes(`process ${child.pid} `);
  }
});
