import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, connect as dial, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openAlertStore } from '../../src/app/operations/alert/open-alert-store.ts';
import { RateLimit } from '../../src/client/http/rate-limit.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { type Unit, unitName } from '../../src/etl/project/model/unit.ts';
import type { Ledger } from '../../src/etl/state/ledger/ledger.ts';
import { openLedger, readLedger } from '../../src/etl/state/ledger/open-ledger.ts';
import { SHARED_LEDGER_VERSION } from '../../src/etl/state/ledger/postgres/postgres-schema.ts';
import { sharedSlots } from '../../src/etl/state/ledger/shared-slots.ts';
import { takeSchedulerLease } from '../../src/etl/state/ledger/take-scheduler-lease.ts';
import { alertStoreContract } from '../app/operations/alert/alert-store-contract.ts';
import { ledgerContract } from '../etl/state/ledger/ledger-contract.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const { signal } = new AbortController();
describe.skipIf(!hasPostgres())('a shared ledger, on PostgreSQL (apt-get install postgresql)', () => {
  let postgres: LedgerServer;
  beforeAll(async () => {
    postgres = await startLedgerServer();
  });
  afterAll(async () => {
    await postgres?.[Symbol.asyncDispose]();
  });

  /** A folder is a machine; its name is the project where no other is given. */
  const settings = (folder: string, more = '', project = basename(folder)) => ({
    state_dir: folder,
    projectDir: folder,
    ledger: postgres.url(project, more),
  });
  type Settings = ReturnType<typeof settings>;
  const open = (of: Settings): Promise<Ledger> => openLedger(of, 'run', silentLogger, signal);

  ledgerContract('PostgreSQL', {
    open: (folder) => open(settings(folder)),
    read: (folder) => readLedger(settings(folder)),
  });
  alertStoreContract('PostgreSQL', (folder) => openAlertStore(settings(folder)));

  const unit: Unit = {
    dataset: 'crawl_pages',
    source: { kind: 'crawl', id: 'c1', project_id: 'p' },
    window: null,
  };

  /** A proxy before the server, whose connections can be cut. */
  async function proxied(): Promise<{
    readonly port: number;
    cut(): void;
    /** The next commit is done, and its answer lost with the connection. */
    loseCommit(): void;
    /** The next commit is not done: the connection is lost on its way, and then more happens. */
    stopCommit(more: () => Promise<void>): void;
  }> {
    const sockets = new Set<Socket>();
    let loses = false;
    let stops: (() => Promise<void>) | undefined;
    const server = createServer((socket) => {
      const behind = dial(postgres.port, 'localhost');
      for (const one of [socket, behind]) {
        sockets.add(one);
        one.on('error', () => {}).on('close', () => sockets.delete(one));
      }
      socket.on('data', (piece: Buffer) => {
        const more = piece.includes('COMMIT\0') ? stops : undefined;
        if (more === undefined) return behind.write(piece);
        stops = undefined;
        return more().then(() => socket.destroy());
      });
      socket.on('end', () => behind.end());
      behind.on('data', (piece: Buffer) => {
        if (loses && piece.includes('COMMIT\0')) {
          loses = false;
          socket.destroy();
        } else socket.write(piece);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const cut = (): void => {
      for (const one of sockets) one.destroy();
    };
    onTestFinished(() => {
      cut();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const loseCommit = (): void => {
      loses = true;
    };
    const stopCommit = (more: () => Promise<void>): void => {
      stops = more;
    };
    return { port, cut, loseCommit, stopCommit };
  }

  test('only one process writes to a project, on any machine, and a second one is told its name', async () => {
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    await using _held = await open(settings(here, '', 'shop'));
    await expect(open(settings(there, '', 'shop'))).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(
        /^the project shop of the ledger is in use by crawlhouse run \(process \d+ on /,
      ),
    });
  });

  test('a writer that lost its lease writes no more, and its successor finds all its writes', async () => {
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    const paused = await open(settings(here, '', 'paused'));
    onTestFinished(() => paused[Symbol.asyncDispose]());
    await paused.discoverUnits([unit]);
    await paused.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
    // As if it had been stopped for longer than its lease.
    await postgres.admin(`UPDATE crawlhouse.leases SET until = now() WHERE project = 'paused'`, 'ledgers');
    await using successor = await open(settings(there, '', 'paused'));
    await expect(paused.setUnit(unit, 'requested', 1, null)).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(paused.endRun('r1', 'done', '2026-11-21T02:00:00.000Z')).rejects.toMatchObject({
      exitCode: 3,
    });
    expect(await successor.units()).toMatchObject([{ unit: 'crawl_pages/c1', status: 'discovered' }]);
    expect(await successor.runs()).toMatchObject([{ run_id: 'r1', status: 'killed' }]);
    await successor.setUnit(unit, 'requested', 1, null);
  });

  test('a server clock set back neither extends the lease of a dead holder nor ends a live one', async () => {
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    await using live = await open(settings(here, '', 'back'));
    const leases = `crawlhouse.leases SET until = until + interval '1 hour' WHERE project = 'back'`;
    await postgres.admin(`UPDATE ${leases}`, 'ledgers');
    await expect(open(settings(there, '', 'back'))).rejects.toMatchObject({ code: 'locked' });
    await live.discoverUnits([unit]);

    // Of a machine that is gone.
    await postgres.admin(
      `INSERT INTO crawlhouse.leases SELECT 'dead', name, token, '{"command":"crawlhouse run","pid":1,"host":"gone","place":"gone","since":"2026-11-21T02:00:00.000Z"}',
         until + interval '1 hour' FROM crawlhouse.leases WHERE project = 'back'`,
      'ledgers',
    );
    const rest = `FROM crawlhouse.leases WHERE project = 'dead' AND until <= now() + interval '30 seconds'`;
    const next = open(settings(there, '', 'dead'));
    await until(async () => (await postgres.admin(`SELECT 1 ${rest}`, 'ledgers'))[0]);
    // As if these had passed.
    await postgres.admin(`UPDATE crawlhouse.leases SET until = now() WHERE project = 'dead'`, 'ledgers');
    await (await next)[Symbol.asyncDispose]();
  });

  test('a process that died on the same machine is not awaited', async () => {
    const folder = await temporaryFolder();
    const dead = await open(settings(folder));
    await using next = await open(settings(folder));
    await next.discoverUnits([unit]);
    await expect(dead.discoverUnits([unit])).rejects.toMatchObject({ code: 'lease_lost' });
    await dead[Symbol.asyncDispose]();
    await next.setUnit(unit, 'requested', 1, null);
  });

  test("a copy of a live process's project folder is a separate place, and takes nothing from it", async () => {
    const folder = await temporaryFolder();
    const copy = join(await temporaryFolder(), 'copy');
    await using held = await open(settings(folder, '', 'copied'));
    await held.discoverUnits([unit]);
    await cp(folder, copy, { recursive: true });
    await expect(open(settings(copy, '', 'copied'))).rejects.toMatchObject({ code: 'locked' });
    await held.setUnit(unit, 'requested', 1, null);
  });

  test('a broken connection is replaced, and committed work is not repeated', async () => {
    const folder = await temporaryFolder();
    const proxy = await proxied();
    const address = postgres.url(basename(folder)).replace(`:${postgres.port}/`, `:${proxy.port}/`);
    await using ledger = await open({ ...settings(folder), ledger: address });
    await ledger.discoverUnits([unit]);
    for (const state of ['requested', 'downloading', 'staged', 'loaded', 'published'] as const) {
      const move = ledger.setUnit(unit, state, 1, null);
      proxy.cut();
      await move;
      await postgres.cut();
    }
    expect(await ledger.units()).toMatchObject([{ unit: 'crawl_pages/c1', status: 'published' }]);
  });

  test("TLS verifies the server's certificate, and no message contains the password", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'no.crt'), '');
    const tls = `&sslmode=verify-full&sslrootcert=${encodeURIComponent(postgres.authority)}`;
    await using ledger = await open(settings(folder, tls));
    await ledger.discoverUnits([unit]);
    const rows = await postgres.admin(
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'crawlhouse' AND ssl`,
    );
    expect(rows).not.toEqual([]);
    await expect(readLedger(settings(folder, '&sslmode=verify-full'))).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringMatching(/no TLS connection: self-signed certificate/),
      hint: expect.stringContaining('sslrootcert'),
    });
    const byNumber = settings(folder, tls);
    await expect(
      readLedger({ ...byNumber, ledger: byNumber.ledger.replace('@localhost', '@127.0.0.1') }),
    ).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringMatching(/no TLS connection: .*127\.0\.0\.1/),
    });
  });

  test('each refused connection is reported, with what to do', async () => {
    const folder = await temporaryFolder();
    const of = settings(folder);
    const refused = (ledger: string) => readLedger({ ...of, ledger }).then(String, (error: unknown) => error);
    const wrong = of.ledger.replace(/crawlhouse:[^@]*@/, 'crawlhouse:wrong-password@');
    const [password, database, away] = [
      await refused(wrong),
      await refused(of.ledger.replace('/ledgers', '/nowhere')),
      await refused(of.ledger.replace(`:${postgres.port}/`, ':1/')),
    ];
    expect(password).toMatchObject({ code: 'bad_settings', exitCode: 2 });
    expect(String(password)).not.toContain('wrong-password');
    expect(database).toMatchObject({ code: 'bad_settings', message: expect.stringContaining('"nowhere"') });
    expect(away).toMatchObject({ code: 'ledger_unavailable', exitCode: 3 });
  });

  test('a ledger of a newer version is refused by writers and readers', async () => {
    const folder = await temporaryFolder();
    const newer = settings(folder, '&schema=newer%20"one');
    await (await open(newer))[Symbol.asyncDispose]();
    await postgres.admin(
      `UPDATE "newer ""one".version SET version = ${SHARED_LEDGER_VERSION + 1}`,
      'ledgers',
    );
    await expect(open(newer)).rejects.toMatchObject({ code: 'newer_version' });
    await expect(readLedger(newer)).rejects.toMatchObject({ code: 'newer_version' });
  });

  test('a read-only user sees the state, and a missing ledger is reported as none', async () => {
    const folder = await temporaryFolder();
    expect(await readLedger(settings(folder, '&schema=unmade'))).toBeUndefined();
    await using ledger = await open(settings(folder));
    await ledger.discoverUnits([unit]);
    await postgres.admin(
      `CREATE ROLE watcher LOGIN PASSWORD 'watcher'; GRANT USAGE ON SCHEMA crawlhouse TO watcher;
     GRANT SELECT ON ALL TABLES IN SCHEMA crawlhouse TO watcher`,
      'ledgers',
    );
    const watched = settings(folder).ledger.replace(/crawlhouse:[^@]*@/, 'watcher:watcher@');
    await using reader = await readLedger({ ...settings(folder), ledger: watched });
    expect(await reader?.units()).toHaveLength(1);
    await expect(open({ ...settings(folder), ledger: watched })).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining('watcher lacks a right'),
    });
  });

  test('processes on several machines share the rate limit of one account', async () => {
    const folders = await Promise.all([1, 2, 3].map(() => temporaryFolder()));
    const rates = folders.map((folder) => {
      const slots = sharedSlots(settings(folder), 'https://service.example 12345678');
      const rate = new RateLimit(100, slots);
      onTestFinished(() => rate[Symbol.asyncDispose]());
      return rate;
    });
    await Promise.all(rates.map((rate) => rate.take()));
    const startedAt = performance.now();
    await Promise.all(rates.flatMap((rate) => Array.from({ length: 30 }, () => rate.take())));
    expect(performance.now() - startedAt).toBeGreaterThan(850);
  });

  test("one scheduler runs a project's schedules; its successor knows the past firings, and the old one stops", async () => {
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    const first = await takeSchedulerLease(settings(here, '', 'fired'), undefined, signal);
    onTestFinished(() => first?.[Symbol.asyncDispose]());
    expect(await first?.readState()).toBeNull();
    await first?.writeState('{"morning":1}');
    await expect(takeSchedulerLease(settings(there, '', 'fired'), undefined, signal)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/^the schedules of fired are run by crawlhouse schedule \(process /),
    });
    const waited: string[] = [];
    const onWait = (holder: string) => void waited.push(holder);
    const next = takeSchedulerLease(settings(there, '', 'fired'), onWait, signal);
    await until(async () => (waited.length > 0 ? true : undefined));
    // As if the first had been stopped for longer than its lease.
    await postgres.admin(`UPDATE crawlhouse.leases SET until = now() WHERE project = 'fired'`, 'ledgers');
    await using second = await next;
    expect(await second?.readState()).toBe('{"morning":1}');
    await expect(first?.writeState('{}')).rejects.toMatchObject({ code: 'lease_lost', exitCode: 3 });
    expect(first?.lost.reason).toMatchObject({ code: 'lease_lost' });
    expect([await second?.readState(), second?.lost.aborted]).toEqual(['{"morning":1}', false]);
    expect(
      await takeSchedulerLease({ state_dir: here, projectDir: here }, undefined, signal),
    ).toBeUndefined();
  });

  test('a committed transition with a lost response is not repeated', async () => {
    const folder = await temporaryFolder();
    const proxy = await proxied();
    const address = postgres.url(basename(folder)).replace(`:${postgres.port}/`, `:${proxy.port}/`);
    await using ledger = await open({ ...settings(folder), ledger: address });
    await ledger.discoverUnits([unit]);
    await ledger.setUnit(unit, 'staged', 1, null);
    // `loaded` may not follow `loaded`, so a second transition would be refused.
    for (const state of ['loaded', 'published'] as const) {
      proxy.loseCommit();
      await ledger.setUnit(unit, state, 1, null);
    }
    proxy.loseCommit();
    await ledger.startRun('r1', 'run', '2026-11-21T01:00:00.000Z');
    expect([(await ledger.units())[0]?.status, (await ledger.runs()).length]).toEqual(['published', 1]);
  });

  test('a transition that a server crash undid is repeated, even if its number was reused', async () => {
    const folder = await temporaryFolder();
    const proxy = await proxied();
    const address = postgres.url(basename(folder)).replace(`:${postgres.port}/`, `:${proxy.port}/`);
    await using ledger = await open({ ...settings(folder), ledger: address });
    const units = Array.from(
      { length: 3 },
      (_, index): Unit => ({ ...unit, source: { ...unit.source, id: `c${index}` } }),
    );
    for (const [index, one] of units.entries()) {
      proxy.stopCommit(async () => {
        await postgres.crash();
        await postgres.restart();
        // With and without other transactions since.
        for (let other = 0; other < 8 - 4 * index; other++)
          await postgres.admin('SELECT pg_current_xact_id()');
      });
      await ledger.discoverUnits([one]);
    }
    expect((await ledger.units()).map(({ unit }) => unit).toSorted()).toEqual(units.map(unitName));
  });

  test('the statements of docs/operate.md grant exactly the needed rights', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/operate.md'), 'utf8');
    const section = page.slice(page.indexOf('## A shared ledger'), page.indexOf('## Workers'));
    const statements = [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) =>
      sql
        .replace(/^CREATE DATABASE .*$|^\\connect .*$/gm, '')
        .replaceAll('ledgers', 'documented')
        .replaceAll(/\bcrawlhouse(_reader)?\b/g, 'documented$1')
        .replaceAll("'…'", "'secret'"),
    );
    expect(statements).toHaveLength(2);
    await postgres.admin('CREATE DATABASE documented');
    for (const sql of statements) await postgres.admin(sql, 'documented');
    const folder = await temporaryFolder();
    const as = (user: string) => ({
      ...settings(folder),
      ledger: `postgres://${user}:secret@localhost:${postgres.port}/documented?project=p&schema=documented`,
    });
    {
      await using ledger = await open(as('documented'));
      await ledger.discoverUnits([unit]);
    }
    await using reader = await readLedger(as('documented_reader'));
    expect(await reader?.units()).toHaveLength(1);
    const refused = { code: 'bad_settings', message: expect.stringContaining('lacks a right') };
    await expect(open(as('documented_reader'))).rejects.toMatchObject(refused);
    const elsewhere = { ...as('documented'), ledger: `${as('documented').ledger}_other` };
    await expect(open(elsewhere)).rejects.toMatchObject(refused);
  });
});
