import { expect, test } from 'vitest';
import { RelationNames } from '../../../../../src/etl/engines/trino/client/relation-names.ts';
import { PointerTable } from '../../../../../src/etl/engines/trino/rows/pointer-table.ts';
import { errorOf } from '../../../../support/error-of.ts';
import { type Pending, snapshotTrino } from '../../../../support/snapshot-trino.ts';

const PREFIX = 't_';
const names = new RelationNames(PREFIX);
const PAGES = 'raw.crawl_pages';

interface Gate {
  /** Resolves once a statement waits at the gate. */
  readonly reached: Promise<Pending>;
  open(): void;
  fail(error: Error): void;
}

/** A Trino whose statements can be stopped between their reading and their commit. */
async function trino() {
  const gates: { readonly fits: (pending: Pending) => boolean; pass: (pending: Pending) => Promise<void> }[] =
    [];
  const { clientOf, rows } = await snapshotTrino(PREFIX, async (pending) => {
    const at = gates.findIndex(({ fits }) => fits(pending));
    if (at >= 0) await gates.splice(at, 1)[0]?.pass(pending);
  });
  return {
    rows,
    begin: (user: string) => PointerTable.begin({ client: clientOf(user), prefix: PREFIX }, names, undefined),
    /** Stops the next statement that fits. */
    stop(fits: (pending: Pending) => boolean): Gate {
      const reached = Promise.withResolvers<Pending>();
      const opened = Promise.withResolvers<void>();
      gates.push({
        fits,
        pass: (pending) => {
          reached.resolve(pending);
          return opened.promise;
        },
      });
      return { reached: reached.promise, open: opened.resolve, fail: opened.reject };
    },
  };
}

const shown = (rows: readonly Record<string, unknown>[]): unknown[] =>
  rows.filter(({ relation }) => relation === PAGES).map(({ load_id }) => load_id);

test('a writer that starts after two others gets a later token, and may publish', async () => {
  const { begin, stop, rows } = await trino();
  const late = stop(({ user }) => user === 'late');
  const last = begin('late');
  await late.reached;
  const first = await begin('first');
  // It removes the rows of the first one, which had the token that the late one has read.
  const second = await begin('second');
  late.open();
  const third = await last;
  await third.set([{ relation: PAGES, unit: 'a', load: 'third' }]);
  await third.publish();
  expect(shown(rows('visible'))).toEqual(['third']);
  for (const former of [first, second]) expect((await errorOf(former.publish())).code).toBe('locked');
});

test('a publication is refused if another writer began before its commit', async () => {
  const { begin, stop, rows } = await trino();
  const paused = await begin('paused');
  await paused.set([{ relation: PAGES, unit: 'a', load: 'paused' }]);
  const gate = stop(({ sql }) => /^\s*(INSERT|MERGE) INTO "t_store".visible/.test(sql));
  const publication = errorOf(paused.publish());
  await gate.reached;
  const later = await begin('later');
  // What it has read of the pointers has to be true until it publishes.
  expect(later.published(PAGES).size).toBe(0);
  gate.open();
  expect((await publication).code).toBe('locked');
  expect(shown(rows('visible'))).toEqual([]);
  await later.publish();
  expect(shown(rows('visible'))).toEqual([]);
});

test('a writer that begins during a publication sees it if the publication commits first', async () => {
  const { begin, stop } = await trino();
  const paused = await begin('paused');
  await paused.set([{ relation: PAGES, unit: 'a', load: 'paused' }]);
  const gate = stop(({ user }) => user === 'later');
  const beginning = begin('later');
  await gate.reached;
  await paused.publish();
  gate.open();
  const later = await beginning;
  expect(later.published(PAGES).get('a')).toBe('paused');
  expect((await errorOf(paused.publish())).code).toBe('locked');
});

test('two concurrent first writers of a warehouse agree on its name', async () => {
  const { begin, stop } = await trino();
  const first = await begin('first');
  const gate = stop(({ user, sql }) => user === 'first' && sql.includes('store'));
  const named = first.settle('store', 'one');
  await gate.reached;
  const second = await begin('second');
  expect(await second.settle('store', 'two')).toBe('two');
  gate.open();
  expect(await named).toBe('two');
  expect(second.published('store').get('')).toBe('two');
});

test('a statement that fails without a conflict is not retried', async () => {
  const { begin, stop } = await trino();
  const gate = stop(() => true);
  const failed = errorOf(begin('only'));
  await gate.reached;
  gate.fail(new Error('no room in the bucket'));
  expect((await failed).message).toContain('no room in the bucket');
});
