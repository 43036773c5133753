import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { Project } from '../../../service/api/resources/projects.ts';
import type { Flag, Invocation } from '../command.ts';
import type { LocalService } from './local-service.ts';

/** Flags that say which website of the folder is meant. */
export const LOCAL_PROJECT_FLAGS = {
  project: { value: 'PROJECT', help: 'its name or id; needed where there are several' },
  site: { value: 'URL', help: 'its website; a new one needs no crawl before' },
} as const satisfies Readonly<Record<string, Flag>>;

export function projectFlags(invocation: Invocation): NamedProject {
  return { named: invocation.text('project'), site: invocation.text('site') };
}

interface NamedProject {
  readonly named: string | undefined;
  readonly site: string | undefined;
}

/**
 * The project of the local service that is meant: by name or id, by its website, else the only one.
 *
 * @throws CrawlhouseError `usage`
 */
export async function localProject(service: LocalService, { named, site }: NamedProject): Promise<Project> {
  if (named !== undefined && site !== undefined)
    throw new CrawlhouseError('usage', `--project ${named} and --site ${site} do not go together`);
  if (site !== undefined) {
    const { protocol } = URL.parse(site) ?? {};
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new CrawlhouseError('usage', `--site: ${site} is not an http or https URL`, {
        hint: '--site https://www.example.com/',
      });
    const id = await service.project(site);
    const found = (await service.projects()).find((one) => one.id === id);
    if (found !== undefined) return found;
  }
  const projects = await service.projects();
  const names = projects.map(({ name }) => name);
  const found =
    named === undefined ? projects : projects.filter((one) => one.id === named || one.name === named);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (projects.length === 0)
    throw new CrawlhouseError('usage', 'no website was crawled in this project folder', {
      hint: 'crawlhouse crawl URL, or name the website: --site URL',
    });
  if (named !== undefined)
    throw new CrawlhouseError('usage', `--project: there is no project ${named}`, {
      hint: `${didYouMean(named, names)}projects of this folder: ${names.join(', ')}`,
    });
  throw new CrawlhouseError('usage', `this folder has ${counted(projects.length, 'project')}: which one?`, {
    hint: names.map((name) => `--project ${name}`).join(', '),
  });
}
