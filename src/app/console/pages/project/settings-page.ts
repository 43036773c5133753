import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { crawlFileOf } from '../../../../etl/project/settings/crawls/crawl-file.ts';
import { isCrawlFolder } from '../../../../etl/project/settings/settings.ts';
import { drawForm, drawValues } from '../../crawl-settings/draw-form.ts';
import { drawTest } from '../../crawl-settings/draw-test.ts';
import { openSite } from '../../crawl-settings/open-site.ts';
import { type SiteFile, settingsOf } from '../../crawl-settings/site-form.ts';
import { testedUrl, testUrl, UrlTest } from '../../crawl-settings/test-url.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import type { Readers } from '../../readers/readers.ts';

const Document = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  start_url: z.string().nullable(),
  /** Whether this program crawls the website itself. */
  is_local: z.boolean(),
  /** The host of the service that crawls the website; null if it is unknown, or this program. */
  service: z.string().nullable(),
  /** In the project folder; null for a website of another service. */
  file: z.string().nullable(),
  /** False: the form begins with the settings of the last crawl. */
  exists: z.boolean(),
  /** Why the file cannot be used. */
  problem: z.string().nullable(),
  /** The keys that are set; null for a secret. */
  settings: z.record(z.string(), z.unknown()),
  /** Identifies the state of the file. */
  stamp: z.string(),
  test: UrlTest.nullable(),
});
type Document = Typed<typeof Document>;

export const SETTINGS = page<Document>({
  path: '/projects/:project_id/settings',
  summary: 'The settings of a website for its next crawls.',
  query: { test: 'For operators: a URL to fetch once with the saved settings.', saved: '1 after a change.' },
  schema: Document,
  async read(request, readers, signal) {
    const { project_id, project_name, start_url } = await calledProject(
      readers,
      request.path.project_id ?? '',
    );
    const none = { file: null, exists: false, problem: null, settings: {}, stamp: '', test: null };
    const service = URL.parse(readers.settings.base_url ?? '')?.host ?? null;
    const document = { project_id, project_name, start_url, is_local: false, service, ...none };
    if (start_url === null || !isCrawlFolder(readers.settings)) return document;
    const file = crawlFileOf(start_url);
    const site = await openSite(project_id, start_url, readers).catch(problemOf);
    if (typeof site === 'string') return { ...document, is_local: true, file, exists: true, problem: site };
    return {
      ...document,
      is_local: true,
      file,
      exists: site.stamp !== '',
      settings: settingsOf(site.keys),
      stamp: site.stamp,
      test: await requestedTest(request, site, readers, signal),
    };
  },
  draw: (document, request) => ({
    title: `Crawl settings of ${document.project_name ?? document.project_id}`,
    body: drawSettings(document, request),
  }),
});

function problemOf(thrown: unknown): string {
  if (thrown instanceof CrawlhouseError && thrown.code === 'bad_settings') return thrown.message;
  throw thrown;
}

async function requestedTest(
  request: PageRequest,
  site: SiteFile,
  readers: Readers,
  signal: AbortSignal,
): Promise<UrlTest | null> {
  const url = testedUrl(request.query);
  if (url === null) return null;
  // A test sends requests to the website, so pages of other sites cannot start one.
  if (!request.isOwn)
    throw new CrawlhouseError('forbidden', 'another site links to this test', {
      hint: 'open the settings of the project and start the test there',
    });
  return testUrl(url, { ...site, publicOnly: !request.isOwners }, readers.settings, signal);
}

function drawSettings(document: Document, request: PageRequest): Html {
  const { project_id, project_name, is_local, service, file, problem, test } = document;
  return html`<h1>${project_name ?? project_id}</h1>
${projectTabs(project_id, 'settings')}
${request.query.has('saved') ? html`<p class="well" role="status">The settings are saved to ${file}. The next crawl uses them.</p>` : null}
${
  problem !== null
    ? html`<p class="notice">These settings cannot be used: ${problem}. Correct the file in the project folder.</p>`
    : is_local
      ? drawLocal(document, request)
      : html`<p class="notice">crawlhouse does not crawl this project. Change its settings in ${service === null ? 'the service that crawls it' : `${service}, which crawls it`}.</p>`
}
${test === null ? null : drawTest(test)}
`;
}

function drawLocal(document: Document, { canAct, session }: PageRequest): Html {
  const { project_id, start_url, file, exists, settings, stamp } = document;
  const begins = html`<p class="facts">There is no file ${file} yet. The values are those of the last crawl, without passwords, headers, web vitals and other domains.</p>`;
  return html`<p class="facts">Settings for the next crawls of ${start_url}, by hand and by schedule. A flag of <code>crawlhouse crawl</code> has precedence.</p>
${exists ? null : begins}
${
  canAct
    ? drawForm({ project: project_id, file: file ?? '', settings, stamp, csrf: session.csrf })
    : html`${drawValues(settings)}
<p class="facts">Operators can change the settings if <code>console_actions</code> is on.</p>`
}`;
}
