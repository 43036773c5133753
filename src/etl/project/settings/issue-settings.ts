import { z } from 'zod';

/** How much an issue matters on any page, and its weight in a priority. */
export const SEVERITIES = { high: 1, medium: 0.6, low: 0.3 } as const;
export type Severity = keyof typeof SEVERITIES;

/** Default days of log files and searches that belong to a crawl: as many as Search Console shows. */
export const DAYS_OF_CRAWL = 28;

export const SeverityName = z.enum(Object.keys(SEVERITIES) as [Severity]);
const MOST = 1_000_000_000;
export const Threshold = z.number().min(0).max(MOST);

/** The change of an issue: `false` switches it off; a threshold has its name from the issue's file. */
const IssueChange = z.union(
  [z.boolean(), z.object({ severity: SeverityName.optional() }).catchall(Threshold)],
  {
    error: ({ input }) =>
      typeof input === 'object' ? undefined : 'true, false, or thresholds and a severity are expected',
  },
);
export type IssueChange = z.output<typeof IssueChange>;

const SegmentChanges = z
  .record(z.string(), z.record(z.string(), IssueChange))
  .optional()
  .describe(
    'Settings of segments: a first directory of URLs, or a segment of a segmentation. The first match applies.',
  );

export const IssueSettings = z
  .object({
    projects: z
      .record(z.string(), z.object({ segments: SegmentChanges }).catchall(IssueChange))
      .optional()
      .describe('Settings of one project, by id or name: the same keys.'),
    segments: SegmentChanges,
  })
  .catchall(IssueChange);
export type IssueSettings = z.output<typeof IssueSettings>;
