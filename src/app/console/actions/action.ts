import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';

const Names = z.array(z.string().min(1));
const Day = z.iso.date('a day is expected, such as 2026-01-31');
const Chosen = { pipelines: Names, projects: Names, crawls: Names };

/** An operator's request: a command of crawlhouse with some of its flags. */
export const Action = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('run'), ...Chosen }),
  z.strictObject({ action: z.literal('backfill'), ...Chosen, from: Day, to: Day, reload: z.boolean() }),
  z.strictObject({
    action: z.literal('drop'),
    kind: z.enum(['crawl', 'project']),
    name: z.string().min(1, 'name the crawl or the project'),
  }),
]);
export type Action = Typed<typeof Action>;

/** The parameters of an address that describe an action, with a summary each. */
export const ACTION_FIELDS: Readonly<Record<string, string>> = {
  action: 'run, backfill or drop.',
  pipeline: 'A dataset; none: all.',
  project: 'Ids or names of projects, one per line; none: the projects of the settings.',
  crawl: 'Ids of crawls, one per line; none: all.',
  from: 'Of backfill: the first day.',
  to: 'Of backfill: the first day after the range.',
  reload: 'Of backfill: on also loads units again that are already loaded.',
  kind: 'Of drop: crawl or project.',
  name: 'Of drop: the id of the crawl, or the id or name of the project.',
};

/** @throws CrawlhouseError `usage` */
export function readAction(fields: URLSearchParams): Action {
  const names = (field: string): string[] =>
    fields.getAll(field).flatMap((text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    );
  const action = fields.get('action');
  const chosen = { pipelines: names('pipeline'), projects: names('project'), crawls: names('crawl') };
  const [from, to, reload] = [fields.get('from'), fields.get('to'), fields.get('reload') === 'on'];
  const given = {
    run: { action, ...chosen },
    backfill: { action, ...chosen, from, to, reload },
    drop: { action, kind: fields.get('kind'), name: (fields.get('name') ?? '').trim() },
  }[action ?? ''];
  const read = Action.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new CrawlhouseError(
    'usage',
    given === undefined ? 'name an action' : `${issue?.path.join('.')}: ${issue?.message}`,
    { hint: 'go back to the Do page, and fill in the form again' },
  );
}

/** Returns the fields from which `readAction` restores an action. */
export function fieldsOf(action: Action): readonly (readonly [name: string, value: string])[] {
  if (action.action === 'drop') return Object.entries(action);
  const { pipelines: pipeline, projects: project, crawls: crawl } = action;
  return [
    ['action', action.action],
    ...Object.entries({ pipeline, project, crawl }).flatMap(([name, chosen]) =>
      chosen.map((one) => [name, one] as const),
    ),
    ...(action.action === 'run' ? [] : Object.entries({ from: action.from, to: action.to })),
    ...(action.action === 'backfill' && action.reload ? [['reload', 'on'] as const] : []),
  ];
}

/**
 * Returns the words of the command after `crawlhouse`. Values follow their flag and `=`, and names follow `--`, so that
 * none of them is read as a flag.
 */
export function wordsOf(action: Action): readonly string[] {
  if (action.action === 'drop') return ['drop', `--${action.kind}=${action.name}`, '--yes'];
  const { pipelines, projects, crawls } = action;
  return [
    action.action,
    ...(action.action === 'run' ? [] : [`--from=${action.from}`, `--to=${action.to}`]),
    ...(action.action === 'backfill' && action.reload ? ['--reload'] : []),
    ...projects.map((project) => `--project=${project}`),
    ...crawls.map((crawl) => `--crawl=${crawl}`),
    ...(pipelines.length === 0 ? [] : ['--', ...pipelines]),
  ];
}
