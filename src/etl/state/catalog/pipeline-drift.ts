import { type Connection, given } from '../../../core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { pipelineDefinition, pipelineFilter } from '../../project/model/unit-source.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import { hasColumns } from './catalog.ts';
import { type PublishedPlace, readPublished } from './published/read-published.ts';

const PIPELINE = given('?', ['dataset', 'definition', 'filter'], { restores: 'BOOLEAN', links: 'BOOLEAN' });

interface DriftSettings extends PublishedPlace {
  readonly projectDir: string;
}

/** Returns the pipelines that have changed since units of the published warehouse were loaded. */
export async function readDrift(settings: DriftSettings): Promise<readonly PipelineDrift[]> {
  const pipelines = await loadPipelines(settings.projectDir);
  return (await readPublished(settings, (connection) => pipelineDrift(connection, pipelines))) ?? [];
}

/**
 * Returns the pipelines whose filter or fields differ from those of their loaded units. Omits lists, because every run
 * reads them again. For loads by earlier versions, only the filter is known.
 */
async function pipelineDrift(
  connection: Connection,
  pipelines: readonly Pipeline[],
): Promise<PipelineDrift[]> {
  // A published file of an earlier version; the next publication replaces it.
  if (!(await hasColumns(connection, 'ops.loads', ['definition', 'source_ended_at']))) return [];
  const now = pipelines
    .filter(({ source }) => source.kind !== 'resource')
    .map((pipeline) => {
      const filter = pipelineFilter(pipeline);
      return {
        dataset: pipeline.dataset,
        definition: pipelineDefinition(pipeline),
        filter: filter === null ? null : stringifyJson(filter),
        restores: pipeline.unarchive !== 'skip',
        links: pipeline.source.data_type === 'links',
      };
    });
  const rows = await connection.rows(
    `WITH pipelines AS (SELECT ${PIPELINE}),
       listed AS (
         SELECT id, bool_and(gone) AS gone, any_value(status) AS status, any_value(link_status) AS link_status
         FROM ops.listed GROUP BY id),
       loads AS (
         SELECT l.dataset,
           CASE WHEN l.definition IS NULL THEN l.window_from IS NULL AND l.filter IS DISTINCT FROM p.filter
             ELSE json_extract(l.definition, '$.filter') IS DISTINCT FROM json_extract(p.definition, '$.filter')
           END AS other_filter,
           l.definition IS NOT NULL AND
             json_extract(l.definition, '$.fields') IS DISTINCT FROM json_extract(p.definition, '$.fields')
             AS other_fields,
           coalesce(s.gone, false) OR NOT p.restores AND coalesce(
             s.status <> 'done' OR p.links AND s.link_status = 'archived', false) AS archived,
           coalesce(CAST(l.source_ended_at AT TIME ZONE 'UTC' AS DATE), try_cast(l.window_from AS DATE),
             DATE '2000-01-01') AS day
         FROM ops.loads AS l JOIN pipelines AS p USING (dataset)
         LEFT JOIN listed AS s ON s.id = l.source_id)
     SELECT dataset, bool_or(other_filter) AS filter, bool_or(other_fields) AS fields,
       CAST(count(*) FILTER (WHERE NOT archived) AS INTEGER) AS units,
       CAST(count(*) FILTER (WHERE archived) AS INTEGER) AS archived,
       CAST(min(day) FILTER (WHERE NOT archived) AS VARCHAR) AS first,
       CAST(max(day) FILTER (WHERE NOT archived) + 1 AS VARCHAR) AS after
     FROM loads WHERE other_filter OR other_fields GROUP BY dataset ORDER BY dataset`,
    [JSON.stringify(now)],
  );
  return rows.map(({ dataset, filter, fields, units, archived, first, after }) => ({
    dataset: String(dataset),
    changed: [...(filter ? (['filter'] as const) : []), ...(fields ? (['fields'] as const) : [])],
    units: Number(units),
    archived: Number(archived),
    command:
      first === null
        ? null
        : `crawlhouse backfill ${dataset} --from ${first} --to ${String(after).slice(0, 10)} --reload`,
  }));
}

/** Units that were loaded with a different filter or different fields than their pipeline now has. */
export interface PipelineDrift {
  readonly dataset: string;
  readonly changed: readonly ('filter' | 'fields')[];
  /** Units that can be loaded again. */
  readonly units: number;
  /** Units that cannot be loaded again, because their crawls are archived or gone. */
  readonly archived: number;
  /** Loads the units again; null if none can be loaded. */
  readonly command: string | null;
}

/** Returns text such as `crawl_pages: its filter has changed since 12 units were loaded`. */
export function describeDrift({ dataset, changed, units, archived }: PipelineDrift): string {
  const what = `${dataset}: its ${changed.join(' and ')} ${changed.length > 1 || changed[0] === 'fields' ? 'have' : 'has'} changed`;
  const all = units + archived;
  const rest = archived === 0 ? '' : `; the crawls of ${archived} are archived or gone`;
  return `${what} since ${all} ${all === 1 ? 'unit was' : 'units were'} loaded${rest}`;
}

/** Returns what to do about the drift. */
export function driftHint({ dataset, command }: PipelineDrift): string {
  return (
    command ?? `unarchive: unarchive in the pipeline of ${dataset} lets a backfill --reload restore them`
  );
}
