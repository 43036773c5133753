import fc from 'fast-check';
import { DirectedGraph } from 'graphology';
import pagerank from 'graphology-pagerank';
import { expect, test } from 'vitest';
import { inranks, pageRank } from '../../../../src/site/crawler/jobs/scoring.ts';
import {
  type CrawlRecords,
  link,
  page,
  pagesAfterJobs,
  redirect,
  SITE,
} from '../../../support/crawl-records.ts';
import { runs } from '../../../support/runs.ts';

/** Every link carries an equal part of its node's rank. */
function ranks(nodes: number, links: readonly (readonly [number, number])[]) {
  const from = Int32Array.from(links, ([origin]) => origin);
  const parts = new Int32Array(nodes);
  for (const origin of from) parts[origin] = (parts[origin] ?? 0) + 1;
  return pageRank({ nodes, from, to: Int32Array.from(links, ([, target]) => target), parts });
}

const graph = fc.integer({ min: 1, max: 12 }).chain((nodes) => {
  const node = fc.integer({ min: 0, max: nodes - 1 });
  return fc.record({ nodes: fc.constant(nodes), links: fc.array(fc.tuple(node, node), { maxLength: 40 }) });
});

test('ranks match an independent implementation', () => {
  fc.assert(
    fc.property(graph, ({ nodes, links }) => {
      // Parallel links count as weight: the library takes one link between two nodes.
      const weights = Map.groupBy(links, ([from, to]) => `${from} ${to}`);
      const oracle = new DirectedGraph();
      for (let node = 0; node < nodes; node++) oracle.addNode(String(node));
      for (const [key, same] of weights) {
        const [from, to] = key.split(' ');
        oracle.addEdge(from, to, { weight: same.length });
      }
      const expected = pagerank(oracle, {
        alpha: 0.85,
        tolerance: 1e-10,
        maxIterations: 500,
        weighted: true,
      });
      const { rank } = ranks(nodes, links);
      for (let node = 0; node < nodes; node++)
        expect(rank[node]).toBeCloseTo(expected[String(node)] ?? -1, 6);
    }),
    { numRuns: runs(60) },
  );
});

test('ranks satisfy their defining equations', () => {
  const { rank, lowest } = pageRank({
    nodes: 3,
    from: Int32Array.of(0, 1),
    to: Int32Array.of(1, 2),
    // Half of what node 0 has is not carried on, and all of node 2.
    parts: Int32Array.of(2, 1, 0),
  });
  const [a = 0, b = 0, c = 0] = rank;
  const spread = 0.15 / 3 + (0.85 * (a / 2 + c)) / 3;
  expect(a + b + c).toBeCloseTo(1, 6);
  expect(a).toBeCloseTo(spread, 6);
  expect(b).toBeCloseTo(spread + (0.85 * a) / 2, 6);
  expect(c).toBeCloseTo(spread + 0.85 * b, 6);
  expect(lowest).toBeCloseTo(spread, 6);
});

test('inranks range from 0 to 10 on a logarithmic scale', () => {
  expect([...inranks(Float64Array.of(0.01, 0.1, 1), 0.01)].map((one) => Math.round(one * 100) / 100)).toEqual(
    [0, 5, 10],
  );
  expect([...inranks(Float64Array.of(0.5, 0.5), 0.5)]).toEqual([0, 0]);
});

const inrankOf = async (records: CrawlRecords) => {
  const pages = await pagesAfterJobs(records, ['inrank_decimal']);
  return (path: string): number => Number(pages[path]?.inrank_decimal);
};

test('a page that all pages link to has 10, a page without links to it 0', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [page('/'), page('/a'), page('/orphan')],
      links: [link('/a', '/'), link('/', '/a'), link('/orphan', '/')],
    },
    ['inrank', 'inrank_decimal'],
  );
  expect(pages['/']).toEqual({ inrank: 10, inrank_decimal: 10 });
  expect(pages['/orphan']).toEqual({ inrank: 0, inrank_decimal: 0 });
  expect(Math.floor(Number(pages['/a']?.inrank_decimal))).toBe(pages['/a']?.inrank);
});

test('a nofollow link gives its target nothing, and reduces the other shares', async () => {
  const pages = [page('/'), page('/a'), page('/b'), page('/c')];
  const back = link('/a', '/');
  const followed = await inrankOf({ pages, links: [link('/', '/a'), back] });
  const halved = await inrankOf({
    pages,
    links: [link('/', '/a'), link('/', '/b', { follow: false }), back],
  });
  expect(halved('/b')).toBe(0);
  expect(halved('/b')).toBe(halved('/c'));
  expect(halved('/a')).toBeLessThan(followed('/a'));
});

test('links to other sites, the page itself and unknown URLs take no share', async () => {
  const pages = [page('/'), page('/a'), page('/b')];
  const links = [link('/', '/a'), link('/a', '/b')];
  const without = await inrankOf({ pages, links });
  const withOthers = await inrankOf({
    pages,
    links: [...links, link('/', 'https://other.example/'), link('/', '/'), link('/', '/unknown')],
  });
  expect(['/', '/a', '/b'].map(withOthers)).toEqual(['/', '/a', '/b'].map(without));
});

test('a redirect and a canonical pass their whole rank to the target', async () => {
  const inrank = await inrankOf({
    pages: [
      page('/'),
      redirect('/old', '/new'),
      page('/new'),
      page('/copy', { rel_canonical: `${SITE}/original` }),
      page('/original', { rel_canonical: `${SITE}/original` }),
      page('/linked-by-copy'),
    ],
    links: [link('/', '/old'), link('/', '/copy'), link('/copy', '/linked-by-copy')],
  });
  expect(inrank('/new')).toBeGreaterThan(inrank('/old'));
  expect(inrank('/original')).toBe(inrank('/new'));
  expect(inrank('/linked-by-copy')).toBe(0);
});
