import { counted, countText } from '../../../core/text/amounts.ts';
import { MOST_DAYS } from '../../../etl/project/settings/settings-file.ts';
import { googleAccess } from '../../../site/search-data/search-console/google-access.ts';
import { propertyOf, SearchConsole } from '../../../site/search-data/search-console/search-console.ts';
import type { Command } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { demandGaps, gapsText } from '../local/demand-gaps.ts';
import { endLoad } from '../local/end-load.ts';
import { refuseMixing } from '../local/load-demand.ts';
import { loadLocal } from '../local/load-local.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { type SyncedDemand, syncDemand } from '../local/sync-demand.ts';

export const demandSync: Command = {
  name: 'demand sync',
  keepsLog: true,
  summary: "read a crawled website's search results from Search Console, day by day",
  flags: {
    ...LOCAL_PROJECT_FLAGS,
    property: {
      value: 'PROPERTY',
      help: 'the property, such as sc-domain:example.com (default: the property that covers the website)',
    },
    days: { value: 'N', help: 'how many days to go back (90; with --gaps, all)' },
    gaps: { help: 'print which days are missing, without reading their rows' },
  },
  async run(invocation) {
    const { signal, logger } = invocation;
    const settings = await invocation.settings();
    const { endpoint, property: set } = settings.search_console;
    const isGaps = invocation.has('gaps');
    const days =
      wholeNumber(invocation, 'days', 1, MOST_DAYS) ?? (isGaps ? MOST_DAYS : settings.search_console.days);
    await refuseMixing(settings.projectDir);
    await using console = new SearchConsole(endpoint, googleAccess());
    await using service = await LocalService.start(settings, { allowPrivate: false, logger });
    const project = await localProject(service, projectFlags(invocation));
    const wanted = invocation.text('property') ?? set;
    const property = propertyOf(String(project.start_url), await console.properties(signal), wanted);
    if (isGaps) {
      const gaps = await demandGaps(service, { console, projectId: project.id, property, days }, signal);
      if (!invocation.has('json')) await invocation.print(`${property}: ${gapsText(gaps)}`);
      else await invocation.printJson({ project: { id: project.id, name: project.name }, property, ...gaps });
      return 0;
    }
    const synced = await syncDemand(invocation, { service, console, project, property, days });
    const result = await loadLocal(invocation, service, project.id, 'demand sync');
    const { errors, ...sums } = synced;
    return await endLoad(invocation, result, errors, {
      document: { project: { id: project.id, name: project.name }, property, ...sums },
      text: `${property}: ${describe(synced)}`,
      idle: 'Nothing new: the warehouse has these days.',
      next: async () => 'Next: crawlhouse query --question q27_cannibalisation\n',
    });
  },
};

/** Returns the loaded rows, and what Search Console omitted. */
function describe(synced: SyncedDemand): string {
  const { span, asked, changed, kept_days, rows } = synced;
  if (span === null) return 'No day has final search results yet.\n';
  const lines = [
    `${counted(span.days, 'day')} with search results, ${span.from} to ${span.to}; ${countText(asked)} read, ${countText(changed)} new or changed.`,
    `${counted(rows, 'row')} with ${countText(synced.clicks)} clicks and ${countText(synced.impressions)} impressions; the days have ${countText(synced.total_clicks)} and ${countText(synced.total_impressions)}.`,
    `${countText(synced.unnamed_clicks)} clicks and ${countText(synced.unnamed_impressions)} impressions have no query: few people asked, or the day has more than 50,000 rows.`,
    ...(kept_days > 0
      ? [`${counted(kept_days, 'day')} keep the rows of an export with more dimensions.`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
