import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { host, withHost } from '../../../../src/core/host/host.ts';
import { FairQueue } from '../../../../src/core/queue/fair-queue.ts';
import type { Package } from '../../../../src/etl/pipeline/load/read-package.ts';
import type { SharedContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import type { TakenUnit } from '../../../../src/etl/pipeline/unit/shared-units.ts';
import { OfferedUnits, offerUnits } from '../../../../src/etl/pipeline/workers/offer-units.ts';
import { unitName } from '../../../../src/etl/project/model/unit.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import type { UnitOffers } from '../../../../src/etl/state/ledger/unit-queue.ts';

const settings = {
  state_dir: 'var',
  engine: { engine: 'duckdb', schemaPrefix: '' },
  concurrency_per_project: 2,
  concurrency_per_store: 3,
} as Settings;

// With PostgreSQL and a bucket: test/integration/workers.test.ts.
test('a run without a package store offers no units', async () => {
  const asked: PropertyKey[] = [];
  const offers = new Proxy({} as UnitOffers, { get: (_offers, name) => void asked.push(name) });
  const context = { settings } as unknown as SharedContext;
  const queue = new FairQueue({ all: 1, project: 1, store: 1 });
  const work = { queue, run: async () => undefined, optionsOf: () => [], hasEnded: () => false };
  await offerUnits(context, offers, [], work);
  expect(asked).toEqual([]);
});

/** What a run asks of the queue after loads of a prepared package have ended so, one after the other. */
async function statusesAfter(loads: readonly ((bringParts: () => Promise<void>) => Promise<Error | null>)[]) {
  const unit = { dataset: 'crawl_pages', source: { kind: 'crawl', id: 'c1' }, window: null };
  const name = unitName(unit as never);
  const statuses: string[] = [];
  const ended = new AbortController();
  let claim = 1;
  const offers = {
    entries: async () => ({
      entries: [{ unit: name, status: 'staged', claim: `${claim}`, error: null, attempts: 1 }],
    }),
    setStatus: async (_unit: string, as: string) => {
      statuses.push(as);
      claim++;
    },
  };
  const broken = new CrawlhouseError('object_corrupt', 'a part is broken');
  const fetch = async () => ({
    folder: 'f',
    manifest: { name },
    prepared: { load: {}, bringParts: () => Promise.reject(broken) },
  });
  const left = [...loads];
  const run = async (_one: unknown, { stagedByOther, lost }: TakenUnit) => {
    const prepared = (stagedByOther?.result as Package | undefined)?.prepared;
    const error = (await left.shift()?.(() => prepared?.bringParts() ?? Promise.resolve())) ?? null;
    return lost?.aborted ? undefined : { report: { status: error ? 'failed' : 'loaded' }, error };
  };
  const logger = { info: () => {}, warn: () => {} };
  const offered = new OfferedUnits(
    { settings, logger, signal: ended.signal, runId: 'run' } as never,
    {
      offers,
      packages: { fetch },
      tables: { loaded: async () => {} },
      work: { run, hasEnded: () => false },
    } as never,
    [{ unit, name }] as never,
  );
  await withHost({ ...host(), sleep: () => setImmediate() }, () => offered.collect());
  return statuses;
}

const fails = (code: ErrorCode) => async () => new CrawlhouseError(code, code);

test('a package waits for the next run if its load failed for a temporary reason', async () => {
  for (const code of ['connection', 'engine_unavailable', 'engine_failed', 'engine_access', 'disk'] as const)
    expect([code, await statusesAfter([fails(code)])]).toEqual([code, []]);
  expect(await statusesAfter([fails('unreconciled')])).toEqual(['done']);
  expect(await statusesAfter([async () => null])).toEqual(['loaded']);
});

test('a package with broken parts is staged again, once', async () => {
  const brings = (bringParts: () => Promise<void>) =>
    bringParts().then(
      () => null,
      (error: Error) => error,
    );
  expect(await statusesAfter([brings, async () => null])).toEqual(['waiting', 'loaded']);
  expect(await statusesAfter([brings, brings])).toEqual(['waiting']);
});

/** What a run of the unit `crawl_pages/c1` does with a queue. */
function offeredUnit(entries: readonly object[][], claims: readonly (string | null)[] = []) {
  const unit = { dataset: 'crawl_pages', source: { kind: 'crawl', id: 'c1' }, window: null };
  const ended = new AbortController();
  const lost = new AbortController();
  const calls: string[] = [];
  const call =
    (name: string) =>
    async (...values: readonly unknown[]) =>
      void calls.push(
        [name, ...values.filter((value) => typeof value !== 'object' || value === null)].join(' '),
      );
  const [looks, waits] = [[...entries], [...claims]];
  const queue = {
    async claim({ project, store }: Record<string, number>) {
      calls.push(`claim ${project} ${store}`);
      const name = waits.shift();
      if (name === undefined || name === null) return null;
      return {
        unit: name,
        lost: lost.signal,
        move: call('move'),
        finishLocally: call('finish'),
        [Symbol.asyncDispose]: call('return'),
      };
    },
  };
  const meter = { opened: call('opened'), received: call('received'), unitPhase: call('phase') };
  const offered = new OfferedUnits(
    {
      settings,
      logger: { info: call('info'), warn: call('warn') },
      signal: ended.signal,
      runId: 'run',
      ledger: { setUnit: call('unit') },
      meter,
    } as never,
    {
      offers: { entries: async () => ({ entries: looks.shift() ?? [] }), setStatus: call('set') },
      packages: { fetch: async () => ({ folder: 'f', manifest: { name: 'crawl_pages/c2' } }) },
      tables: { loaded: call('table') },
      queue,
      work: {
        queue: new FairQueue({ all: 1, project: 1, store: 1 }),
        hasEnded: () => false,
        async run(_task: unknown, { slot, lost, stagedByOther }: TakenUnit) {
          await slot?.move?.('store_b');
          if (lost?.aborted) return undefined;
          const error = stagedByOther?.result instanceof CrawlhouseError ? stagedByOther.result : null;
          calls.push(`run ${error?.message ?? ''}`);
          return { report: { status: error ? 'failed' : 'loaded' }, error };
        },
      },
    } as never,
    [{ unit, name: 'crawl_pages/c1' }] as never,
  );
  const sleep = async (): Promise<void> => {
    calls.push('sleep');
    await setImmediate();
    if (looks.length === 0 && waits.length === 0) ended.abort();
  };
  return {
    calls,
    lost,
    run: <T>(work: (offered: OfferedUnits) => T): T => withHost({ ...host(), sleep }, () => work(offered)),
  };
}

const CLAIMED = {
  unit: 'crawl_pages/c1',
  status: 'claimed',
  claim: 'a',
  worker: 'w',
  error: null,
  attempts: 1,
};
const PROGRESS = { reported: 9, columns: 3, received: 4, phase: 'download' };

test('a process claims units within the limits, returns those of an earlier run, and loads its own', async () => {
  const { calls, run } = offeredUnit([], [null, 'crawl_pages/other', 'crawl_pages/c1']);
  await run((offered) => offered.take('0'));
  expect(calls).toEqual([
    ...['claim 2 3', 'sleep'],
    ...['claim 2 3', 'finish', 'return'],
    ...['claim 2 3', 'move store_b', 'run ', 'finish', 'table crawl_pages', 'return'],
  ]);
});

test('a unit whose claim is lost is neither ended nor loaded by this process', async () => {
  const { calls, lost, run } = offeredUnit([], ['crawl_pages/c1', null]);
  lost.abort();
  await run((offered) => offered.take('0'));
  expect(calls.filter((name) => /finish|run|table/.test(name))).toEqual([]);
});

test('the progress of another process is shown: its claim, its rows, and its stage once', async () => {
  const entry = (progress: object | null) => [{ ...CLAIMED, progress }];
  const { calls, run } = offeredUnit([
    entry(null),
    entry(null),
    entry(PROGRESS),
    entry({ ...PROGRESS, received: 7 }),
    entry({ ...PROGRESS, received: 9, phase: 'stage' }),
  ]);
  await run((offered) => offered.collect());
  expect(calls.filter((name) => name !== 'sleep')).toEqual([
    ...['unit requested 1 ', 'info unit claimed'],
    ...['unit downloading 1 ', 'opened crawl_pages/c1 9 3', 'received crawl_pages/c1 4'],
    'received crawl_pages/c1 7',
    ...['received crawl_pages/c1 9', 'phase crawl_pages/c1 stage'],
  ]);
});

test('a unit that another process failed ends with its error, and a package of another unit is staged again', async () => {
  const failed = { ...CLAIMED, status: 'failed', error: { code: 'quota', message: 'none left', hint: null } };
  const unknown = { ...failed, unit: 'crawl_pages/other' };
  const first = offeredUnit([[unknown, failed], []]);
  await first.run((offered) => offered.collect());
  expect(first.calls.filter((name) => name !== 'sleep')).toEqual([
    'run none left',
    'set crawl_pages/c1 done',
  ]);
  const staged = { ...CLAIMED, status: 'staged' };
  const second = offeredUnit([[staged], [staged], [{ ...staged, claim: 'b' }], []]);
  await second.run((offered) => offered.collect());
  expect(second.calls.filter((name) => name !== 'sleep')).toEqual([
    ...['warn broken package, staging again', 'set crawl_pages/c1 waiting'],
    'run f is of crawl_pages/c2, not of crawl_pages/c1',
  ]);
});
