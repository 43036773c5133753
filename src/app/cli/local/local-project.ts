import type { Project } from '../../../client/resources/projects.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { Flag, Invocation } from '../command.ts';
import type { LocalService } from './local-service.ts';

/** Flags that select the website of the folder. */
export const LOCAL_PROJECT_FLAGS = {
  project: { value: 'PROJECT', help: 'the project, by name or id; required if there are several' },
  site: { value: 'URL', help: 'the website of the project, which need not have been crawled yet' },
} as const satisfies Readonly<Record<string, Flag>>;

export function projectFlags(invocation: Invocation): NamedProject {
  return { named: invocation.text('project'), site: invocation.text('site') };
}

interface NamedProject {
  readonly named: string | undefined;
  readonly site: string | undefined;
}

/**
 * Returns the requested project of the local service: by name or id, by website, or else the only project.
 *
 * @throws CrawlhouseError `usage`
 */
export async function localProject(service: LocalService, { named, site }: NamedProject): Promise<Project> {
  if (named !== undefined && site !== undefined)
    throw new CrawlhouseError('usage', `--project ${named} and --site ${site} cannot be combined`);
  if (site !== undefined) {
    const { protocol } = URL.parse(site) ?? {};
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new CrawlhouseError('usage', `--site: ${site} is not an http or https URL`, {
        hint: '--site https://www.example.com/',
      });
    const id = await service.project(site);
    const found = (await service.projects()).find((project) => project.id === id);
    if (found !== undefined) return found;
  }
  const projects = await service.projects();
  const names = projects.map(({ name }) => name);
  const found =
    named === undefined
      ? projects
      : projects.filter((project) => project.id === named || project.name === named);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (projects.length === 0)
    throw new CrawlhouseError('usage', 'this project folder has no crawled website', {
      hint: 'crawlhouse crawl URL, or specify the website: --site URL',
    });
  if (named !== undefined)
    throw new CrawlhouseError('usage', `--project: there is no project ${named}`, {
      hint: `${didYouMean(named, names)}projects of this folder: ${names.join(', ')}`,
    });
  throw new CrawlhouseError('usage', `this folder has ${counted(projects.length, 'project')}: name one`, {
    hint: names.map((name) => `--project ${name}`).join(', '),
  });
}
