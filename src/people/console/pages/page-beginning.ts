import { type Html, html } from '../../../core/text/html.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlName } from '../layout/addresses.ts';
import { tabName } from '../layout/project-tabs.ts';
import { calledProject } from './called-project.ts';
import { recordOf } from './crawl.ts';
import type { PageRequest } from './page.ts';

/**
 * What a slow page shows first: its title and heading, as far as its address tells them.
 *
 * @param route as fastify has it, such as `/projects/:project_id`
 * @throws NotFound for something that is not there
 */
export async function pageBeginning(
  route: string,
  { path, query }: PageRequest,
  desk: Readers,
): Promise<{ readonly title: string; readonly body: Html }> {
  if (path.project_id !== undefined) {
    const { project_id, project_name } = await calledProject(desk, path.project_id);
    const name = project_name ?? project_id;
    const tab = tabName(route.replace('/projects/:project_id', ''));
    const title = query.get('url') ?? (tab === null ? name : `${tab} of ${name}`);
    return { title, body: html`<h1>${name}</h1>\n` };
  }
  const asked = query.get('question');
  const question = asked === null ? null : (await desk.questions()).find(({ name }) => name === asked);
  const crawl = path.crawl_id === undefined ? null : crawlName(await recordOf(path.crawl_id, desk));
  const title = crawl ?? question?.title ?? roomTitle(route);
  return { title, body: html`<h1>${title}</h1>\n` };
}

/** `/runs/:run_id` is one of Runs. */
export function roomTitle(route: string): string {
  const [, room = ''] = route.split('/');
  return room === '' ? 'Overview' : room.charAt(0).toUpperCase() + room.slice(1);
}
