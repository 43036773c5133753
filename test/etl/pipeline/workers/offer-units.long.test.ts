import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { ErrorCode } from '../../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { FairQueue } from '../../../../src/core/queue/fair-queue.ts';
import type { Package } from '../../../../src/etl/pipeline/load/read-package.ts';
import type { SharedContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import type { TakenUnit } from '../../../../src/etl/pipeline/unit/shared-units.ts';
import { OfferedUnits, offerUnits } from '../../../../src/etl/pipeline/workers/offer-units.ts';
import { unitName } from '../../../../src/etl/project/model/unit.ts';
import type { UnitOffers } from '../../../../src/etl/state/ledger/unit-queue.ts';
import { rawProjectFolder } from '../../../support/project.ts';

// With PostgreSQL and a bucket: test/integration/workers.test.ts.
test('a run without a package store offers no units', async () => {
  const asked: PropertyKey[] = [];
  const offers = new Proxy({} as UnitOffers, { get: (_offers, name) => void asked.push(name) });
  const context = { settings: await loadSettings(await rawProjectFolder(), {}) } as unknown as SharedContext;
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
  const settings = await loadSettings(await rawProjectFolder(), {});
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
  await offered.collect();
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
