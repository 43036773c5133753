import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { SeverityName } from '../../../../etl/project/settings/issue-settings.ts';
import { TICKET_STATES } from '../../../../etl/project/settings/tickets/ticket-states.ts';

/** An issue that pages of a crawl have, or had in the previous crawl (mart.issue_changes). */
export const FoundIssue = z.strictObject({
  project: z.string(),
  crawl_id: z.string(),
  issue: z.string(),
  title: z.string(),
  severity: SeverityName,
  category: z.string(),
  pages: z.number(),
  /** Null if no crawl is compared. Also applies to the next fields. */
  new: z.number().nullable(),
  /** Pages that no longer have the issue, because they were read again or are gone. */
  fixed: z.number().nullable(),
  /** Pages that had the issue and were not read again. */
  missing: z.number().nullable(),
  remaining: z.number().nullable(),
  /** Pages that have the issue and that the previous crawl did not read. */
  unseen: z.number().nullable(),
});
export type FoundIssue = Typed<typeof FoundIssue>;

/** A ticket of an issue. */
export const IssueTicket = z.strictObject({
  id: z.string(),
  owner: z.string().nullable(),
  /** The state that a person has set. */
  state: z.enum(TICKET_STATES),
  /** The state that the crawls show (mart.tickets); null until a run has read the last change. */
  effective_state: z.string().nullable(),
});
export type IssueTicket = Typed<typeof IssueTicket>;
