import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { changeYamlList } from '../../../../core/files/change-yaml-list.ts';
import { host } from '../../../../core/host/host.ts';
import { checkYaml, readYaml } from '../yaml-file.ts';
import { TICKET_STATES } from './ticket-states.ts';

const FILE = 'tickets.yaml';
/** Maximum URLs that a ticket lists. */
export const MOST_TICKET_URLS = 1000;

const Day = z.iso.date('a day is expected, such as 2026-12-15');
const Time = z.iso.datetime({ offset: true, error: 'a time is expected, such as 2026-11-29T09:30:00Z' });
const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'a name cannot contain control characters');
const Note = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .regex(/^[\P{Cc}\t\r\n]*$/u, 'a note cannot contain control characters');

/** The keys of a ticket that people change in the console. */
const CHANGED = {
  owner: Name.optional().describe('The person or team that fixes the pages.'),
  state: z
    .enum(TICKET_STATES)
    .describe('crawlhouse checks done tickets by the next crawls (docs/definitions.md#tickets).'),
  note: Note.optional().describe('Anything that helps, as text.'),
  due: Day.optional().describe('The last day to fix the pages, in UTC.'),
  until: Day.optional().describe('The last day on which the pages of an ignored ticket are ignored, in UTC.'),
};

const WRITTEN = ['owner', 'state', 'note', 'due', 'until', 'changed_at', 'done_at'] as const;

/** The pages of an issue that someone takes care of (docs/explore.md#tickets). */
export const Ticket = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'letters, digits, _ and - are expected')
      .describe('Unique; it never changes.'),
    project: Name.describe('Id or name of the project.'),
    issue: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,99}$/, 'the name of an issue is expected')
      .describe('Name of the issue, such as client_error.'),
    crawl: Name.describe('Id of the crawl that found the pages.'),
    segmentation: Name.optional().describe('With segment: its segmentation, or (directory).'),
    segment: Name.optional().describe('Only the pages of this segment or first directory.'),
    urls: z
      .array(z.string().regex(/^\P{Cc}+$/u, 'a URL is expected'))
      .min(1)
      .max(MOST_TICKET_URLS)
      .optional()
      .describe('Only these pages.'),
    filter: z
      .string()
      .optional()
      .describe('The filter that found the URLs, as in the address of the page list.'),
    ...CHANGED,
    created_at: Time.describe('When it was created.'),
    changed_at: Time.describe('When it was last changed.'),
    done_at: Time.optional().describe('When it was set to done; default: changed_at.'),
  })
  .superRefine(({ state, until, segmentation, segment, urls }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (state === 'ignored' && until === undefined)
      refuse('state', 'an ignored ticket needs until: the last day on which its pages are ignored');
    if (state !== 'ignored' && until !== undefined) refuse('until', 'only an ignored ticket has until');
    if ((segmentation === undefined) !== (segment === undefined))
      refuse('segment', 'segmentation and segment belong together');
    if (segment !== undefined && urls !== undefined)
      refuse('urls', 'a ticket has a segment or URLs, not both');
  });
export type Ticket = z.output<typeof Ticket>;

export const TicketsFile = z.strictObject({
  tickets: z
    .array(Ticket)
    .default([])
    .superRefine((tickets, context) => {
      for (const [at, { id }] of tickets.entries())
        if (tickets.findIndex((ticket) => ticket.id === id) < at)
          context.addIssue({ code: 'custom', path: [at, 'id'], message: `a second ticket ${id}` });
    })
    .describe('One entry for each ticket.'),
});

/**
 * Returns the tickets of a project folder, in the order of the file; none if the file does not exist.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line, key and valid values
 */
export async function loadTickets(projectDir: string | undefined): Promise<readonly Ticket[]> {
  const path = projectDir === undefined ? '' : join(projectDir, FILE);
  if (!existsSync(path)) return [];
  return checkYaml(TicketsFile, await readYaml(path, FILE, 'bad_settings'), 'bad_settings').tickets;
}

export function ticketsOf(
  tickets: readonly Ticket[],
  { project_id, project_name }: { readonly project_id: string; readonly project_name: string | null },
): Ticket[] {
  return tickets.filter(({ project }) => project === project_id || project === project_name);
}

/**
 * Adds a ticket to `tickets.yaml`.
 *
 * @param given the keys of the ticket, without id and times
 * @throws CrawlhouseError `usage` for an invalid ticket; `bad_settings` for an invalid file
 */
export async function addTicket(
  projectDir: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Ticket> {
  const now = timeNow();
  const ticket = checked({
    id: host().uuid().slice(0, 8),
    ...given,
    created_at: now,
    changed_at: now,
    ...(given.state === 'done' && { done_at: now }),
  });
  return await change(projectDir, ({ add }) => {
    add(ticket);
    return ticket;
  });
}

/**
 * Changes the owner, state, note and dates of a ticket.
 *
 * @param seen the `changed_at` that the person saw
 * @throws CrawlhouseError `usage` for an unknown ticket or invalid values, and if someone else has changed the ticket
 */
export async function changeTicket(
  projectDir: string,
  { id, seen }: { readonly id: string; readonly seen: string },
  given: { readonly [Key in keyof typeof CHANGED]?: unknown },
): Promise<Ticket> {
  return await change(projectDir, ({ values, set }) => {
    const all = values.map((value) => Ticket.parse(value));
    const at = all.findIndex((one) => one.id === id);
    const former = all[at];
    if (former === undefined) throw new CrawlhouseError('usage', `there is no ticket ${id}`);
    if (former.changed_at !== seen)
      throw new CrawlhouseError('usage', 'someone else has changed the ticket meanwhile', {
        hint: 'reload the page, then make the change again',
      });
    const now = timeNow();
    const { owner, state, note, due, until } = given;
    // A hand-written ticket that stays done keeps its former time.
    const since = former.state === 'done' ? (former.done_at ?? former.changed_at) : now;
    const done_at = state === 'done' ? since : undefined;
    const next = checked({ ...former, owner, state, note, due, until, changed_at: now, done_at });
    for (const key of WRITTEN) if (next[key] !== former[key]) set(at, key, next[key]);
    return next;
  });
}

function change<T>(projectDir: string, make: Parameters<typeof changeYamlList<T>>[2]): Promise<T> {
  const place = { path: join(projectDir, FILE), key: 'tickets' };
  return changeYamlList(place, () => loadTickets(projectDir), make);
}

const timeNow = (): string => new Date(host().now()).toISOString();

function checked(given: object): Ticket {
  const { success, data, error } = Ticket.safeParse(given);
  if (success) return data;
  throw new CrawlhouseError(
    'usage',
    error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  );
}

/** The setting `tickets`: where crawlhouse sends tickets (docs/explore.md#tickets). */
export const TicketSettings = z
  .strictObject({
    webhook: z
      .url({ protocol: /^https?$/, error: 'an address is expected' })
      .optional()
      .describe('The URL that receives new and changed tickets as POST requests.'),
    headers: z
      .record(z.string().regex(/^[\w-]+$/, 'the name of a header is expected'), z.string())
      .default({})
      .describe(
        'Headers of each request, such as Authorization; their values may name environment variables.',
      ),
    template: z
      .enum(['plain', 'jira', 'linear'])
      .default('plain')
      .describe('The body; for Jira and Linear, the call that creates an issue, for new tickets only.'),
    place: z
      .string()
      .min(1)
      .optional()
      .describe('The key of the project in Jira, or the id of the team in Linear.'),
    issue_type: z.string().min(1).default('Task').describe('The type of the issue in Jira.'),
    timeout: z.number().positive().max(600).default(30).describe('Time limit of a request in seconds.'),
  })
  .refine(({ template, place }) => template === 'plain' || place !== undefined, {
    path: ['place'],
    error: 'the key of the project in Jira, or the id of the team in Linear, is missing',
  });
export type TicketSettings = z.output<typeof TicketSettings>;
