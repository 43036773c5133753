import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Html } from '../../../core/text/html.ts';
import { isCrawlFolder } from '../../../etl/project/settings/settings.ts';
import { drawForm } from '../crawl-settings/draw-form.ts';
import { openSite } from '../crawl-settings/open-site.ts';
import { changedBy, type SiteFile, saveSiteFile, settingsOf } from '../crawl-settings/site-form.ts';
import { testedUrl } from '../crawl-settings/test-url.ts';
import { projectPath } from '../layout/addresses.ts';
import { calledProject } from '../page-parts/called-project.ts';
import type { ConsoleForm, FormContext, SentForm } from './console-form.ts';

/**
 * Writes the settings of a website, then shows the form again, or the test result if the form contains a URL to test.
 */
export const SETTINGS_FORM: ConsoleForm = {
  path: '/projects/:project_id/settings',
  failed: 'The settings were not saved',
  audit: ({ path }) => `save crawl settings of ${path.project_id}`,
  async act(sent, context) {
    const test = testedUrl(sent.form);
    const { project, site } = await siteOf(sent, context);
    await saveSiteFile(
      context.settings.projectDir,
      site,
      changedBy(sent.form, site),
      sent.form.get('stamp') ?? '',
    );
    const query = new URLSearchParams({ saved: '1', ...(test !== null && { test }) });
    return `${projectPath(project)}/settings?${query}`;
  },
  again: formAgain,
};

/** @throws NotFound; CrawlhouseError `usage` for a project of another service */
export async function siteOf(
  { path }: SentForm,
  { readers }: FormContext,
): Promise<{ readonly project: string; readonly site: SiteFile }> {
  const { project_id, start_url } = await calledProject(readers, path.project_id ?? '');
  if (start_url === null || !isCrawlFolder(readers.settings))
    throw new CrawlhouseError('usage', 'crawlhouse does not crawl this project', {
      hint: 'change its settings in the service that crawls it',
    });
  return { project: project_id, site: await openSite(project_id, start_url, readers) };
}

/** Returns the form with the submitted values and a message at each invalid input. */
export async function formAgain(
  sent: SentForm,
  error: CrawlhouseError | null,
  context: FormContext,
): Promise<Html | null> {
  const opened = await siteOf(sent, context).catch(() => {
    // The page has this error above the form.
    return null;
  });
  if (opened === null) return null;
  const { project, site } = opened;
  const { faults } = changedBy(sent.form, site);
  return drawForm({
    project,
    file: site.file,
    settings: settingsOf(site.keys),
    // Saving again replaces the changes of the other person.
    stamp: error?.code === 'locked' ? site.stamp : (sent.form.get('stamp') ?? ''),
    csrf: sent.session.csrf,
    sent: sent.form,
    faults,
  });
}
