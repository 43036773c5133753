import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { FairQueue } from '../../src/core/fair-queue.ts';
import type { UnitOffers } from '../../src/ledger/unit-queue.ts';
import type { RunContext } from '../../src/pipeline/context.ts';
import { shareUnits } from '../../src/pipeline/share-units.ts';
import { rawProjectFolder } from '../support/project.ts';

// With PostgreSQL and a bucket: test/integration/workers.test.ts.
test('a run without a store for packages offers nothing', async () => {
  const asked: PropertyKey[] = [];
  const offers = new Proxy({} as UnitOffers, {
    get: (_offers, name) => void asked.push(name),
  });
  const context = { settings: await loadSettings(await rawProjectFolder(), {}) } as RunContext;
  const queue = new FairQueue({ all: 1, project: 1, store: 1 });
  await shareUnits(context, offers, [], { queue, run: async () => undefined, hasEnded: () => false });
  expect(asked).toEqual([]);
});
