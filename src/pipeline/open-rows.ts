import type { ServiceClient } from '../api/client.ts';
import { type DataSource, describeSource, searchSource } from '../api/data-source.ts';
import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { extractSearch } from '../extract/extract-search.ts';
import { extractStream } from '../extract/extract-stream.ts';
import type { Field } from '../model/field.ts';
import type { ChosenRoute } from './choose-route.ts';
import { declaredFields, requestedFields } from './requested-fields.ts';
import type { Source } from './source.ts';
import type { ToldFields } from './told-fields.ts';

/** What is known of a unit's rows before they are asked for. */
export interface Rows {
  readonly source: DataSource;
  /** The fields that are asked for, with their types. */
  readonly catalogue: readonly Field[];
  readonly reported: number;
}

/**
 * Asks for the fields and the number of a unit's rows. Where the service does not tell the fields, a search
 * shows which there are, and the pipeline file says their types (spec-notes.md 11).
 */
export async function describeRows(
  client: ServiceClient,
  toldFields: ToldFields,
  source: DataSource,
  { pipeline, oql }: PlannedUnit,
  signal: AbortSignal,
): Promise<Rows> {
  const told = await toldFields.of(source);
  const own = told && requestedFields(told, pipeline.fields);
  const first = own?.slice(0, 1).map((field) => field.name);
  if (own?.length === 0) throw nothingIncluded(pipeline.dataset, source);
  const body = { limit: 1, ...(first ? { fields: first } : {}), ...(oql ? { oql } : {}) };
  const { meta } = await searchSource(client, source, body, signal);
  const catalogue = own ?? shownFields(meta.columns ?? [], pipeline);
  if (catalogue.length === 0) throw nothingIncluded(pipeline.dataset, source);
  return { source, catalogue, reported: meta.total_hits };
}

/** Opens the rows by a streamed export or a search. */
export async function openRows(
  client: ServiceClient,
  { source, catalogue, reported }: Rows,
  { oql }: PlannedUnit,
  chosen: ChosenRoute,
  settings: Settings,
  folder: string,
  signal: AbortSignal,
): Promise<Source> {
  const fields = catalogue.map((field) => field.name);
  if (chosen.route === 'search') {
    const parts = extractSearch(client, { source, fields: catalogue, oql, total: reported }, folder, signal);
    return { reported, catalogue, filter: oql, parts };
  }
  const format = chosen.format === 'csv' ? 'csv' : 'json';
  const gzip = wantsGzip(settings.compression, settings.base_url ?? '');
  const request = { source, fields, oql, format, gzip } as const;
  return { reported, catalogue, filter: oql, parts: await extractStream(client, request, folder, signal) };
}

/** The columns that a search shows; one that the pipeline file does not declare is loaded as JSON, which loses nothing. */
function shownFields(
  columns: readonly string[],
  { columns: declared, fields }: PlannedUnit['pipeline'],
): Field[] {
  const types = new Map(declaredFields(declared).map((field) => [field.name, field]));
  const shown = columns.map((name) => types.get(name) ?? { name, type: 'unknown', arity: 'one' as const });
  return requestedFields(shown, fields);
}

function nothingIncluded(dataset: string, source: DataSource): CrawlhouseError {
  return new CrawlhouseError(
    'bad_pipeline',
    `${dataset}: none of the fields of ${describeSource(source)} is included`,
    {
      hint: `check fields in pipelines/${dataset}.yaml`,
    },
  );
}

function wantsGzip(compression: Settings['compression'], baseUrl: string): boolean {
  if (compression !== 'auto') return compression === 'gzip';
  const host = new URL(baseUrl).hostname;
  return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
}
