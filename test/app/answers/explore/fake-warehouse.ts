import type { CatalogReader } from '../../../../src/etl/state/catalog/catalog.ts';

export const CRAWL = {
  crawl_id: 'c2',
  project_id: 'p',
  project: 'Shop',
  ended_at: '2026-03-09T03:00:00Z',
  previous_crawl_id: 'c1',
  crawl_number: 2,
  has_links: true,
  scope_note: null,
};

const COLUMNS = {
  ...{ crawl_id: 'VARCHAR', url: 'VARCHAR', title: 'VARCHAR', h1: 'VARCHAR', is_indexable: 'BOOLEAN' },
  ...{ status_code: 'INTEGER', depth: 'BIGINT', nb_inlinks: 'BIGINT', non_indexable_reason: 'VARCHAR' },
  inrank_decimal: 'DOUBLE',
};
const both = (column_name: string) => ({ column_name, part: column_name, crawl_id: 'c1', crawls: 2 });

/** What a warehouse with two crawls answers to each query, by a part of its SQL. */
const ANSWERS: Readonly<Record<string, readonly object[]>> = {
  'AS chosen': [CRAWL],
  'SELECT issue FROM mart.issues': [{ issue: 'client_error' }, { issue: 'thin' }],
  'FROM mart.project_issues WHERE': [
    {
      ...{ issue: 'thin', title: 'Thin', severity: 'low', definition: 'd', why_it_matters: 'w' },
      ...{ fix: 'f', source: 's' },
    },
  ],
  'DESCRIBE mart.pages': Object.entries(COLUMNS).map(([column_name, column_type]) => {
    return { column_name, column_type };
  }),
  'AS are_related': [{ are_related: false, are_rechecked: false }],
  'SELECT DISTINCT kind': [],
  'AS is_sampled': [],
  'mart.crawl_columns AS told': ['title', 'is_indexable', 'status_code'].map(both),
  'FROM mart.crawl_segments': [{ segmentation: 'template', segment: 'product' }],
};

/** @param more answers that come before those of the two crawls */
export function fakeWarehouse(more: Readonly<Record<string, readonly object[]>> = {}) {
  const asked: { readonly sql: string; readonly parameters: Readonly<Record<string, string | null>> }[] = [];
  const warehouse: CatalogReader = {
    rows: async (sql, _signal, parameters = new Map()) => {
      asked.push({ sql, parameters: Object.fromEntries(parameters) });
      return (
        [...Object.entries(more), ...Object.entries(ANSWERS)].find(([part]) => sql.includes(part))?.[1] ?? []
      );
    },
  };
  return { warehouse, asked };
}
