import fc from 'fast-check';
import { expect, test } from 'vitest';
import { familyOf, layoutLineage } from '../../../../src/app/answers/dictionary/lineage-drawing.ts';

const READS = new Map([
  ['mart.pages', ['raw.pages']],
  ['mart.links', ['raw.links']],
  ['mart.broken', ['mart.links', 'mart.pages']],
  ['mart.logs', ['raw.logs']],
]);

test('the lineage family of a table contains all its sources and all tables made from it', () => {
  expect([...familyOf('mart.links', READS)].sort()).toEqual(['mart.broken', 'mart.links', 'raw.links']);
  expect([...familyOf('mart.broken', READS)].sort()).toEqual([
    'mart.broken',
    'mart.links',
    'mart.pages',
    'raw.links',
    'raw.pages',
  ]);
});

/** A graph without circles: each table reads some of those before it. */
const graphs = fc
  .array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 20 })
  .map(
    (lists) =>
      new Map(
        lists.map((list, n) => [
          `t${n}`,
          [...new Set(list.filter((one) => one < n).map((one) => `t${one}`))],
        ]),
      ),
  );

test('each table is drawn to the right of its sources, and no two tables overlap', () => {
  fc.assert(
    fc.property(graphs, (reads) => {
      const nodes = layoutLineage(new Set(reads.keys()), reads);
      const byName = new Map(nodes.map((node) => [node.name, node]));
      expect([...byName.keys()].sort()).toEqual([...reads.keys()].sort());
      expect(new Set(nodes.map(({ layer, place }) => `${layer} ${place}`)).size).toBe(nodes.length);
      for (const [name, sources] of reads)
        for (const source of sources)
          expect(byName.get(source)?.layer).toBeLessThan(byName.get(name)?.layer ?? -1);
    }),
  );
});
