import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, nextSlot, type Slot, withoutSlot } from '../../../src/core/queue/fair-queue.ts';
import type { StoreName } from '../../../src/core/stores/registry.ts';

/** Lets everything that can go on now go on. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const storeOf = fc.constantFrom<StoreName | null>(null, 'store_a', 'store_b');
const limitsOf = fc.record({
  all: fc.integer({ min: 1, max: 5 }),
  project: fc.integer({ min: 1, max: 3 }),
  store: fc.integer({ min: 1, max: 3 }),
});

test('the limits hold at any time, and every unit completes, whichever store it needs', async () => {
  const unit = fc.record({
    project: fc.constantFrom('a', 'b', 'c', 'd'),
    stores: fc.array(storeOf, { maxLength: 3 }),
    ticks: fc.integer({ min: 0, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 30 }), limitsOf, async (units, limits) => {
      const queue = new FairQueue(limits);
      const working = new Map<number, Slot>();
      let done = 0;
      const hold = (): void => {
        const places = [...working.values()];
        const most = (of: readonly unknown[]): number =>
          Math.max(0, ...of.map((key) => of.filter((other) => other === key).length));
        expect(places.length).toBeLessThanOrEqual(limits.all);
        expect(most(places.map(({ project }) => project))).toBeLessThanOrEqual(limits.project);
        expect(most(places.flatMap(({ store }) => store ?? []))).toBeLessThanOrEqual(limits.store);
      };
      await Promise.all(
        units.map(({ project, stores, ticks }, index) =>
          queue.run(project, async ({ move }) => {
            for (const store of [null, ...stores]) {
              working.delete(index);
              await move(store);
              working.set(index, { project, store });
              hold();
              for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
            }
            working.delete(index);
            done++;
          }),
        ),
      );
      expect(done).toBe(units.length);
    }),
    { numRuns: 100 },
  );
});

test('no project waits longer than one round of slots of the others', () => {
  const queue = fc.array(fc.constant(null), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), queue), limitsOf, (counts, limits) => {
      const left = new Map(Object.entries(counts).map(([project, units]) => [project, units.length]));
      const lastGrant = new Map<string, number>();
      const order: string[] = [];
      const working: Slot[] = [];
      for (;;) {
        const projects = new Map(
          [...left].map(([project, count]) => [
            project,
            {
              waiting: Array.from({ length: count }, () => ({ project, store: null })),
              lastGrant: lastGrant.get(project) ?? -1,
            },
          ]),
        );
        const next = nextSlot<Slot>(projects, working, limits);
        if (next === null) {
          if (working.shift() === undefined) break;
          continue;
        }
        const since = order.lastIndexOf(next.project);
        const between = new Set(order.slice(since + 1));
        if (since >= 0) {
          for (const [project, count] of left) {
            // One that has as many at work has its share without a slot.
            const busy = working.filter((one) => one.project === project).length;
            const ours = working.filter((one) => one.project === next.project).length;
            if (project !== next.project && count > 0 && busy <= ours && busy < limits.project)
              expect(between).toContain(project);
          }
        }
        lastGrant.set(next.project, order.length);
        order.push(next.project);
        left.set(next.project, (left.get(next.project) ?? 0) - 1);
        working.push(next);
      }
      expect([...left.values()].every((count) => count === 0)).toBe(true);
    }),
  );
});

test('a project with a thousand units does not delay another one', async () => {
  const queue = new FairQueue({ all: 2, project: 2, store: 2 });
  const order: string[] = [];
  const many = Array.from({ length: 1000 }, () => queue.run('many', async () => void order.push('many')));
  const few = Array.from({ length: 3 }, () => queue.run('few', async () => void order.push('few')));
  await Promise.all([...many, ...few]);
  expect(order.lastIndexOf('few')).toBeLessThan(10);
  expect(order).toHaveLength(1003);
});

test('a unit that waits for its store does not block one that needs none', async () => {
  const queue = new FairQueue({ all: 2, project: 2, store: 1 });
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = [
    queue.run('a', async ({ move }) => {
      await move('store_a');
      log.push('first in the store');
      await first.promise;
    }),
    queue.run('a', async ({ move }) => {
      await move('store_a');
      log.push('second in the store');
    }),
    queue.run('a', async () => void log.push('streams')),
  ];
  await nextTick();
  expect(log.toSorted()).toEqual(['first in the store', 'streams']);
  first.resolve();
  await Promise.all(runs);
  expect(log[2]).toBe('second in the store');
});

test('other work uses the slot of a unit that waits, until all of its waits have ended', async () => {
  const queue = new FairQueue({ all: 1, project: 1, store: 1 });
  const log: string[] = [];
  const [answer, other, held] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  expect(queue.isBusy).toBe(false);
  const runs = [
    queue.run('a', async () => {
      await Promise.all([withoutSlot(async () => answer?.promise), withoutSlot(async () => other?.promise)]);
      log.push('first continues');
    }),
    queue.run('a', async () => void log.push('second')),
    queue.run('a', async () => {
      log.push('third');
      await held?.promise;
      log.push('third ends');
    }),
  ];
  await nextTick();
  expect([log, queue.isBusy]).toEqual([['second', 'third'], true]);
  answer?.resolve();
  await nextTick();
  other?.resolve();
  await nextTick();
  expect(log).toEqual(['second', 'third']);
  held?.resolve();
  await Promise.all(runs);
  expect([log.slice(2), queue.isBusy]).toEqual([['third ends', 'first continues'], false]);
});

test('work without a slot waits like any other', async () => {
  expect(await withoutSlot(async () => 'answer')).toBe('answer');
});

test('a failed unit releases its slot', async () => {
  const queue = new FairQueue({ all: 1, project: 1, store: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run('a', async () => 'next')).toBe('next');
});

test('idle projects are forgotten, waiting ones never', async () => {
  const queue = new FairQueue({ all: 1, project: 1, store: 1 });
  const held = Promise.withResolvers<void>();
  const first = queue.run('a', () => held.promise);
  const all = Array.from({ length: 5000 }, (_, i) => queue.run(`session ${i}`, async () => i));
  expect(queue.known).toBe(5001);
  held.resolve();
  await first;
  expect((await Promise.all(all)).length).toBe(5000);
  expect(queue.known).toBeLessThanOrEqual(100);
});
