import { z } from 'zod';
import { Threshold } from './issue-settings.ts';

/** What a change of a website must reach before it is an incident (docs/operate.md). */
const CHANGE_RULES = {
  non_indexable: { pages: 5, percent: 1 },
  errors: { pages: 5, percent: 1 },
  templates: { pages: 5, percent: 50 },
  clicks: { clicks: 50, percent: 20 },
} as const;

const DEFAULTS: ReadonlyMap<string, Thresholds> = new Map(Object.entries(CHANGE_RULES));

/** Days after which a change that nobody has undone counts as intended. */
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
    .describe('Days after which a change that is not undone counts as intended.'),
  non_indexable: rule(
    'pages',
    'Pages that became non-indexable: at least so many, and so many of the pages that were indexable.',
  ),
  errors: rule('pages', 'New pages with an error: at least so many, and so many of all pages.'),
  templates: rule(
    'pages',
    'Titles or canonicals that changed: at least so many, and more than so many of the pages of both crawls.',
  ),
  clicks: rule(
    'clicks',
    'Clicks of a week against the week before: how many that had, and how far they fell.',
  ),
  robots_txt: isWatched('Whether a change of robots.txt is one.'),
  sitemaps: isWatched('Whether a sitemap that is lost or unreadable is one.'),
  start_page: isWatched('Whether a change of the start page is one.'),
};

const ProjectChanges = z.strictObject(KEYS);

/** The setting `changes`. */
export const ChangeSettings = z.strictObject({
  ...KEYS,
  projects: z
    .record(z.string(), ProjectChanges)
    .optional()
    .describe('By project, its id or name: the same keys for it alone.'),
});
export type ChangeSettings = z.output<typeof ChangeSettings>;
type ProjectChanges = z.output<typeof ProjectChanges>;

/** The changes of a website by their names in mart.site_changes, with the key of `changes` that rules them. */
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

/** What holds for a change in a project. */
export interface ChangeRule {
  readonly change: ChangeName;
  readonly isOn: boolean;
  /** Pages, or clicks of a week. */
  readonly least: number;
  readonly percent: number;
  readonly days: number;
}

/** The rules of all projects without their own settings, then those of each of `projects`, in their order. */
export function changeRules(settings: ChangeSettings): readonly (readonly ChangeRule[])[] {
  return [settings, ...Object.values(settings.projects ?? {}).map((own) => merged(settings, own))].map(
    rulesOf,
  );
}

/** A part that the project does not name stays, and who sets a threshold wants the change. */
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
