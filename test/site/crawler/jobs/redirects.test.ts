import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followRedirects } from '../../../../src/site/crawler/jobs/redirects.ts';
import { page, pagesAfterJobs, redirect, SITE } from '../../../support/crawl-records.ts';

const FIELDS = [
  'redirect_count',
  'final_redirect_location',
  'final_redirect_status',
  'is_redirect_loop',
  'is_too_many_redirects',
];

test('chains, loops and external redirects', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        redirect('/1', '/2'),
        redirect('/2', '/end'),
        page('/end', { status_code: 404 }),
        redirect('/away', 'https://other.example/'),
        redirect('/into', '/x'),
        redirect('/x', '/y'),
        redirect('/y', '/x'),
        redirect('/self', '/self'),
        page('/300', { status_code: 300 }),
        page('/denied', { fetched: false, status_code: null }),
      ],
    },
    FIELDS,
  );
  const row = (
    count: number | null,
    location: string | null,
    status: number | null,
    isLoop: boolean | null,
  ) => ({
    redirect_count: count,
    final_redirect_location: location,
    final_redirect_status: status,
    is_redirect_loop: isLoop,
    is_too_many_redirects: count === null ? null : false,
  });
  expect(pages).toEqual({
    '/1': row(2, `${SITE}/end`, 404, false),
    '/2': row(1, `${SITE}/end`, 404, false),
    '/end': row(0, null, null, false),
    '/away': row(1, 'https://other.example/', null, false),
    '/into': row(3, null, null, true),
    '/x': row(2, null, null, true),
    '/y': row(2, null, null, true),
    '/self': row(1, null, null, true),
    '/300': row(0, null, null, false),
    '/denied': row(null, null, null, null),
  });
});

test('pages whose chains have the same end are one cluster, with the end', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        redirect('/1', '/end'),
        redirect('/2', '/end'),
        page('/end'),
        redirect('/x', '/y'),
        redirect('/y', '/x'),
        page('/'),
      ],
    },
    ['redirect_cluster_id'],
  );
  const cluster = (path: string) => pages[path]?.redirect_cluster_id;
  expect(cluster('/1')).toMatch(/^[0-9a-f]{16}$/);
  expect([cluster('/2'), cluster('/end')]).toEqual([cluster('/1'), cluster('/1')]);
  expect(cluster('/x')).toBe(cluster('/y'));
  expect(cluster('/x')).not.toBe(cluster('/1'));
  expect(cluster('/')).toBeNull();
});

test('sixteen redirects are allowed, seventeen are too many', async () => {
  const chain = Array.from({ length: 17 }, (_, n) => redirect(`/${n}`, `/${n + 1}`));
  const pages = await pagesAfterJobs({ pages: [...chain, page('/17')] }, [
    'redirect_count',
    'is_too_many_redirects',
  ]);
  expect(pages['/0']).toEqual({ redirect_count: 17, is_too_many_redirects: true });
  expect(pages['/1']).toEqual({ redirect_count: 16, is_too_many_redirects: false });
});

test('redirect chains match a walk through each of them', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((nodes) =>
      fc.array(fc.integer({ min: -1, max: nodes - 1 }), { minLength: nodes, maxLength: nodes }),
    );
  fc.assert(
    fc.property(graph, (next) => {
      const chainOf = followRedirects(Int32Array.from(next));
      for (const start of next.keys()) {
        const path = [start];
        let at = next[start] ?? -1;
        while (at >= 0 && !path.includes(at)) {
          path.push(at);
          at = next[at] ?? -1;
        }
        const isLoop = at >= 0;
        const end = isLoop ? Math.min(...path.slice(path.indexOf(at))) : path.at(-1);
        const count = isLoop ? path.length : path.length - 1;
        expect(chainOf(start)).toEqual({ end, count, isLoop, isTooMany: false });
      }
    }),
  );
});
