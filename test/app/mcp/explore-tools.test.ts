import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Register, registerExploreTools } from '../../../src/app/mcp/explore-tools.ts';
import { fakeWarehouse } from '../answers/explore/fake-warehouse.ts';

const { signal } = new AbortController();
const CRAWL = {
  ...{ crawl_id: 'c2', project_id: 'p', project: 'Shop', crawl_number: 2, ended_at: null, config: 'x' },
  ...{ has_links: true, has_structured_data: true, scope_note: null },
};

/** Calls a tool over a warehouse with two crawls and these answers. */
async function call(name: string, given: object, answers: Readonly<Record<string, readonly object[]>> = {}) {
  const { warehouse, asked } = fakeWarehouse({ 'crawls.has_structured_data': [CRAWL], ...answers });
  const tools = new Map<string, (given: object) => Promise<unknown>>();
  const register: Register = (tool, _description, shape, work) => {
    const schema = z.object(shape);
    tools.set(tool, async (of) => work(schema.parse(of) as never, signal));
  };
  registerExploreTools(register, warehouse);
  const answer = (await tools.get(name)?.(given)) as Record<string, unknown>;
  return { answer: JSON.parse(JSON.stringify(answer)), asked };
}

const pages = (...paths: readonly string[]) => ({
  'AS total': [{ total: 7 }],
  'FROM mart.pages AS pages': paths.map((path) => ({ url: `https://shop.example${path}`, depth: 2 })),
});

test('pages are paged: the cursor continues after the last page', async () => {
  const { answer } = await call('find_pages', { limit: 2 }, pages('/a', '/b', '/c'));
  expect([answer.total, answer.rows.length, answer.units]).toEqual([
    7,
    2,
    { depth: 'clicks from the start' },
  ]);
  const after = Buffer.from(answer.next_cursor.replace(/^after:/, ''), 'base64url').toString();
  expect(after).toBe('https://shop.example/b');
  const last = (await call('find_pages', { limit: 3 }, pages('/a', '/b', '/c'))).answer;
  expect([last.rows.length, last.next_cursor, last.why]).toEqual([3, undefined, undefined]);
  await expect(call('find_pages', { cursor: '9' }, pages())).rejects.toThrow('after the last of 7 rows');
});

test('no pages: either none fits, or what shows the issue is not loaded', async () => {
  const why = async (known: readonly object[]) =>
    (await call('find_pages', { issue: 'thin' }, { 'AS total': [{ total: 0 }], 'SELECT pages FROM': known }))
      .answer.why;
  expect(await why([])).toBe('no page fits');
  expect(await why([{ pages: 0 }])).toBe('no page fits');
  expect(await why([{ pages: null }])).toMatch(/^unknown: /);
});

test('without a crawl there are no issues, and the answer says why', async () => {
  expect((await call('list_issues', {}, { 'AS chosen': [] })).answer).toEqual({
    crawls: [],
    why: 'no crawl has pages yet',
  });
});

test('one URL: what is known of it, lists by part, and why a part is empty', async () => {
  const url = 'https://shop.example/';
  const { answer } = await call('get_url', { url, limit: 2 });
  expect(answer).toMatchObject({
    ...{ url, page: null, is_known: false, hits: null, demand: null },
    history: { total: 0, rows: [] },
    inlinks: { total: null, rows: [] },
  });
  // The cursor of a longer part is after the end of these.
  expect((await call('get_url', { url, limit: 2, cursor: '2' })).answer).toMatchObject({
    history: { total: 0, rows: [] },
  });
  for (const part of ['history', 'inlinks', 'similar', 'hits', 'demand', 'hreflangs', 'structured_data']) {
    const only = (await call('get_url', { url, part })).answer;
    expect(only, part).toMatchObject({ url, part, rows: [], why: expect.any(String) });
  }
});
