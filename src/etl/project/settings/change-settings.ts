import { z } from 'zod';
import { Threshold } from './issue-settings.ts';

/** The thresholds from which a change of a website is an incident (docs/operate.md). */
const CHANGE_RULES = {
  non_indexable: { pages: 5, percent: 1 },
  errors: { pages: 5, percent: 1 },
  templates: { pages: 5, percent: 50 },
  clicks: { clicks: 50, percent: 20 },
} as const;

const DEFAULTS: ReadonlyMap<string, Thresholds> = new Map(Object.entries(CHANGE_RULES));

/** Days after which a persistent change counts as intended. */
const DAYS_OF_CHANGE = 28;

interface Thresholds {
  readonly pages?: number;
  readonly clicks?: number;
  readonly percent?: number;
}

const Percent = z.number().min(0).max(100);
const whenOff = { error: 'false or thresholds are expected' };
const rule = (least: 'pages' | 'clicks', text: string) =>
  z
    .union(
      [
        z.boolean(),
        z.strictObject({
          [least]: Threshold.optional().describe(`The fewest ${least}.`),
          percent: Percent.optional().describe(`The smallest percentage.`),
        }),
      ],
      whenOff,
    )
    .optional()
    .describe(text);
const isWatched = (text: string) => z.boolean().optional().describe(text);

const KEYS = {
  days: z
    .int()
    .positive()
    .max(366)
    .optional()
    .describe('Days after which a change that persists counts as intended.'),
  non_indexable: rule(
    'pages',
    'Pages that became non-indexable: the minimum number, and the minimum percentage of the pages that were indexable.',
  ),
  errors: rule(
    'pages',
    'New pages with an error: the minimum number, and the minimum percentage of all pages.',
  ),
  templates: rule(
    'pages',
    'Titles or canonicals that changed: the minimum number, and more than this percentage of the pages of both crawls.',
  ),
  clicks: rule(
    'clicks',
    'Clicks of a week, compared with the previous week: the minimum clicks of the previous week, and the minimum fall.',
  ),
  robots_txt: isWatched('Whether a change of robots.txt is an incident.'),
  sitemaps: isWatched('Whether a missing or unreadable sitemap is an incident.'),
  start_page: isWatched('Whether a change of the start page is an incident.'),
};

const ProjectChanges = z.strictObject(KEYS);

/** The setting `changes`. */
export const ChangeSettings = z.strictObject({
  ...KEYS,
  projects: z
    .record(z.string(), ProjectChanges)
    .optional()
    .describe('Settings of one project, by id or name: the same keys.'),
});
export type ChangeSettings = z.output<typeof ChangeSettings>;
type ProjectChanges = z.output<typeof ProjectChanges>;

/** The changes of a website by their names in mart.site_changes, with the key of `changes` that sets their rule. */
const CHANGES = {
  robots_denied: 'non_indexable',
  noindex: 'non_indexable',
  canonicalised: 'non_indexable',
  client_error: 'errors',
  server_error: 'errors',
  title: 'templates',
  canonical: 'templates',
  clicks: 'clicks',
  robots_txt: 'robots_txt',
  sitemap: 'sitemaps',
  start_page: 'start_page',
} as const;
export type ChangeName = keyof typeof CHANGES;

/** The rule for a change in a project. */
export interface ChangeRule {
  readonly change: ChangeName;
  readonly isOn: boolean;
  /** Pages, or clicks per week. */
  readonly least: number;
  readonly percent: number;
  readonly days: number;
}

/**
 * Returns the rules for all projects without their own settings, then the rules for each of `projects`, in order.
 */
export function changeRules(settings: ChangeSettings): readonly (readonly ChangeRule[])[] {
  return [settings, ...Object.values(settings.projects ?? {}).map((own) => merged(settings, own))].map(
    rulesOf,
  );
}

/**
 * Merges the settings of a project. Keys that the project omits keep their values. A threshold for a change also
 * enables it.
 */
function merged(general: ProjectChanges, own: ProjectChanges): ProjectChanges {
  const both = (name: keyof typeof CHANGE_RULES) => {
    const [first, second] = [general[name], own[name]];
    return typeof first === 'object' && typeof second === 'object'
      ? { ...first, ...second }
      : (second ?? first);
  };
  return {
    ...general,
    ...own,
    non_indexable: both('non_indexable'),
    errors: both('errors'),
    templates: both('templates'),
    clicks: both('clicks'),
  };
}

function rulesOf(settings: ProjectChanges): readonly ChangeRule[] {
  const days = settings.days ?? DAYS_OF_CHANGE;
  return Object.entries(CHANGES).map(([change, key]) => {
    const setting = settings[key];
    const thresholds = { ...DEFAULTS.get(key), ...(typeof setting === 'object' ? setting : {}) };
    return {
      change: change as ChangeName,
      isOn: setting !== false,
      least: thresholds.pages ?? thresholds.clicks ?? 1,
      percent: thresholds.percent ?? 0,
      days,
    };
  });
}
