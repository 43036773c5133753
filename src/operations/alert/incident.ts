import { z } from 'zod';
import type { AlertEvent } from '../../project/settings/alert-settings.ts';

/** A unit with far fewer rows than its predecessors. */
export interface RowCountAnomaly {
  readonly project_id: string;
  /** Its name and its rows beside the usual ones, in words. */
  readonly what: string;
  /** When it was loaded or kept out, ISO 8601, UTC; null where that is not known. */
  readonly began: string | null;
  readonly hint: string | null;
}

export const ShownIncident = z.strictObject({
  /** One line. */
  title: z.string(),
  /** When it began, ISO 8601, UTC; null where that is not known. */
  began: z.string().nullable(),
  details: z.array(z.string()),
  /** What a person may do about it. */
  hint: z.string().nullable(),
});
export type ShownIncident = z.infer<typeof ShownIncident>;

export function shownIncident({ title, began, details, hint }: Incident): ShownIncident {
  return { title, began, details: [...details], hint };
}

/** What a change of a website is of. */
export interface ChangeFacts {
  /** Name of the project. */
  readonly project: string;
  /** The crawl that found it. */
  readonly crawl: string;
  /** mart.site_changes.change */
  readonly change: string;
  /** Null for the whole site. */
  readonly segmentation: string | null;
  readonly segment: string | null;
  readonly pages: number | null;
  /** Clicks at risk; null where they are unknown. */
  readonly clicks: number | null;
}

/** Something that is wrong, under a key that stays the same for as long as it is. */
export interface Incident extends Omit<ShownIncident, 'details'>, Partial<ChangeFacts> {
  readonly key: string;
  readonly event: Exclude<AlertEvent, 'recovery'>;
  readonly details: readonly string[];
  /** Null where it is no single project's. */
  readonly project_id: string | null;
  /** It may pass by itself, so it raises no alert yet. An incident that is open stays open. */
  readonly wait?: boolean;
}

/** An incident whose alert was sent and that is not over. */
export interface OpenIncident extends Pick<Incident, 'key' | 'event' | 'title' | 'project_id'> {
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Ids of the targets that got its alert. */
  readonly targets: readonly string[];
}

/** The details that an alert carries at the most. */
const MOST_DETAILS = 10;

export function detailsOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_DETAILS) return lines;
  return [...lines.slice(0, MOST_DETAILS - 1), `and ${lines.length - MOST_DETAILS + 1} more`];
}

/** The first of some times, ISO 8601, UTC; null where none is known. */
export function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).sort()[0] ?? null;
}

/** One incident for each project. It ends once the next crawl has the usual number of rows. */
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
