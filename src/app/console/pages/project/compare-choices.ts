import { type Html, html } from '../../../../core/text/html.ts';
import type { Note } from '../../../../etl/project/settings/notes.ts';
import type { LinkedCrawl } from '../../../answers/presentation/blocks.ts';
import { crawlName } from '../../../answers/presentation/value-text.ts';
import { projectPath, withQuery } from '../../layout/addresses.ts';

interface ComparedCrawl extends LinkedCrawl {
  readonly previous_crawl_id: string | null;
  readonly crawl_config_name: string | null;
  readonly is_main: boolean | null;
}

/** The latest deployment, and the crawls around it; null for the crawls if one is missing. */
interface Deployment {
  readonly note: Note;
  readonly crawls: { readonly from: ComparedCrawl; readonly to: ComparedCrawl } | null;
}

/**
 * Returns the latest deployment of the notes with the crawls around it: the first crawl that ended after the day of the
 * note (else on that day), and the last one before that day that it can be compared with.
 *
 * @param crawls the newest first
 */
export function latestDeployment(
  notes: readonly Note[],
  crawls: readonly ComparedCrawl[],
): Deployment | null {
  const note = notes.findLast(({ kind }) => kind === 'deployment');
  if (note === undefined) return null;
  const main = crawls.find(({ is_main }) => is_main) ?? crawls[0];
  const day = ({ ended_at }: ComparedCrawl): string => ended_at?.slice(0, 10) ?? '';
  const own = crawls.filter(({ crawl_config_name: name }) => name === main?.crawl_config_name);
  const to =
    own.findLast((crawl) => day(crawl) > note.date) ?? own.findLast((crawl) => day(crawl) === note.date);
  const previous = (crawl: ComparedCrawl | undefined): ComparedCrawl | undefined =>
    own.find(({ crawl_id }) => crawl_id === crawl?.previous_crawl_id);
  let from = previous(to);
  while (from !== undefined && day(from) >= note.date) from = previous(from);
  return { note, crawls: to === undefined || from === undefined ? null : { from, to } };
}

/** Returns what people want to know of two crawls, each with the page made for it. */
export function compareChoices(project: string, deployment: Deployment | null): Html {
  const own = projectPath(project);
  const around = deployment?.crawls;
  const { from, to } = around ?? { from: { crawl_id: 'previous' }, to: { crawl_id: 'latest' } };
  const query = new URLSearchParams({ from: from.crawl_id, to: to.crawl_id });
  return html`<section aria-labelledby="choices"><h2 id="choices">What do you want to know?</h2>
<ul>
<li><a href="${withQuery(`${own}/compare`, query, {})}">What did the deployment change?</a> ${deploymentText(deployment)}</li>
<li><a href="${own}/migration">Did the migration work?</a> Where old URLs lead now, with the clicks that depend on them.</li>
<li><a href="${own}/demand#losses">Where did we lose traffic?</a> The pages that lost the most clicks.</li>
</ul></section>
`;
}

function deploymentText(deployment: Deployment | null): string {
  if (deployment === null) return 'No note names a deployment, so this compares the last two crawls.';
  const { note, crawls } = deployment;
  const named = `${note.text}, ${note.date}`;
  return crawls === null
    ? `${named}: there are no crawls before and after it, so this compares the last two crawls.`
    : `${named}: ${crawlName(crawls.from)} and ${crawlName(crawls.to)}.`;
}
