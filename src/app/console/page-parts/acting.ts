import { type Html, html } from '../../../core/text/html.ts';
import { type Action, fieldsOf } from '../actions/action.ts';

/** Returns the action that retries a unit: a run of its dataset, only for its crawl or project. */
export function retryOf({
  dataset,
  source,
}: {
  readonly dataset: string;
  readonly source: { readonly kind: string; readonly id: string; readonly project_id: string | null };
}): Action {
  const { kind, id, project_id: project } = source;
  return {
    action: 'run',
    pipelines: [dataset],
    projects: kind === 'log_monitoring' || kind === 'ranking_performance' ? [project ?? id] : [],
    crawls: kind === 'crawl' ? [id] : [],
  };
}

const DAY_MS = 86_400_000;

/** Buttons that lead to the plans for reloading and dropping a crawl. */
export function crawlButtons(crawl: string, endedAt: string | null): Html {
  const from = endedAt?.slice(0, 10);
  const chosen = { pipelines: [], projects: [], crawls: [crawl] };
  const again =
    from === undefined
      ? null
      : planButton(
          {
            action: 'backfill',
            ...chosen,
            reload: true,
            from,
            to: new Date(Date.parse(from) + DAY_MS).toISOString().slice(0, 10),
          },
          'Load again',
        );
  return html`<div class="paging">${again}${planButton({ action: 'drop', kind: 'crawl', name: crawl }, 'Drop')}</div>`;
}

export function planButton(action: Action, label: string): Html {
  return html`<form method="get" action="/do/plan">${hiddenFields(action)}<button type="submit">${label}</button></form>`;
}

export function hiddenFields(action: Action): readonly Html[] {
  return fieldsOf(action).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}
