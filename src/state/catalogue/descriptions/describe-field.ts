import { lookUp } from '../../../core/text/look-up.ts';
import { typeFamily } from '../../../project/model/field.ts';
import {
  CLUSTER_FIELDS,
  FIELD_FIELDS,
  LINK_FIELDS,
  LOG_EVENT_FIELDS,
  LOG_PAGE_FIELDS,
  RANKING_FIELDS,
  STRUCTURED_DATA_FIELDS,
} from './data-fields.ts';
import { PAGE_FIELD_FAMILIES, PAGE_FIELDS } from './page-fields.ts';
import { RESOURCE_FIELDS } from './resource-fields.ts';

const META_COLUMNS: Readonly<Record<string, string>> = {
  _unit: 'Unit that the row came with.',
  _source_id: 'Identifier of the crawl, comparison or project; of a list, the workspace.',
  _crawl_id: 'Identifier of the crawl.',
  _project_id: 'Identifier of the project; NULL in lists.',
  _window: 'First day of the window.',
  _seen_from: 'When this version of the record was first seen.',
  _seen_to: 'When this version of the record changed or vanished; NULL: it is current.',
  _run_id: 'Run that loaded the row, as in ops.runs.',
  _loaded_at: 'When the row was loaded.',
};

const DATASETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...RESOURCE_FIELDS,
  crawl_pages: PAGE_FIELDS,
  crawl_links: LINK_FIELDS,
  crawl_clusters: CLUSTER_FIELDS,
  crawl_structured_data: STRUCTURED_DATA_FIELDS,
  fields: FIELD_FIELDS,
  log_events: LOG_EVENT_FIELDS,
  log_pages_days: LOG_PAGE_FIELDS,
  log_pages_weeks: LOG_PAGE_FIELDS,
  log_pages_months: LOG_PAGE_FIELDS,
  ranking_performance: RANKING_FIELDS,
};

/** A field of a dataset as it came. */
export interface DescribedField {
  readonly field: string;
  readonly type: string;
  readonly arity: string;
  /** The service's own words. */
  readonly description?: string | undefined;
}

/** The description of a field: the service's own, else ours, else by its type. */
export function describeField(dataset: string, { field, type, arity, description }: DescribedField): string {
  return description?.trim() || known(dataset, field) || byType(field, type, arity);
}

export function describeMetaColumn(column: string): string | undefined {
  return lookUp(META_COLUMNS, column);
}

function known(dataset: string, field: string): string | undefined {
  if (dataset === 'crawl_over_crawl_pages') return compared(field);
  const fields = lookUp(DATASETS, dataset);
  if (fields && Object.hasOwn(fields, field)) return fields[field];
  return dataset === 'crawl_pages' ? family(field) : undefined;
}

/** A field of a page that projects or connectors add. */
function family(field: string): string | undefined {
  for (const [prefix, describe] of Object.entries(PAGE_FIELD_FAMILIES))
    if (field.startsWith(prefix) && field.length > prefix.length) return describe(field.slice(prefix.length));
  return undefined;
}

/** A field of a comparison: of both crawls, or a page field of one of them. */
function compared(field: string): string | undefined {
  if (field === 'url') return 'Full URL of the page in the comparison, after its URL transformations.';
  if (field === 'presence') return 'Which crawls have the page: in_both, only_crawl1 or only_crawl2.';
  const [, crawl, name = ''] = /^(crawl[12])_(.+)$/.exec(field) ?? [];
  const words = crawl && known('crawl_pages', name);
  return words && `${crawl === 'crawl1' ? 'Base crawl' : 'Compared crawl'}: ${words}`;
}

const KINDS: Readonly<Record<ReturnType<typeof typeFamily>, string>> = {
  whole: 'a whole number',
  real: 'a number',
  bool: 'true or false',
  date: 'a date',
  datetime: 'a point in time',
  text: 'a text',
  json: 'JSON',
};

function byType(field: string, type: string, arity: string): string {
  const kind = KINDS[typeFamily(type)];
  return `Field ${field} of the service: ${arity === 'many' ? `a list, each value ${kind}` : kind}.`;
}
