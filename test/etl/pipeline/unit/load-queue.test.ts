import { expect, test, vi } from 'vitest';
import { ConversionPlaces } from '../../../../src/core/duckdb/conversion-places.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import type { UnitContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import { LoadQueue } from '../../../../src/etl/pipeline/unit/load-units.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { fields, makePackage } from '../load/make-package.ts';
import '../../../support/process-timeout.ts';

/** A loaded machine is no failure. */
const PATIENT = { timeout: 60_000 };

/** A queue over a real warehouse; `transactions` counts those of loads. */
async function opened(isBusy: () => boolean) {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  const stop = new AbortController();
  const release = vi.fn();
  const context = {
    settings: {
      schema_change: 'evolve',
      on_reject: 'quarantine',
      volume_check: { min_ratio: 0.5, hold: true },
    },
    working,
    runId: 'r',
    holds: new Map(),
    fieldsRead: () => new Map(),
    engine: await ConversionPlaces.start(database, 2, '400MB'),
    ledger: { setUnit: async () => {} },
    meter: { unitPhase: () => {} },
    slot: { move: async () => {}, release },
    signal: stop.signal,
  } as unknown as UnitContext;
  const transactions = vi.spyOn(working, 'markDirty');
  const stage = async (id: string, rows = 1, ended = 0) => {
    const all = Array.from({ length: rows }, (_, row) => ({ url: `${id}/${row}` }));
    const path = await makePackage(staging, folder, { id, fields: fields('url'), rows: all });
    const { manifest, ...staged } = await readPackage(path);
    return { ...staged, manifest: { ...manifest, source: { ...manifest.source, ended_at: ended } } };
  };
  const queue = new LoadQueue(isBusy);
  const put = (staged: Awaited<ReturnType<typeof stage>>) => queue.load(context, staged, undefined, 1);
  const load = async (id: string, rows?: number, ended?: number) => put(await stage(id, rows, ended));
  return { load, stage, put, working, transactions, release, stop };
}

test('small packages wait for others while units are in progress, and are loaded together', async () => {
  let busy = true;
  const { load, working, transactions, release } = await opened(() => busy);
  const first = load('first');
  busy = false;
  expect(await first).toMatchObject({ loaded: 1 });
  busy = true;
  const loads = ['a', 'b', 'c'].map((id) => load(id, 3));
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(4), PATIENT);
  busy = false;
  for (const counts of await Promise.all(loads)) expect(counts).toMatchObject({ staged: 3, loaded: 3 });
  expect(transactions).toHaveBeenCalledTimes(2);
  expect(await working.connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(10n);
});

test('a large package keeps its slot and is loaded immediately', async () => {
  const { load, release } = await opened(() => true);
  expect(await load('large', 20_000)).toMatchObject({ loaded: 20_000 });
  expect(release).not.toHaveBeenCalled();
});

test('a package that waits when the run stops is not loaded', async () => {
  const { load, working, release, stop } = await opened(() => true);
  const waiting = load('a');
  await vi.waitFor(() => expect(release).toHaveBeenCalled(), PATIENT);
  stop.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow(/stop|abort/);
  expect(await working.connection.scalar('SELECT count(*) FROM ops.loads')).toBe(0n);
});

test('packages loaded together all get the error if the warehouse cannot be opened', async () => {
  let busy = true;
  const { load, working, release } = await opened(() => busy);
  const loads = ['a', 'b'].map((id) => load(id));
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(2), PATIENT);
  vi.spyOn(working, 'releaseMemory').mockRejectedValue(new Error('the disk is gone'));
  busy = false;
  for (const result of await Promise.allSettled(loads))
    expect(result).toMatchObject({ reason: { message: 'the disk is gone' } });
});

test('a crawl is compared with crawls that ended earlier, even if it is staged first', async () => {
  let busy = true;
  const { stage, put, release } = await opened(() => busy);
  const first = await stage('few', 10, 4);
  const later = [];
  for (const day of [3, 1, 2]) later.push(await stage(`day${day}`, 100, day));
  const loads = [first, ...later].map(put);
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(4), PATIENT);
  busy = false;
  const [few, ...others] = await Promise.allSettled(loads);
  expect(few).toMatchObject({ reason: { code: 'volume_held' } });
  for (const other of others) expect(other).toMatchObject({ status: 'fulfilled', value: { loaded: 100 } });
});
