import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { AlertEvent } from '../../../etl/project/settings/alert-settings.ts';

/** A unit with far fewer rows than its predecessors. */
export interface RowCountAnomaly {
  readonly project_id: string;
  /** Its name and its rows compared with the usual ones, as text. */
  readonly what: string;
  /** When it was loaded or quarantined, ISO 8601, UTC; null if unknown. */
  readonly began: string | null;
  readonly hint: string | null;
}

export const ShownIncident = z.strictObject({
  /** One line. */
  title: z.string(),
  /** When it began, ISO 8601, UTC; null if unknown. */
  began: z.string().nullable(),
  details: z.array(z.string()),
  /** What a person can do about it. */
  hint: z.string().nullable(),
  /** The saved question of the hint, and what it lists. */
  list: z.strictObject({ question: z.string(), crawl: z.string(), what: z.string() }).optional(),
});
export type ShownIncident = Typed<typeof ShownIncident>;

export function shownIncident({ title, began, details, hint, list }: Incident): ShownIncident {
  return { title, began, details, hint, ...(list && { list }) };
}

export interface ChangeFacts {
  readonly project: string;
  readonly crawl: string;
  /** mart.site_changes.change */
  readonly change: string;
  /** Null for the whole site. */
  readonly segmentation: string | null;
  readonly segment: string | null;
  readonly pages: number | null;
  /** Clicks at risk; null if unknown. */
  readonly clicks: number | null;
}

/** A problem, under a key that stays the same while it lasts. */
export interface Incident extends ShownIncident, Partial<ChangeFacts> {
  readonly key: string;
  readonly event: Exclude<AlertEvent, 'recovery'>;
  /** Null if it belongs to no single project. */
  readonly project_id: string | null;
  /** The incident may end by itself, so it raises no alert yet. An open incident stays open. */
  readonly wait?: boolean;
}

/** An incident whose alert was sent and that has not ended. */
export interface OpenIncident extends Pick<Incident, 'key' | 'event' | 'title' | 'project_id'> {
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Ids of the targets that received its alert. */
  readonly targets: readonly string[];
}

const MOST_DETAILS = 10;

export function detailsOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_DETAILS) return lines;
  return [...lines.slice(0, MOST_DETAILS - 1), `and ${lines.length - MOST_DETAILS + 1} more`];
}

/** Returns the earliest time, ISO 8601, UTC; null if all are unknown. */
export function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).sort()[0] ?? null;
}

/**
 * Finds row-count anomalies, one incident per project. An incident ends when the next crawl has the usual number of
 * rows.
 */
export function findRowCountAnomalies(
  anomalies: readonly RowCountAnomaly[],
  nameOf: (projectId: string) => string,
): Incident[] {
  return [...Map.groupBy(anomalies, ({ project_id }) => project_id)].map(([project_id, own]) => ({
    key: `volume/${project_id}`,
    event: 'volume',
    title: `${nameOf(project_id)}: far fewer rows than usual`,
    details: own.map(({ what }) => what).slice(0, 10),
    project_id,
    began: earliest(own.map(({ began }) => began)),
    hint: own[0]?.hint ?? null,
  }));
}
