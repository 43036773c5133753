import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const Project = z.string().describe('The name or identifier of the project.');

const weekly = (
  project: string,
): string => `Review the last crawl of the project ${project} for the people who run it.

1. status: is the crawl fresh, and did anything fail? Say so first.
2. compare_crawls from previous to latest: the figures that changed, and why some are not compared.
3. list_issues: the severest issues that are new, and those that are fixed.
4. find_pages for the worst two new issues, and get_url for one page of each: what is wrong, and since when.

Then write at most ten sentences: what is better, what is worse, and what to do first, with the number of pages for each.
Give figures as the tools have them, with their units. Where something is not known, say that it is not.`;

const migration = ({ project, from, to }: { project: string; from: string; to: string }): string =>
  `Check the migration of the project ${project}: the crawl ${from} is before it, the crawl ${to} after.

1. compare_crawls from ${from} to ${to}: pages removed, indexability and canonicals that changed, client errors, redirects.
2. find_pages with crawl ${to}, since ${from} and change removed, then is_indexable, then status_code: the pages that lost most.
3. ask_question q24_migration_check with the project: old URLs that lead nowhere or through chains.
4. get_url for three URLs that were lost: where they redirect to, who links to them, their clicks.

Then write what is lost, what is right, and what to mend first, each with its number of pages and an example.
Where something is not known, say that it is not.`;

/** Reviews that an assistant can be asked for by name. */
export function registerPrompts(server: McpServer): void {
  const asked = (text: string) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  });
  server.registerPrompt(
    'weekly_review',
    {
      title: 'Weekly review',
      description: 'What is better, what is worse and what to do first since the crawl before.',
      argsSchema: z.object({ project: Project }),
    },
    ({ project }) => asked(weekly(project)),
  );
  server.registerPrompt(
    'migration_check',
    {
      title: 'Migration check',
      description: 'What a migration lost, between a crawl before it and one after.',
      argsSchema: z.object({
        project: Project,
        from: z.string().describe('The crawl before: an identifier, -N or a day.'),
        to: z.string().describe('The crawl after: an identifier, latest or a day.'),
      }),
    },
    (given) => asked(migration(given)),
  );
}
