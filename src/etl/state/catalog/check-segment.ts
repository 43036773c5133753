import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { CatalogReader } from './catalog.ts';

const READ = ['crawl_segments', 'crawls', 'projects'];
const There = z.strictObject({ tables: z.number() });
const Shared = z.strictObject({ segmentations: z.array(z.string()).nullable() });

const THERE = `SELECT count(DISTINCT table_name) AS tables FROM duckdb_columns()
  WHERE database_name = current_database() AND schema_name = 'mart'
    AND table_name IN (${READ.map((name) => `'${name}'`).join(', ')})`;

/**
 * SQL for the segmentations that share the name in the latest crawl of a configuration. It returns one row, because
 * readers may limit rows.
 */
const SHARED = `
  SELECT array_agg(DISTINCT segments.segmentation ORDER BY segments.segmentation) AS segmentations
  FROM (
    SELECT crawl_id, segmentation, count(*) OVER (PARTITION BY crawl_id) AS times
    FROM mart.crawl_segments
    WHERE segment = $segment
  ) AS segments
  JOIN mart.crawls AS crawls ON crawls.crawl_id = segments.crawl_id AND crawls.is_latest
  LEFT JOIN mart.projects AS projects ON projects.project_id = crawls.project_id
  WHERE segments.times > 1 AND ($project IS NULL OR $project IN (crawls.project_id, projects.project_name))`;

/**
 * Checks that a question's segment is unambiguous. A segment named with its segmentation (`template:other`) always is.
 *
 * @throws CrawlhouseError `usage` for a name that several segmentations of a crawl have
 */
export async function checkSegment(
  parameters: ReadonlyMap<string, string | null>,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<void> {
  const segment = parameters.get('segment') ?? null;
  if (segment === null || parameters.get('segmentation')) return;
  const [there] = typedRows(There, await warehouse.rows(THERE, signal));
  if (Number(there?.tables) < READ.length) return;
  const given = new Map([
    ['segment', segment],
    ['project', parameters.get('project') ?? null],
  ]);
  const [shared] = typedRows(Shared, await warehouse.rows(SHARED, signal, given));
  const names = (shared?.segmentations ?? []).map(
    (segmentation) => `-p ${shellWord(`segment=${segmentation}:${segment}`)}`,
  );
  if (names.length === 0) return;
  throw new CrawlhouseError('usage', `several segmentations have a segment ${segment}`, {
    hint: `name the segmentation too: ${names.join(' or ')}`,
  });
}
