import { expect, test } from 'vitest';
import { URL_PAGE } from '../../../../../src/app/console/pages/project/url-page.ts';

test('"no page to link from" refers only to the examined pages', () => {
  const crawl = { project_id: 'p', project: 'Shop', crawl_id: 'c2', crawl_number: 2, ended_at: null };
  const suggestions = {
    question: null,
    sql: '',
    command: '',
    address: '',
    ignored: [],
    state: 'read',
    rows: [],
  };
  const document = { crawl, url: 'https://shop.example/', is_known: false, near: [], suggestions };
  const { body } = URL_PAGE.draw(document, {} as never);
  expect(body.text).toContain(
    'No indexable page of this host that is similar, or in the same segment or first directory, lacks a link to it.',
  );
});
